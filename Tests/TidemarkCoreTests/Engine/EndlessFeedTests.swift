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
        self.phone = try Device("phone", seed: 1, clock: self.clock)
    }

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

    @Test func `X6 endless-pages: pages that bring the same row again and again are as good as empty`() throws {
        let count = try self.pages { (Self.item(1), "w\($0)") }
        #expect(count <= 10)
        #expect(self.phone.reports.last?.failure?.failureClass == .protocol)
    }

    @Test func `X6 endless-pages: so are those that bring deletions of what no one knows`() throws {
        let count = try self.pages { (#"{"pk":"\#($0)","updated_at":\#($0),"is_active":false}"#, "w\($0)") }
        #expect(count <= 10)
        #expect(self.phone.reports.last?.failure?.failureClass == .protocol)
    }

    @Test func `X6 endless-pages: so are those that bring again what was set aside since it makes no sense`() throws {
        for _ in 1...3 {
            try self.phone.sync(Meeting.collection)
            try self.phone.answerNext(answerBody(items: Self.oddItem(1)))
        }
        #expect(self.phone.reports.last?.outcome == .held)
        let count = try self.pages { (Self.oddItem(1), "w\($0)") }
        #expect(count <= 10)
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
