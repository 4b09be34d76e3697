import TestSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// What the first system of this kind got wrong about answers.
@Suite struct FirstSystemAnswerTests {
    let clock = ManualClock()

    private func device(_ configuration: SyncConfiguration = SyncConfiguration()) throws -> Device {
        try Device("phone", seed: 1, clock: self.clock, configuration: configuration)
    }

    private static func row(_ pk: String, _ stamp: Int, _ data: String = "{}") -> String {
        #"{"pk":"\#(pk)","updated_at":\#(stamp),"is_active":true,"data":\#(data)}"#
    }

    @Test func `false-is-not-true-because-it-is-there: an edit that is not conflicted is done`() throws {
        let phone = try self.device()
        try phone.create(["n": 1], pk: "a")
        try phone.sync(Meeting.collection)
        let edit = try JSON(parsing: try #require(phone.outbox.first?.request.frozen.first))
        let id = try #require(edit["request_id"]?.text)
        let result =
            #"{"request_id":\#(id),"pk":"a","is_conflicted":false,"item":\#(Self.row("a", 5, #"{"n":1}"#)),"error":null}"#
        try phone.answerNext(answerBody(results: result))
        #expect(try phone.phase("a") == .synced)
        #expect(!phone.events("a").contains(.clashed))
    }

    @Test func `strict-less-than-skips-equal-stamps: rows of one stamp on two pages are both there`() throws {
        let phone = try self.device()
        try phone.sync(Meeting.collection)
        try phone.answerNext(
            answerBody(items: [Self.row("a", 5), Self.row("b", 5)].joined(separator: ","), more: "true"))
        try phone.answerNext(
            answerBody(items: [Self.row("c", 5), Self.row("d", 4)].joined(separator: ","), watermark: #""w3""#))
        for pk in ["a", "b", "c", "d"] { #expect(try phone.phase(pk) == .synced, "\(pk)") }
        #expect(phone.reports.last?.watermark == "w3")
    }

    @Test func `401-taken-for-success: not even when its body looks like one`() throws {
        let phone = try self.device()
        try phone.create(["n": 1], pk: "a")
        try phone.sync(Meeting.collection)
        let sent = try phone.answerNext(
            answerBody(results: "", items: Self.row("b", 5)), status: 401,
            headers: ["WWW-Authenticate": "Bearer", "Content-Type": "application/json"])
        #expect(phone.reports.last?.outcome == .unauthorised)
        #expect(try phone.phase("b") == .absent)
        #expect(try phone.phase("a") == .created(.unconfirmed))
        #expect(try phone.snapshot("a")?.raw.upload?.edit == sent.request.frozen.first)
    }

    @Test(arguments: [200, 201, 202, 204, 304, 404, 500])
    func `empty-body-crashes: it does not, and nothing is taken from it`(status: Int) throws {
        let phone = try self.device()
        try phone.sync(Meeting.collection)
        try phone.answerNext(answerBody(items: Self.row("b", 5)))
        try phone.edit("b") { $0.n = 1 }
        try phone.create(["n": 1], pk: "a")
        try phone.sync(Meeting.collection)
        try phone.answerNext("", status: status)
        #expect(try phone.view("b") == ["n": 1])
        #expect(try phone.view("a") == ["n": 1])
        #expect(phone.reports.last?.pushed == [])
        #expect(phone.reports.last?.watermark == "w2")
    }

    @Test func `half-a-page-committed: a store that fails anywhere in a page keeps all of it or nothing`() throws {
        let page = answerBody(items: (1...5).map { Self.row("r\($0)", $0) }.joined(separator: ","))
        let whole = try self.device()
        try whole.sync(Meeting.collection)
        let before = whole.store.writes
        try whole.answerNext(page)
        for write in 0..<(whole.store.writes - before) {
            let phone = try self.device()
            try phone.sync(Meeting.collection)
            phone.store.failNextWrite(after: write, with: TidemarkError(.storeFull, "The disk is full."))
            #expect(throws: TidemarkError.self, "write \(write)") { try phone.answerNext(page) }
            try phone.restart()
            for number in 1...5 { #expect(try phone.phase("r\(number)") == .absent, "write \(write)") }
            try phone.sync(Meeting.collection)
            #expect(phone.outbox.first?.request.watermark == nil, "write \(write)")
            try phone.answerNext(page)
            for number in 1...5 { #expect(try phone.phase("r\(number)") == .synced, "write \(write)") }
        }
    }

    @Test func `take-server-loops: one conflict is settled once, though the server moves on`() throws {
        let meeting = try Meeting(configuration: SyncConfiguration(rules: .init(tactic: .takeServer)))
        try meeting.phone.create(["title": "Milk"], pk: "42")
        try meeting.settle()
        try meeting.phone.edit("42") { $0.title = "Oat milk" }
        try meeting.tablet.edit("42") { $0.title = "Soy milk" }
        try meeting.sync(meeting.tablet)
        try meeting.phone.sync(Meeting.collection)
        try meeting.tablet.edit("42") { $0.title = "Rice milk" }
        try meeting.sync(meeting.tablet)
        try meeting.carry(meeting.phone)
        #expect((meeting.phone.reports.last?.requests ?? 99) <= 2)
        #expect(try meeting.phone.view("42") == ["title": "Rice milk"])
        #expect(try meeting.phone.phase("42") == .synced)
        #expect(try meeting.phone.journal().map(\.raw.value) == [Array(#""Oat milk""#.utf8)])
    }
}

/// A record that was made and given up leaves nothing behind, wherever it stood.
@Suite struct FirstSystemGhostTests {
    enum Moment: CaseIterable {
        case idle
        case uploading
        case lostRequest
        case lostAnswer
        case restarted
        case held
    }

    @Test(arguments: Moment.allCases)
    func `resign-leaves-a-ghost: I11 a create that is given up is nowhere in the end`(moment: Moment) throws {
        let meeting = try Meeting()
        try meeting.phone.create(["n": 1], pk: "ghost")
        if moment != .idle { try meeting.phone.sync(Meeting.collection) }
        switch moment {
        case .idle, .uploading: break
        case .lostRequest: try meeting.phone.failNext(RemoteFailure(.offline, "lost"))
        case .lostAnswer: try meeting.loseAnswer(meeting.phone)
        case .restarted:
            for ghost in try meeting.phone.restart() { _ = try meeting.remote.exchangeNow(ghost.request) }
        case .held: try meeting.phone.failNext(RemoteFailure(.refused, "forbidden"))
        }
        try meeting.sync(meeting.tablet)
        try meeting.phone.resign("ghost")
        try meeting.carry(meeting.phone)
        try meeting.settle()
        #expect(try meeting.onServer("ghost") == nil)
        try meeting.expectAgreement("ghost")
        #expect(try meeting.phone.journal().last?.raw.value == Array(#"{"n":1}"#.utf8), "it can be brought back")
    }
}
