import Foundation
import TidemarkDiagrams

/// The reason why `dot` produced no layout, and what to do about it.
struct GraphvizError: Error {
    let message: String
}

/// The program `dot`, which decides the places of boxes and lines.
enum Graphviz {
    /// Runs `dot` and returns its layout of a diagram.
    static func layout(of diagram: DotDiagram) throws -> Layout {
        // A file and not a pipe: if `dot` is missing, writing to a pipe without a reader would end this program.
        let question = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).dot")
        try Data(diagram.text.utf8).write(to: question)
        defer { try? FileManager.default.removeItem(at: question) }
        let process = Process()
        let answer = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["dot", "-Tjson0", question.path]
        process.standardOutput = answer
        try process.run()
        let text = answer.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        switch process.terminationStatus {
        case 0: return try JSONDecoder().decode(Layout.self, from: text)
        case 127:
            throw GraphvizError(
                message: "the pictures need Graphviz, and its program 'dot' was not found. Run: make diagrams")
        case let status: throw GraphvizError(message: "'dot' failed with status \(status); its output is above.")
        }
    }
}
