import CoreSupport
import TestSupport
import Testing
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkServer
import TidemarkTesting

/// Batches over the limit of an answer, and names over the limit of a name.
@Suite struct SizeTests {
    private static func scenario(results: Int) throws -> SyncScenario {
        var limits = ServerLimits()
        limits.results = results
        return try SyncScenario(limits: limits)
    }

    @Test func `answer-too-large: one sync sends a batch in parts if its results do not fit`() throws {
        let scenario = try Self.scenario(results: 10_000)
        let text = JSON.string(JSONString(String(repeating: "x", count: 2_000)))
        for number in 0..<20 { try scenario.phone.create(["text": text], pk: "p\(number)") }
        try scenario.sync(scenario.phone)
        #expect(scenario.phone.reports.last?.outcome == .inSync)
        #expect(scenario.phone.reports.last?.pushed.count == 20)
        try scenario.settle()
        for number in 0..<20 { try scenario.expectAgreement("p\(number)") }
        // Small edits of large records that both devices changed: the answers are large, the requests are not.
        for number in 0..<20 {
            try scenario.phone.edit("p\(number)") { $0.a = 1 }
            try scenario.tablet.edit("p\(number)") { $0.b = 2 }
        }
        try scenario.sync(scenario.phone)
        try scenario.sync(scenario.tablet)
        #expect(scenario.tablet.reports.last?.outcome == .inSync)
        try scenario.settle()
        for number in 0..<20 {
            try scenario.expectAgreement("p\(number)")
            #expect(try scenario.onServer("p\(number)")?.b == 2)
        }
    }

    @Test func `an edit without a result is sent again unchanged, despite a later edit (R17)`() throws {
        let scenario = try Self.scenario(results: 10)
        try scenario.phone.create(["n": 1], pk: "a")
        try scenario.phone.create(["n": 1], pk: "b")
        try scenario.phone.sync(SyncScenario.collection)
        let first = try #require(scenario.phone.outbox.first?.request.encodedEdit)
        try scenario.carryOne(scenario.phone)
        let second = try #require(scenario.phone.outbox.first?.request.encodedEdit)
        #expect(first.count == 2)
        #expect(second == [first[1]])
        try scenario.phone.edit("b") { $0.n = 2 }
        try scenario.carry(scenario.phone)
        try scenario.settle()
        #expect(try scenario.onServer("b") == ["n": 2])
        try scenario.expectAgreement("b")
    }

    @Test func `a server that processes no edit makes no progress, and is tried later (I8)`() throws {
        let phone = try Device("phone", seed: 1, clock: ManualClock())
        try phone.sync(SyncScenario.collection)
        try phone.answerNext(answerBody(items: ""))
        try phone.create(["n": 1], pk: "a")
        try phone.sync(SyncScenario.collection)
        let id = try #require(
            try phone.outbox.first?.request.encodedEdit.first.map { try JSON(parsing: $0) }?.request_id?.text)
        let problem = #"{"status":503,"title":"full"}"#
        let result = #"{"request_id":\#(id),"pk":"a","is_conflicted":false,"item":null,"error":\#(problem)}"#
        try phone.answerNext(answerBody(results: result, items: ""))
        #expect(phone.outbox.isEmpty)
        #expect(phone.reports.last?.outcome == .unreachable)
        #expect(try phone.phase("a") == .created(.unconfirmed))
    }

    @Test(arguments: [(512, true), (513, false)])
    func `an item whose pk is over the limit is quarantined as malformed`(_ count: Int, _ isAllowed: Bool) throws {
        let phone = try Device("phone", seed: 1, clock: ManualClock())
        let pk = String(repeating: "k", count: count)
        let items = #"{"pk":"\#(pk)","updated_at":5,"is_active":true,"data":{"n":1}}"#
        let good = #"{"pk":"good","updated_at":6,"is_active":true,"data":{}}"#
        for _ in 0..<3 {
            try phone.sync(SyncScenario.collection)
            try phone.answerNext(answerBody(items: "\(items),\(good)"))
        }
        #expect(try phone.view("good") == [:])
        #expect(try phone.view(pk) == (isAllowed ? ["n": 1] : nil))
        #expect(phone.reports.last?.outcome == (isAllowed ? .inSync : .held))
        #expect((phone.reports.last?.held.first?.utf8.count ?? 0) < 100)
    }

    @Test func `names have the same limit on client and server`() {
        let limits = ServerLimits()
        #expect(limits.pk == SyncLimits().nameSize)
        #expect(limits.collectionName == SyncLimits().nameSize)
    }
}
