import Foundation

/// What a process of this program does for another one.
enum ChildRole: String {
    static let option = "--child"

    /// Answers GETs with the pages of a feed.
    case feed

    /// Answers whatever comes with the answers of a file, in their order.
    case replay

    /// Runs the reference server.
    case server

    /// Runs a program, and says what time and memory that took.
    case usage

    func run(_ arguments: [String]) async throws {
        switch self {
        case .feed: try FeedChild.run(arguments)
        case .replay: try ReplayChild.run(arguments)
        case .server: try ServerChild.run(arguments)
        case .usage: try UsageChild.run(arguments)
        }
    }

    /// Says a line to the process that started this one.
    static func say(_ line: Any) {
        FileHandle.standardOutput.write(Data("\(line)\n".utf8))
    }
}
