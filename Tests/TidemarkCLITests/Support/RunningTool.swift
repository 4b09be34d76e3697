import Foundation
import TestSupport
import Testing

/// A running tool. Its output goes to files, so that it never waits for a reader.
final class RunningTool {
    private let process = Process()
    private let output: URL
    private let errors: URL

    init(_ tool: URL, _ words: [String], in folder: URL, input: String) throws {
        let name = UUID().uuidString
        self.output = folder.appendingPathComponent("\(name).out")
        self.errors = folder.appendingPathComponent("\(name).err")
        let source = folder.appendingPathComponent("\(name).in")
        try Data(input.utf8).write(to: source)
        for url in [self.output, self.errors] { try Data().write(to: url) }
        self.process.executableURL = tool
        self.process.arguments = words
        self.process.currentDirectoryURL = folder
        self.process.standardInput = try FileHandle(forReadingFrom: source)
        self.process.standardOutput = try FileHandle(forWritingTo: self.output)
        self.process.standardError = try FileHandle(forWritingTo: self.errors)
        try self.process.run()
    }

    var isRunning: Bool { self.process.isRunning }

    /// The first line of the result, as soon as it is printed; nil if the tool ends without one.
    func firstLine() -> String? { self.line { _ in true } }

    /// The first printed line that matches, as soon as it is printed; nil if the tool ends without one.
    func line(ofErrors isOfErrors: Bool = false, where isMeant: (String) -> Bool) -> String? {
        var line: String?
        blockUntil("the tool prints the line") {
            let isOver = !self.process.isRunning
            let text = (try? String(contentsOf: isOfErrors ? self.errors : self.output, encoding: .utf8)) ?? ""
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
            line = lines.first(where: isMeant)
            return line != nil || isOver
        } seeing: {
            (try? String(contentsOf: isOfErrors ? self.errors : self.output, encoding: .utf8)) ?? ""
        }
        return line
    }

    /// Waits for the end.
    func finish() throws -> ToolRun {
        self.process.waitUntilExit()
        return ToolRun(
            status: self.process.terminationStatus,
            output: String(decoding: try Data(contentsOf: self.output), as: UTF8.self),
            errors: String(decoding: try Data(contentsOf: self.errors), as: UTF8.self))
    }

    /// Sends a stop signal, and waits for the end.
    func stop(with signal: Int32 = SIGTERM) throws -> ToolRun {
        Foundation.kill(self.process.processIdentifier, signal)
        return try self.finish()
    }

    /// Sends a signal, and does not wait.
    func signal(_ number: Int32) {
        Foundation.kill(self.process.processIdentifier, number)
    }

    /// Kills the tool, as a power cut does.
    func kill() {
        guard self.process.isRunning else { return }
        Foundation.kill(self.process.processIdentifier, SIGKILL)
        self.process.waitUntilExit()
    }
}
