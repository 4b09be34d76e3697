import Foundation
import TidemarkDiagrams

/// Why `dot` laid nothing out, and what to do about it.
struct GraphvizError: Error {
    let message: String
}

/// The program `dot`, which decides where boxes and lines go.
enum Graphviz {
    /// Asks `dot` where everything of a drawing goes.
    static func layout(of diagram: DotDiagram) throws -> Layout {
        // In a file, not through a pipe: where there is no `dot`, nobody reads, and writing would end this program.
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
        case let status: throw GraphvizError(message: "'dot' failed with status \(status); what it said is above.")
        }
    }
}
