import Foundation

/// The task of a child process of this program.
enum ChildRole: String {
    static let option = "--child"

    /// Answers GETs with the pages of a feed.
    case feed

    /// Answers each request with the next answer of a file.
    case replay

    /// Runs the reference server.
    case server

    /// Runs a program, and prints its CPU time and peak memory.
    case usage

    func run(_ arguments: [String]) async throws {
        switch self {
        case .feed: try FeedChild.run(arguments)
        case .replay: try ReplayChild.run(arguments)
        case .server: try ServerChild.run(arguments)
        case .usage: try UsageChild.run(arguments)
        }
    }

    /// Prints a line for the parent process.
    static func say(_ line: Any) {
        FileHandle.standardOutput.write(Data("\(line)\n".utf8))
    }
}
