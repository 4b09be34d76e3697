import Foundation
import Synchronization

/// A child process, usually of this program. It reads commands line by line from its standard input, and ends with it. The
/// kernel closes that input when this process ends in any way.
final class Child {
    /// This program.
    static let thisProgram = Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0])

    private static let running = Mutex<[Int32]>([])

    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private var received: [UInt8] = []

    convenience init(_ role: ChildRole, _ arguments: [String] = []) throws {
        try self.init(Self.thisProgram, [ChildRole.option, role.rawValue] + arguments)
    }

    init(_ program: URL, _ arguments: [String]) throws {
        self.process.executableURL = program
        self.process.arguments = arguments
        self.process.standardInput = self.input
        self.process.standardOutput = self.output
        try self.process.run()
        let number = self.process.processIdentifier
        Self.running.withLock { $0.append(number) }
    }

    /// The next line of its output.
    func line() throws -> String {
        while true {
            if let end = self.received.firstIndex(of: UInt8(ascii: "\n")) {
                defer { self.received.removeSubrange(...end) }
                return String(decoding: self.received[..<end], as: UTF8.self)
            }
            let more = self.output.fileHandleForReading.availableData
            guard !more.isEmpty else { throw Unavailable("a process that was started for it has ended early") }
            self.received += more
        }
    }

    /// Sends it a line, and waits for a number.
    func number(_ question: String) throws -> Double {
        try self.input.fileHandleForWriting.write(contentsOf: Data("\(question)\n".utf8))
        return try self.lineAsNumber()
    }

    func lineAsNumber() throws -> Double {
        let line = try self.line()
        guard let number = Double(line) else { throw Unavailable(line) }
        return number
    }

    /// Ends it, and waits until it is gone.
    func end() {
        try? self.input.fileHandleForWriting.close()
        self.process.waitUntilExit()
        let number = self.process.processIdentifier
        Self.running.withLock { $0.removeAll { $0 == number } }
    }

    /// Ends all children that still run.
    static func endAll() {
        for number in Self.running.withLock({ $0 }) { kill(number, SIGTERM) }
    }
}
