import Foundation
import ProcessFigures

/// Runs a program, and prints its CPU time in seconds and its peak memory in MiB.
///
/// It is a separate process, since a program inherits the peak of its parent, and since the kernel adds up all children of
/// a process.
enum UsageChild {
    static func run(_ arguments: [String]) throws {
        guard let program = arguments.first else { throw Unavailable("usage PROGRAM ARGUMENT…") }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = Array(arguments.dropFirst())
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            ChildRole.say("\(arguments.joined(separator: " ")) ended with \(process.terminationStatus)")
            return
        }
        let usage = ResourceUsage.ofChildren
        ChildRole.say(usage.cpu)
        ChildRole.say(usage.peak)
    }

    /// Runs a program as a child of a child.
    static func measure(_ program: URL, _ arguments: [String]) throws -> (cpu: Double, peak: Double) {
        let child = try Child(.usage, [program.path] + arguments)
        defer { child.end() }
        return (try child.lineAsNumber(), try child.lineAsNumber())
    }
}
