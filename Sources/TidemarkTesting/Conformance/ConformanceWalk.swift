import TidemarkCore
import TidemarkJSON
import TidemarkMachine

/// The pages that a check reads from one watermark to the end of the feed. It gives up on a feed without an end by the rules
/// of a sync (I8), and by ``ConformanceLimits``.
struct ConformanceWalk {
    private var walk = FeedWalk<CodePointString>()
    private var pages = 0
    private var emptyPages = 0
    private var rows = 0

    /// Counts the answer to a GET.
    ///
    /// - Parameter watermark: What the GET named.
    /// - Throws: ``ConformanceFailure`` naming the limit that the answer is beyond.
    mutating func take(_ answer: ExchangeAnswer, after watermark: String?) throws(ConformanceFailure) {
        self.pages += 1
        self.rows += answer.page.rows.count
        self.emptyPages = answer.page.rows.isEmpty ? self.emptyPages + 1 : 0
        try Self.expect(self.rows, "rows", atMost: ConformanceLimits.rows)
        guard answer.hasMore else { return }
        if let watermark { self.walk.pass(CodePointString(watermark)) }
        guard !self.walk.hasPassed(CodePointString(answer.watermark)) else {
            throw ConformanceFailure(
                "the feed", expected: "a new watermark with each page that says that there are more",
                found: "“\(answer.watermark.cutForEvidence)” again")
        }
        try Self.expect(self.emptyPages, "pages in a row without a row", atMost: ConformanceLimits.emptyPages)
        try Self.expect(self.pages + 1, "pages", atMost: ConformanceLimits.pages)
    }

    /// Checks one answer by itself.
    static func check(_ answer: ExchangeAnswer) throws(ConformanceFailure) {
        try Self.expect(answer.page.rows.count, "rows", atMost: ConformanceLimits.rows)
        try Self.expect(answer.page.malformed.count, "malformed items", atMost: ConformanceLimits.rows)
        try Self.expect(answer.results.count, "results", atMost: ConformanceLimits.rows)
        for (name, text) in [("watermark", answer.watermark), ("epoch", answer.epoch), ("account", answer.account)] {
            try Self.expect(text.utf8.count, "bytes of “\(name)”", atMost: ConformanceLimits.watermarkSize)
        }
    }

    private static func expect(_ count: Int, _ what: String, atMost limit: Int) throws(ConformanceFailure) {
        guard count > limit else { return }
        throw ConformanceFailure("the feed", expected: "at most \(limit) \(what)", found: "\(count)")
    }
}
