import Foundation
import Testing

/// The tool at a terminal: a test reads the screen and types.
final class PseudoTerminal {
    private let process = Process()
    private let ours: Int32
    private let output: URL
    private var screen = ""

    /// Starts the tool with input and messages on a terminal, and its result in a file.
    ///
    /// - Parameters:
    ///   - showsResult: Whether the result also goes to the terminal.
    ///   - columns: The width of the terminal; 0 if it is unknown.
    init(_ words: [String], in folder: URL, showsResult: Bool = false, columns: UInt16 = 0) throws {
        var (ours, theirs): (Int32, Int32) = (-1, -1)
        var size = winsize()
        size.ws_col = columns
        try #require(openpty(&ours, &theirs, nil, nil, &size) == 0)
        self.ours = ours
        // Otherwise another tool that is started meanwhile would keep the terminal open.
        for descriptor in [ours, theirs] { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        defer { close(theirs) }
        self.output = folder.appendingPathComponent("\(UUID().uuidString).out")
        try Data().write(to: self.output)
        self.process.executableURL = try Workshop.tool()
        self.process.arguments = words
        self.process.currentDirectoryURL = folder
        self.process.standardInput = FileHandle(fileDescriptor: theirs)
        self.process.standardError = FileHandle(fileDescriptor: theirs)
        self.process.standardOutput =
            showsResult ? FileHandle(fileDescriptor: theirs) : try FileHandle(forWritingTo: self.output)
        try self.process.run()
    }

    deinit {
        if self.process.isRunning { kill(self.process.processIdentifier, SIGKILL) }
        close(self.ours)
    }

    /// Waits for a question, types a line, and returns the screen before it.
    @discardableResult
    func type(_ line: String, at question: String) throws -> String {
        while !self.screen.contains(question) {
            try #require(self.read(), "\"\(question)\" was never asked: \(self.screen)")
        }
        let seen = self.screen
        self.screen = ""
        let bytes = Array("\(line)\n".utf8)
        try #require(write(self.ours, bytes, bytes.count) == bytes.count)
        return seen
    }

    /// Waits for the end.
    func finish() throws -> ToolRun {
        while self.read() {}
        self.process.waitUntilExit()
        let output = String(decoding: try Data(contentsOf: self.output), as: UTF8.self)
        return ToolRun(status: self.process.terminationStatus, output: output, errors: self.screen)
    }

    /// Reads the next output; false after the tool has closed the terminal.
    private func read() -> Bool {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = Foundation.read(self.ours, &bytes, bytes.count)
        guard count > 0 else { return false }
        self.screen += String(decoding: bytes[..<count], as: UTF8.self)
        return true
    }
}
