import CoreSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// The newest cursor that a client received: stored if the cursor does not move, and named in each request (I1, W8).
@Suite struct NewestCursorTests {
    let phone: Device

    /// The server accepted the phone's edit of “taken” in an answer whose cursor is 9. The phone resigned the edit of the other
    /// record meanwhile, so the cursor stays at 1.
    init() throws {
        self.phone = try Device("phone", seed: 1, clock: ManualClock())
        try self.phone.sync(SyncScenario.collection)
        try self.answer([.row("taken", 1, #"{"a":1}"#), .row("given up", 1, #"{"a":1}"#)], to: "1")
        for pk in ["taken", "given up"] { try self.phone.edit(pk) { $0.b = 2 } }
        try self.phone.sync(SyncScenario.collection)
        try self.phone.resign("given up")
        let edits = try #require(self.phone.outbox.first).request.uploads
        try self.answer([], to: "9", results: edits.map { $0.accepted(#"{"a":1,"b":2}"#, 2) })
    }

    private func answer(
        _ rows: [FeedPage.Item], to cursor: String, hasMore: Bool = false, results: [UploadResult] = [],
        account: String = "1"
    ) throws {
        let answer = ExchangeAnswer(
            results: results, page: FeedPage(rows), cursor: cursor, hasMore: hasMore, epoch: "1", account: account
        )
        try self.phone.receive(answer, for: self.phone.outbox.removeFirst().token)
    }

    private func lose(_ failure: RemoteFailure) throws { try self.phone.failNext(failure) }

    /// The cursor and `seen`, the newest cursor, of each pending request.
    private var asked: [[String?]] { self.phone.outbox.map { [$0.request.cursor, $0.request.seen] } }

    private var lost: [String] {
        get throws {
            try self.phone.journal().filter { $0.reason == .serverRolledBack }.map { "\($0.pk) \($0.path.text)" }
        }
    }

    @Test func `a request names the newest cursor until the cursor has moved (W8)`() throws {
        #expect(self.asked == [["1", "9"]])
        try self.answer([.row("taken", 2, #"{"a":1,"b":2}"#)], to: "5", hasMore: true)
        #expect(self.asked == [["5", nil]], "the server has checked 9, and has handed out 5 after that")
        try self.answer([], to: "9")
        #expect(self.phone.reports.last?.outcome == .inSync)
    }

    @Test func `the newest cursor survives a restart, and is sent with an edit (W8)`() throws {
        try self.phone.restart()
        try self.phone.edit("taken") { $0.c = 3 }
        try self.phone.sync(SyncScenario.collection)
        #expect(self.asked == [["1", "9"]])
        #expect(self.phone.outbox.first?.request.uploads.count == 1, "no GET is needed before")
    }

    @Test func `rows that came with the newest cursor are lost if the server refuses it (I1)`() throws {
        try self.lose(RemoteFailure(.historyLost, "It was rolled back.", serverRolledBack: true))
        #expect(self.asked == [[nil, nil]])
        try self.answer([.row("taken", 1, #"{"a":1}"#), .row("given up", 1, #"{"a":1}"#)], to: "1")
        #expect(try self.phone.view("taken") == ["a": 1])
        #expect(try self.lost == ["taken /b"])
    }

    @Test func `the request for the first page of a full resync names the newest cursor (I1)`() throws {
        try self.lose(RemoteFailure(.historyLost, "The cursor is too old."))
        #expect(self.asked == [[nil, "9"]])
        try self.answer([.row("taken", 2, #"{"a":1,"b":2}"#)], to: "10")
        #expect(try self.lost == [])
        #expect(try self.phone.phase("given up") == .absent, "it was deleted")
    }

    @Test(arguments: [true, false])
    func `a rollback before the first page of a full resync is noticed (I1)`(isSaid: Bool) throws {
        try self.lose(RemoteFailure(.historyLost, "The cursor is too old."))
        // No rows are read from the newest cursor, so its age can't be the reason.
        try self.lose(RemoteFailure(.historyLost, "It was rolled back.", serverRolledBack: isSaid))
        #expect(self.asked == [[nil, nil]])
        try self.answer([.row("taken", 1, #"{"a":1}"#)], to: "1")
        #expect(try Set(self.lost) == ["taken /b", "given up "])
    }

    @Test func `a full resync names the cursor if it was the newest cursor (I1)`() throws {
        try self.answer([], to: "10")
        try self.phone.sync(SyncScenario.collection)
        try self.lose(RemoteFailure(.historyLost, "The cursor is too old."))
        #expect(self.asked == [[nil, "10"]])
    }

    @Test func `another account that refuses the newest cursor changes nothing (I1)`() throws {
        for serverRolledBack in [false, true] {
            try self.lose(RemoteFailure(.historyLost, "Not one of ours.", serverRolledBack: serverRolledBack))
            try self.answer([], to: "1", account: "2")
            #expect(self.phone.reports.last?.failure?.failureClass == .identityChanged)
            _ = try self.phone.renew()
            try self.phone.sync(SyncScenario.collection)
            #expect(self.asked == [["1", "9"]])
        }
    }

    @Test(arguments: ["12", ""])
    func `a cursor in a failed answer is the newest unless it is empty (W8)`(token: String) throws {
        try self.phone.edit("taken") { $0.c = 3 }
        try self.answer([], to: "9")
        let sent = self.phone.outbox.removeFirst()
        var answer = ExchangeAnswer(
            results: [sent.request.uploads[0].accepted(#"{"a":1,"b":2,"c":3}"#, 12)], cursor: token, epoch: "1",
            account: "1")
        answer.failure = RemoteFailure(.offline, "It broke off.")
        try self.phone.receive(answer, for: sent.token)
        try self.phone.sync(SyncScenario.collection)
        #expect(self.asked == [["9", token.isEmpty ? nil : "12"]])
    }

    @Test func `a malformed page does not move the cursor, and has the newest cursor (Contract §3.5)`() throws {
        let page = FeedPage(bytes: [], rows: [], malformed: [QuarantinedItem(pk: "odd", reason: "no version")])
        let answer = ExchangeAnswer(page: page, cursor: "11", epoch: "1", account: "1")
        try self.phone.receive(answer, for: self.phone.outbox.removeFirst().token)
        try self.phone.sync(SyncScenario.collection)
        #expect(self.asked == [["1", "11"]])
    }
}
