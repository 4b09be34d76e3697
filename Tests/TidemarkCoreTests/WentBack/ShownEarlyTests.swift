import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// What an answer shows ahead of the watermark, and what stands in its place in the feed (I1, I6, W8).
@Suite struct ShownEarlyTests {
    let phone: Device

    /// The phone was told of its edit of “early”, by an answer that is remembered (W4) and comes to 9; the edit of the other record
    /// was given up meanwhile, so that the watermark stays at 1.
    init() throws {
        self.phone = try Device("phone", seed: 1, clock: ManualClock())
        try self.phone.sync(Meeting.collection)
        try self.answer([.row("early", 1, #"{"a":1}"#), .row("given up", 1, #"{"a":1}"#)], to: "1")
        for pk in ["early", "given up"] { try self.phone.edit(pk) { $0.b = 2 } }
        try self.phone.sync(Meeting.collection)
        try self.phone.resign("given up")
        let edits = try #require(self.phone.outbox.first).request.uploads
        try self.answer([], to: "9", results: edits.map { $0.accepted(#"{"a":1,"b":2}"#, 2) })
    }

    private func answer(
        _ rows: [FeedPage.Item], to watermark: String, hasMore: Bool = false, results: [UploadResult] = [],
        account: String = "1"
    ) throws {
        let answer = ExchangeAnswer(
            results: results, page: FeedPage(rows), watermark: watermark, hasMore: hasMore, epoch: "1", account: account
        )
        try self.phone.receive(answer, for: self.phone.outbox.removeFirst().token)
    }

    private var asked: [String?] { self.phone.outbox.map(\.request.watermark) }

    /// What another device made of “early” before the server had come to 9, and what came after that.
    private func readToTheEnd() throws {
        #expect(self.asked == ["1"])
        try self.answer([.row("early", 3, #"{"a":1,"b":2,"c":3}"#), .row("later", 10, "{}")], to: "10")
    }

    @Test func `I6 what stands in its place waits until the server was asked from there, and is taken in then`() throws
    {
        try self.readToTheEnd()
        #expect(self.asked == ["9"])
        #expect(try self.phone.view("early") == ["a": 1, "b": 2], "it waits")
        try self.answer([.row("later", 10, "{}")], to: "10")
        #expect(try self.phone.view("early") == ["a": 1, "b": 2, "c": 3])
        #expect(self.phone.reports.last?.outcome == .inStep)
        #expect(try self.phone.journal().allSatisfy { $0.reason != .serverWentBack })
    }

    @Test func `I8 pages of nothing but what waits lead on, and what came after the question is not read twice`() throws
    {
        for stamp in 3...7 {
            try self.answer([.row("early", stamp, #"{"a":1,"b":\#(stamp)}"#)], to: "\(stamp)", hasMore: true)
        }
        try self.answer([.row("later", 10, "{}")], to: "10")
        #expect(self.asked == ["9"])
        try self.answer([.row("later", 10, "{}")], to: "10")
        #expect(self.asked.isEmpty)
        #expect(self.phone.reports.last?.failure == nil && self.phone.reports.last?.watermark == "10")
        #expect(try self.phone.view("early") == ["a": 1, "b": 7], "the newest")
    }

    @Test(arguments: [true, false])
    func `SPEC 3.4 what came while the question was out is asked for`(hasMore: Bool) throws {
        try self.readToTheEnd()
        try self.answer([.row("later", 10, "{}")], to: hasMore ? "10" : "11", hasMore: hasMore)
        #expect(self.asked == ["10"])
        try self.answer([.row("last", 11, "{}")], to: "11")
        #expect(try self.phone.view("last") == [:])
        #expect(self.phone.reports.last?.outcome == .inStep && self.asked.isEmpty)
    }

    @Test func `a question brings nothing that counts`() throws {
        let before = self.phone.progress.last?.received ?? 0
        try self.readToTheEnd()
        try self.answer([.row("later", 10, "{}")], to: "10")
        #expect(self.phone.progress.last?.received == before + 2)
    }

    @Test func `I6 what came of a row since is older no more`() throws {
        try self.answer([.row("early", 3, #"{"a":1,"b":3}"#)], to: "3", hasMore: true)
        // The feed may show again what was shown early: then that is the newest.
        try self.answer([.row("early", 2, #"{"a":1,"b":2}"#)], to: "10")
        try self.answer([], to: "10")
        #expect(try self.phone.view("early") == ["a": 1, "b": 2])
        #expect(try self.phone.store.setting("shown-instead/\(Meeting.collection)") == nil)
    }

    @Test func `I6 what waits is not forgotten by a restart, or by another account that says a history was lost`()
        throws
    {
        try self.readToTheEnd()
        try self.phone.restart()
        try self.phone.sync(Meeting.collection)
        #expect(self.asked == ["9"])
        try self.phone.failNext(RemoteFailure(.historyLost, "It is no watermark of ours."))
        try self.answer([], to: "1", account: "2")
        #expect(self.phone.reports.last?.failure?.failureClass == .identityChanged)
        try self.phone.renew()
        try self.phone.sync(Meeting.collection)
        #expect(self.asked == ["9"])
        try self.answer([.row("later", 10, "{}")], to: "10")
        #expect(try self.phone.view("early") == ["a": 1, "b": 2, "c": 3])
        #expect(self.phone.reports.last?.outcome == .inStep)
    }

    @Test func `I1 where the server knows that place no more, it has lost what it showed`() throws {
        try self.readToTheEnd()
        try self.phone.failNext(RemoteFailure(.historyLost, "It was put back.", serverWentBack: true))
        let rows: [FeedPage.Item] = [
            .row("early", 3, #"{"a":1}"#), .row("given up", 1, #"{"a":1}"#), .row("later", 10, "{}"),
        ]
        try self.answer(rows, to: "10")
        #expect(try self.phone.view("early") == ["a": 1])
        let lost = try self.phone.journal().filter { $0.reason == .serverWentBack }
        #expect(lost.map { "\($0.pk) \($0.path.text)" } == ["early /b"])
        #expect(try lost[0].lostValue?.bytes == Array("2".utf8))
        #expect(self.phone.outbox.isEmpty, "nothing is asked beside the listing")
    }
}
