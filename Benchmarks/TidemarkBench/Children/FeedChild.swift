import Foundation
import TidemarkWire

/// Answers GETs with the pages of a feed, from `BENCH_DATA` or from the seed.
enum FeedChild {
    static func run(_ arguments: [String]) throws {
        guard arguments.count == 2, let rows = Int(arguments[0]), let size = Int(arguments[1]) else {
            throw Unavailable("feed ROWS PAGE")
        }
        let feed = try FeedData(rows: rows, pageSize: size, file: FeedChild.file)
        let pages = feed.pages
        let places = Dictionary(
            zip(feed.marks.map { Self.cursor(in: WireRequest(feed.request(after: $0)).target) }, pages.indices),
            uniquingKeysWith: { first, _ in first })
        let server = try CannedAnswers { target, _ in pages[places[Self.cursor(in: target)] ?? 0] }
        ChildRole.say(server.port)
        while readLine() != nil {}
    }

    /// The pages of `BENCH_DATA`; nil without it.
    static var file: [UInt8]? {
        guard let folder = ProcessInfo.processInfo.environment["BENCH_DATA"], !folder.isEmpty else { return nil }
        let url = URL(fileURLWithPath: folder).appendingPathComponent("pages.ndjson")
        return (try? Data(contentsOf: url)).map { [UInt8]($0) }
    }

    /// The percent-encoded cursor in a target; empty for a target without a cursor.
    private static func cursor(in target: String) -> String {
        let query = target.split(separator: "?").dropFirst().first ?? ""
        let word = query.split(separator: "&").first { $0.hasPrefix("max_updated_at=") }
        return String(word?.dropFirst("max_updated_at=".count) ?? "")
    }
}
