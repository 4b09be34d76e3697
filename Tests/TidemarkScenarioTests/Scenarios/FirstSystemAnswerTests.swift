import CoreSupport
import TestSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// Mistakes of the first system of this kind with answers.
@Suite struct FirstSystemAnswerTests {
    let clock = ManualClock()

    private func device(_ configuration: SyncConfiguration = SyncConfiguration()) throws -> Device {
        try Device("phone", seed: 1, clock: self.clock, configuration: configuration)
    }

    private static func row(_ pk: String, _ version: Int, _ data: String = "{}") -> String {
        #"{"pk":"\#(pk)","updated_at":\#(version),"is_active":true,"data":\#(data)}"#
    }

    @Test func `false-is-not-true-because-it-is-there: is_conflicted false means accepted`() throws {
        let phone = try self.device()
        try phone.create(["n": 1], pk: "a")
        try phone.sync(SyncScenario.collection)
        let edit = try JSON(parsing: try #require(phone.outbox.first?.request.encodedEdit.first))
        let id = try #require(edit["request_id"]?.text)
        let result =
            #"{"request_id":\#(id),"pk":"a","is_conflicted":false,"item":\#(Self.row("a", 5, #"{"n":1}"#)),"error":null}"#
        try phone.answerNext(answerBody(results: result))
        #expect(try phone.phase("a") == .synced)
        #expect(!phone.events("a").contains(.clashed))
    }

    @Test func `strict-less-than-skips-equal-versions: equal versions on two pages are both read`() throws {
        let phone = try self.device()
        try phone.sync(SyncScenario.collection)
        try phone.answerNext(
            answerBody(items: [Self.row("a", 5), Self.row("b", 5)].joined(separator: ","), more: "true"))
        try phone.answerNext(
            answerBody(items: [Self.row("c", 5), Self.row("d", 4)].joined(separator: ","), cursor: #""w3""#))
        for pk in ["a", "b", "c", "d"] { #expect(try phone.phase(pk) == .synced, "\(pk)") }
        #expect(phone.reports.last?.cursor == "w3")
    }

    @Test func `401-taken-for-success: a 401 with the body of a success is a failure`() throws {
        let phone = try self.device()
        try phone.create(["n": 1], pk: "a")
        try phone.sync(SyncScenario.collection)
        let sent = try phone.answerNext(
            answerBody(results: "", items: Self.row("b", 5)), status: 401,
            headers: ["WWW-Authenticate": "Bearer", "Content-Type": "application/json"])
        #expect(phone.reports.last?.outcome == .unauthorized)
        #expect(try phone.phase("b") == .absent)
        #expect(try phone.phase("a") == .created(.unconfirmed))
        #expect(try phone.snapshot("a")?.raw.upload?.edit == sent.request.encodedEdit.first)
    }

    @Test(arguments: [200, 201, 202, 204, 304, 404, 500])
    func `empty-body-crashes: an empty body neither crashes nor changes anything`(status: Int) throws {
        let phone = try self.device()
        try phone.sync(SyncScenario.collection)
        try phone.answerNext(answerBody(items: Self.row("b", 5)))
        try phone.edit("b") { $0.n = 1 }
        try phone.create(["n": 1], pk: "a")
        try phone.sync(SyncScenario.collection)
        try phone.answerNext("", status: status)
        #expect(try phone.view("b") == ["n": 1])
        #expect(try phone.view("a") == ["n": 1])
        #expect(phone.reports.last?.pushed == [])
        #expect(phone.reports.last?.cursor == "w2")
    }

    @Test func `half-a-page-committed: a store failure within a page keeps nothing of it`() throws {
        let page = answerBody(items: (1...5).map { Self.row("r\($0)", $0) }.joined(separator: ","))
        let whole = try self.device()
        try whole.sync(SyncScenario.collection)
        let before = whole.store.writes
        try whole.answerNext(page)
        for write in 0..<(whole.store.writes - before) {
            let phone = try self.device()
            try phone.sync(SyncScenario.collection)
            phone.store.failNextWrite(after: write, with: TidemarkError(.storeFull, "The disk is full."))
            #expect(throws: TidemarkError.self, "write \(write)") { try phone.answerNext(page) }
            try phone.restart()
            for number in 1...5 { #expect(try phone.phase("r\(number)") == .absent, "write \(write)") }
            try phone.sync(SyncScenario.collection)
            #expect(phone.outbox.first?.request.cursor == nil, "write \(write)")
            try phone.answerNext(page)
            for number in 1...5 { #expect(try phone.phase("r\(number)") == .synced, "write \(write)") }
        }
    }

    @Test func `take-server-loops: a conflict is settled once, even if the server changes again`() throws {
        let scenario = try SyncScenario(configuration: SyncConfiguration(rules: .init(tactic: .takeServer)))
        try scenario.phone.create(["title": "Milk"], pk: "42")
        try scenario.settle()
        try scenario.phone.edit("42") { $0.title = "Oat milk" }
        try scenario.tablet.edit("42") { $0.title = "Soy milk" }
        try scenario.sync(scenario.tablet)
        try scenario.phone.sync(SyncScenario.collection)
        try scenario.tablet.edit("42") { $0.title = "Rice milk" }
        try scenario.sync(scenario.tablet)
        try scenario.carry(scenario.phone)
        #expect((scenario.phone.reports.last?.requests ?? 99) <= 2)
        #expect(try scenario.phone.view("42") == ["title": "Rice milk"])
        #expect(try scenario.phone.phase("42") == .synced)
        #expect(try scenario.phone.journal().map(\.raw.value) == [Array(#""Oat milk""#.utf8)])
    }
}

/// A create that is resigned leaves nothing behind, in whatever phase it was.
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
    func `resign-leaves-a-ghost: a resigned create is on no device in the end (I11)`(moment: Moment) throws {
        let scenario = try SyncScenario()
        try scenario.phone.create(["n": 1], pk: "ghost")
        if moment != .idle { try scenario.phone.sync(SyncScenario.collection) }
        switch moment {
        case .idle, .uploading: break
        case .lostRequest: try scenario.phone.failNext(RemoteFailure(.offline, "lost"))
        case .lostAnswer: try scenario.loseAnswer(scenario.phone)
        case .restarted:
            for ghost in try scenario.phone.restart() { _ = try scenario.remote.exchangeNow(ghost.request) }
        case .held: try scenario.phone.failNext(RemoteFailure(.refused, "forbidden"))
        }
        try scenario.sync(scenario.tablet)
        try scenario.phone.resign("ghost")
        try scenario.carry(scenario.phone)
        try scenario.settle()
        #expect(try scenario.onServer("ghost") == nil)
        try scenario.expectAgreement("ghost")
        #expect(try scenario.phone.journal().last?.raw.value == Array(#"{"n":1}"#.utf8), "it can be restored")
    }
}
