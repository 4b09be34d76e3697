import TidemarkCore
import TidemarkJSON
import TidemarkMachine

/// Counts the pages that a check reads from one cursor to the end of the feed. It ends a feed without an end by the rules of a
/// sync (I8), and by ``ConformanceLimits``.
struct ConformanceWalk {
    private var walk = FeedProgress<CodePointString>()
    private var pages = 0
    private var emptyPages = 0
    private var rows = 0

    /// Counts the answer to a GET.
    ///
    /// - Parameter cursor: The cursor of the GET.
    /// - Throws: ``ConformanceFailure`` with the limit that the answer exceeds.
    mutating func take(_ answer: ExchangeAnswer, after cursor: String?) throws(ConformanceFailure) {
        self.pages += 1
        self.rows += answer.page.rows.count
        self.emptyPages = answer.page.rows.isEmpty ? self.emptyPages + 1 : 0
        try Self.expect(self.rows, "rows", atMost: ConformanceLimits.rows)
        guard answer.hasMore else { return }
        let (former, next) = (cursor.map { CodePointString($0) }, CodePointString(answer.cursor))
        if let former { self.walk.pass(former) }
        guard former != next, !self.walk.hasPassed(next) else {
            throw ConformanceFailure(
                "the feed", expected: "a new cursor with each page that declares that there are more",
                found: "“\(answer.cursor.cutForEvidence)” again")
        }
        try Self.expect(self.emptyPages, "pages in a row without a row", atMost: ConformanceLimits.emptyPages)
        try Self.expect(self.pages + 1, "pages", atMost: ConformanceLimits.pages)
    }

    /// Checks one answer alone.
    static func check(_ answer: ExchangeAnswer) throws(ConformanceFailure) {
        try Self.expect(answer.page.rows.count, "rows", atMost: ConformanceLimits.rows)
        try Self.expect(answer.page.malformed.count, "malformed items", atMost: ConformanceLimits.rows)
        try Self.expect(answer.results.count, "results", atMost: ConformanceLimits.rows)
        for (name, text) in [("cursor", answer.cursor), ("epoch", answer.epoch), ("account", answer.account)] {
            try Self.expect(text.utf8.count, "bytes of “\(name)”", atMost: ConformanceLimits.cursorSize)
        }
    }

    private static func expect(_ count: Int, _ what: String, atMost limit: Int) throws(ConformanceFailure) {
        guard count > limit else { return }
        throw ConformanceFailure("the feed", expected: "at most \(limit) \(what)", found: "\(count)")
    }
}
