import Synchronization
import Testing
import TidemarkCore
import TidemarkMachine
import TidemarkTesting

/// A server whose feed, answers or hints do not end. It takes every edit.
private final class EndlessRemote: Remote {
    enum Flood: String, CaseIterable, CustomTestStringConvertible {
        case newRows, newWatermarks, circle, stillWatermark, largePage, largeAnswer, longWatermark, hints, heartbeats

        /// What the evidence says about it.
        var complaint: String {
            switch self {
            case .newRows: "expected at most 200 pages"
            case .newWatermarks: "expected at most 3 pages in a row without a row"
            case .circle, .stillWatermark: "expected a new watermark with each page that says that there are more"
            case .largePage: "expected at most 1000 rows"
            case .largeAnswer: "expected at most 1000 results"
            case .longWatermark: "expected at most 4096 bytes of “watermark”"
            case .hints, .heartbeats: "expected at most 1000 while the check listens"
            }
        }

        var testDescription: String { self.rawValue }
    }

    /// How many requests about a collection, and how many hints, end a check that has no limit of its own.
    private static let most = (requests: 2_000, hints: 100_000)

    let flood: Flood
    private let counts = Mutex<[String: Int]>([:])

    init(_ flood: Flood) {
        self.flood = flood
    }

    /// Whether a check would have gone on.
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
                requestID: upload.requestID, outcome: .accepted(StoredVersion(stamp: "1", data: Array("{}".utf8))))
        }
        var (page, watermark, hasMore) = (FeedPage.empty, "w", true)
        switch self.flood {
        case .newRows: (page, watermark) = (Self.page(from: number, 1), "w\(number)")
        case .newWatermarks: watermark = "w\(number)"
        case .circle: (page, watermark) = (Self.page(from: number, 1), "w\(number % 3)")
        case .stillWatermark: page = Self.page(from: number, 1)
        case .largePage: (page, hasMore) = (Self.page(from: 0, 5_000), false)
        case .largeAnswer: (results, hasMore) = (Self.results(5_000), false)
        case .longWatermark: (watermark, hasMore) = (String(repeating: "w", count: 5_000), false)
        case .hints, .heartbeats: hasMore = false
        }
        return ExchangeAnswer(
            results: results, page: page, watermark: watermark, hasMore: hasMore, epoch: "e", account: "a")
    }

    func hints(
        for collections: [String], hear: @escaping @Sendable (RemoteHint) -> Void
    ) async throws(RemoteFailure) -> HintsEnd {
        guard self.flood == .hints || self.flood == .heartbeats else { return .never }
        hear(.moved(collection: collections[0], watermark: "w"))
        while !Task.isCancelled {
            let number = try self.next("hints", of: Self.most.hints)
            hear(self.flood == .hints ? .moved(collection: collections[0], watermark: "w\(number)") : .alive)
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
            rows.append(FeedPage.Row(pk: add("\"p\(number)\""), stamp: add("1"), data: add("{}")))
        }
        return FeedPage(bytes: bytes, rows: rows)
    }
}

@Suite(.timeLimit(.minutes(2))) struct `A check of a remote` {
    @Test(arguments: EndlessRemote.Flood.allCases)
    private func `conform-without-bounds: ends whatever the server sends, and says which limit`(
        _ flood: EndlessRemote.Flood
    ) async throws {
        let remote = EndlessRemote(flood)
        var reports: [ConformanceReport] = []
        _ = try await RemoteConformance.examine(remote, prefix: "x") { reports.append($0) }
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
