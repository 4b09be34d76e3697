import Synchronization
import Testing
import TidemarkCore
import TidemarkMachine
import TidemarkTesting

/// A server whose feed, answers or hints do not end. It accepts every edit.
private final class EndlessRemote: Remote {
    let capabilities = RemoteCapabilities.native

    enum Flood: String, CaseIterable, CustomTestStringConvertible {
        case newRows, newCursors, circle, stillCursor, largePage, largeAnswer, longCursor, hints, heartbeats

        /// The expected words of the evidence.
        var complaint: String {
            switch self {
            case .newRows: "expected at most 200 pages"
            case .newCursors: "expected at most 3 pages in a row without a row"
            case .circle, .stillCursor: "expected a new cursor with each page that declares that there are more"
            case .largePage: "expected at most 1000 rows"
            case .largeAnswer: "expected at most 1000 results"
            case .longCursor: "expected at most 4096 bytes of “cursor”"
            case .hints, .heartbeats: "expected at most 1000 while the check listens"
            }
        }

        var testDescription: String { self.rawValue }
    }

    /// The number of requests for a collection, and of hints, that end a check without its own limit.
    private static let most = (requests: 2_000, hints: 100_000)

    let flood: Flood
    private let counts = Mutex<[String: Int]>([:])

    init(_ flood: Flood) {
        self.flood = flood
    }

    /// Whether a check exceeded these numbers.
    var hadEnough: Bool {
        self.counts.withLock { counts in
            counts.contains { $0.value >= ($0.key == "hints" ? Self.most.hints : Self.most.requests) }
        }
    }

    private func next(_ what: String, of most: Int) throws(RemoteFailure) -> Int {
        let number = self.counts.withLock { counts in
            counts[what, default: 0] += 1
            return counts[what, default: 0]
        }
        guard number < most else { throw RemoteFailure(.offline, "The test has seen enough.") }
        return number
    }

    func exchange(_ request: ExchangeRequest) async throws(RemoteFailure) -> ExchangeAnswer {
        let number = try self.next(request.collection, of: Self.most.requests)
        var results = request.uploads.map { upload in
            UploadResult(
                requestID: upload.requestID, outcome: .accepted(StoredVersion(version: "1", data: Array("{}".utf8))))
        }
        var (page, cursor, hasMore) = (FeedPage.empty, "w", true)
        switch self.flood {
        case .newRows: (page, cursor) = (Self.page(from: number, 1), "w\(number)")
        case .newCursors: cursor = "w\(number)"
        case .circle: (page, cursor) = (Self.page(from: number, 1), "w\(number % 3)")
        case .stillCursor: page = Self.page(from: number, 1)
        case .largePage: (page, hasMore) = (Self.page(from: 0, 5_000), false)
        case .largeAnswer: (results, hasMore) = (Self.results(5_000), false)
        case .longCursor: (cursor, hasMore) = (String(repeating: "w", count: 5_000), false)
        case .hints, .heartbeats: hasMore = false
        }
        return ExchangeAnswer(
            results: results, page: page, cursor: cursor, hasMore: hasMore, epoch: "e", account: "a")
    }

    func hints(
        for collections: [String], onHint: @escaping @Sendable (RemoteHint) -> Void
    ) async throws(RemoteFailure) -> RemoteHint.End {
        guard self.flood == .hints || self.flood == .heartbeats else { return .never }
        onHint(.moved(collection: collections[0], cursor: "w"))
        while !Task.isCancelled {
            let number = try self.next("hints", of: Self.most.hints)
            onHint(self.flood == .hints ? .moved(collection: collections[0], cursor: "w\(number)") : .alive)
            await Task.yield()
        }
        return .ended
    }

    private static func results(_ count: Int) -> [UploadResult] {
        (0..<count).map { UploadResult(requestID: "r\($0)", outcome: .accepted(StoredVersion())) }
    }

    private static func page(from first: Int, _ count: Int) -> FeedPage {
        var bytes: [UInt8] = []
        var rows: [FeedPage.Row] = []
        func add(_ text: String) -> Range<Int> {
            let start = bytes.count
            bytes += text.utf8
            return start..<bytes.count
        }
        for number in first..<(first + count) {
            rows.append(FeedPage.Row(pk: add("\"p\(number)\""), version: add("1"), data: add("{}")))
        }
        return FeedPage(bytes: bytes, rows: rows)
    }
}

@Suite(.timeLimit(.minutes(10))) struct `A conformance check of a remote` {
    @Test(arguments: EndlessRemote.Flood.allCases)
    private func `a check ends an endless feed, and names the exceeded limit`(
        _ flood: EndlessRemote.Flood
    ) async throws {
        let remote = EndlessRemote(flood)
        var reports: [ConformanceReport] = []
        // No time passes, so that a busy machine reaches the limit of hints before the one of time.
        _ = try await RemoteConformance.examine(remote, prefix: "x", time: ManualClock()) { reports.append($0) }
        let complaints = reports.compactMap { report in
            if case .broken(let why) = report.outcome { why } else { nil }
        }
        #expect(complaints.contains { $0.contains(flood.complaint) }, "\(complaints)")
        #expect(!remote.hadEnough)
        #expect(reports.allSatisfy { $0.evidence.count <= 101 })
        #expect(reports.flatMap(\.evidence).allSatisfy { $0.utf8.count <= 1_100 })
        #expect(complaints.allSatisfy { $0.utf8.count <= 3_000 })
    }
}
