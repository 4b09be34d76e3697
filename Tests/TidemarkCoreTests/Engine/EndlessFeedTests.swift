import TestSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkTesting
import Testing

/// A feed that never comes to its end is not followed for ever (I8, SPEC §3.7).
@Suite struct EndlessFeedTests {
    let clock = ManualClock()
    let phone: Device

    init() throws {
        var configuration = SyncConfiguration()
        configuration.limits.knownRows = Self.knownRows
        self.phone = try Device("phone", seed: 1, clock: self.clock, configuration: configuration)
    }

    private static let knownRows = 20

    private static func item(_ version: Int) -> String {
        #"{"pk":"42","updated_at":\#(version),"is_active":true,"data":{}}"#
    }

    private static func oddItem(_ pk: Int) -> String {
        #"{"pk":"\#(pk)","updated_at":1,"is_active":true,"data":7}"#
    }

    /// Answers until the phone asks no more.
    ///
    /// - Parameter answer: The items and the watermark of each page, from 1 on.
    /// - Returns: How many pages it took.
    private func pages(_ answer: (Int) -> (items: String, watermark: String)) throws -> Int {
        try self.phone.sync(Meeting.collection)
        var count = 0
        while !self.phone.outbox.isEmpty {
            count += 1
            guard count < 2_000 else { return count }
            let page = answer(count)
            try self.phone.answerNext(
                answerBody(items: page.items, watermark: #""\#(page.watermark)""#, more: "true"))
        }
        return count
    }

    @Test func `X6 endless-pages: pages without an item, each with another watermark, are a failure after a few`()
        throws
    {
        let count = try self.pages { ("", "w\($0)") }
        #expect(count <= 10)
        #expect(self.phone.reports.last?.outcome == .unreachable)
        #expect(self.phone.reports.last?.failure?.failureClass == .protocol)
        #expect(self.phone.reports.last?.nextTry != nil)
    }

    @Test(arguments: [1, 2, 7])
    func `known rows behind ever new watermarks are a failure at a bound (X6, I8)`(page: Int) throws {
        let rows = (1...page).map { #"{"pk":"\#($0)","updated_at":1,"is_active":true,"data":{}}"# }
        let count = try self.pages { (rows.joined(separator: ","), "w\($0)") }
        // The first page is news.
        #expect(count == 1 + (page + Self.knownRows) / page + 1)
        #expect(self.phone.reports.last?.failure?.failureClass == .protocol)
        #expect(self.phone.reports.last?.watermark == "w\(count)")
        let message = try #require(self.phone.reports.last?.failure?.message)
        #expect(message.contains("“notes”"), "\(message)")
        #expect(message.contains("There are \(page) records here"), "\(message)")
        #expect(message.contains("\((count - 1) * page) rows that are stored here already"), "\(message)")
        #expect(message.contains("SyncLimits.knownRows"), "\(message)")
    }

    @Test func `a full resync of known rows without an end is a failure, too (X6, I8)`() throws {
        try self.phone.sync(Meeting.collection)
        try self.phone.answerNext(answerBody(items: Self.item(1)))
        try self.phone.sync(Meeting.collection)
        try self.phone.failNext(RemoteFailure(.historyLost, "410"))
        let count = try self.pages { (Self.item(1), "w\($0)") }
        #expect(count == 1 + Self.knownRows + 1)
        #expect(self.phone.reports.last?.failure?.failureClass == .protocol)
    }

    @Test func `deletions of what is not here are new rows, and are followed (X6, I8)`() throws {
        try self.phone.sync(Meeting.collection)
        for number in 1...5 * Self.knownRows {
            try self.phone.answerNext(
                answerBody(
                    items: #"{"pk":"\#(number)","updated_at":\#(number),"is_active":false}"#,
                    watermark: #""w\#(number)""#, more: "true"))
        }
        try self.phone.answerNext(answerBody(items: "", watermark: #""w""#))
        #expect(self.phone.reports.last?.outcome == .inStep)
    }

    @Test func `X6 endless-pages: what was set aside since it makes no sense counts as a known row`() throws {
        for _ in 1...3 {
            try self.phone.sync(Meeting.collection)
            try self.phone.answerNext(answerBody(items: Self.oddItem(1)))
        }
        #expect(self.phone.reports.last?.outcome == .held)
        let count = try self.pages { (Self.oddItem(1), "w\($0)") }
        #expect(count == Self.knownRows + 1)
        #expect(self.phone.reports.last?.failure?.failureClass == .protocol)
    }

    @Test(arguments: [2, 3, 50, 400])
    func `X6 endless-pages: a watermark that comes again is a failure, however long the way round`(length: Int) throws {
        let count = try self.pages { (Self.item($0), "w\($0 % length)") }
        #expect(count <= 3 * length)
        #expect(self.phone.reports.last?.failure?.failureClass == .protocol)
    }

    @Test func `X6 endless-pages: a few pages without an item are taken, when the feed goes on after them`() throws {
        try self.phone.sync(Meeting.collection)
        for number in 1...12 {
            try self.phone.answerNext(
                answerBody(
                    items: number.isMultiple(of: 3) ? Self.item(number) : "", watermark: #""w\#(number)""#,
                    more: "true"))
        }
        try self.phone.answerNext(answerBody(items: "", watermark: #""w99""#))
        #expect(self.phone.reports.last?.outcome == .inStep)
        #expect(self.phone.reports.last?.watermark == "w99")
    }

    @Test func `X6 the wait grows while the feed goes round in a circle`() throws {
        var longest = Duration.zero
        for _ in 1...12 {
            _ = try self.pages { (Self.item(1), "w\($0 % 2)") }
            longest = max(longest, try #require(self.phone.reports.last?.nextTry) - self.clock.now)
        }
        #expect(longest > .seconds(10))
    }

    @Test func `X6 the wait grows while each page brings nothing but what makes no sense`() throws {
        var longest = Duration.zero
        for _ in 1...30 {
            try self.phone.sync(Meeting.collection)
            while let sent = self.phone.outbox.first {
                let number = sent.request.watermark.flatMap { Int($0) } ?? 0
                try self.phone.answerNext(
                    answerBody(items: Self.oddItem(number), watermark: #""\#(number + 1)""#, more: "true"))
            }
            longest = max(longest, try #require(self.phone.reports.last?.nextTry) - self.clock.now)
        }
        #expect(longest > .seconds(10))
    }
}
