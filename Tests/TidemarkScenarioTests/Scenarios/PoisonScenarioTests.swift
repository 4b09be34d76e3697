import CoreSupport
import TestSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// One bad record never blocks the others.
@Suite struct PoisonScenarioTests {
    /// Carries all requests; a POST with the poison record gets the failure.
    private static func carry(_ scenario: SyncScenario, _ failure: RemoteFailure) throws {
        while !scenario.phone.outbox.isEmpty {
            let sent = scenario.phone.outbox.removeFirst()
            let isPoisoned = sent.request.encodedEdit.contains {
                String(decoding: $0, as: UTF8.self).contains("poison")
            }
            if isPoisoned {
                try scenario.phone.fail(failure, for: sent.token)
            } else {
                try scenario.phone.receive(try scenario.remote.exchangeNow(sent.request), for: sent.token)
            }
        }
    }

    private static let healthy = ["a", "b", "d", "e"]

    @Test(arguments: [FailureClass.busy, .invalidAnswer, .offline], [false, true])
    func `poison-in-batch: other records are sent, with any failure and any restart`(
        failure: FailureClass, restarts: Bool
    ) throws {
        let scenario = try SyncScenario(devices: ["phone"])
        for pk in ["a", "b", "poison", "d", "e"] { try scenario.phone.create(["n": 1], pk: pk) }
        var syncs = 0
        while try scenario.phone.phase("poison") != .created(.held) {
            syncs += 1
            let waiting = try Self.healthy.filter { try scenario.phone.phase($0) != .synced }
            try #require(syncs < 60, "it is never held, and these still wait: \(waiting)")
            try scenario.phone.sync(SyncScenario.collection)
            try Self.carry(scenario, RemoteFailure(failure, "always"))
            if restarts { try scenario.phone.restart() }
        }
        try scenario.phone.sync(SyncScenario.collection)
        try Self.carry(scenario, RemoteFailure(failure, "always"))
        for pk in Self.healthy { #expect(try scenario.phone.phase(pk) == .synced) }
        #expect(scenario.phone.reports.last?.outcome == .held)
    }

    @Test func `schema-violation-names-the-field, and only that edit is held`() throws {
        let phone = try Device("phone", seed: 1, clock: ManualClock())
        try phone.create(["price": "dear"], pk: "bad")
        try phone.create(["price": 1], pk: "good")
        try phone.sync(SyncScenario.collection)
        let ids = try #require(phone.outbox.first).request.encodedEdit.compactMap { edit in
            try JSON(parsing: edit)["request_id"]?.text
        }
        try #require(ids.count == 2)
        let problem =
            #"{"title":"Unprocessable","status":422,"detail":"/price has to be a number","pointer":"/price"}"#
        let item = #"{"pk":"good","updated_at":5,"is_active":true,"data":{"price":1}}"#
        try phone.answerNext(
            answerBody(
                results: #"{"request_id":\#(ids[0]),"pk":"bad","is_conflicted":false,"item":null,"error":\#(problem)},"#
                    + #"{"request_id":\#(ids[1]),"pk":"good","is_conflicted":false,"item":\#(item),"error":null}"#))
        #expect(try phone.phase("good") == .synced)
        #expect(try phone.phase("bad") == .created(.held))
        #expect(try phone.engine.explain("bad", in: SyncScenario.collection).why.contains("/price has to be a number"))
        #expect(
            try phone.snapshot("bad")?.hold?.cause == .refused(status: 422, problem: try JSON(parsing: problem)))
        try phone.restart()
        let held = try #require(try phone.engine.status(of: SyncScenario.collection).held.first)
        #expect(held.reason.contains("/price"))
        #expect(held.hold?.cause == .refused(status: 422, problem: try JSON(parsing: problem)))
    }

    enum Cure: CaseIterable {
        case edit
        case release
        case resign
        case delete
    }

    @Test(arguments: Cure.allCases, [false, true])
    func `fix-and-release: only a local change, a retry or a resignation ends a hold`(
        cure: Cure, isRestarted: Bool
    ) throws {
        let scenario = try SyncScenario()
        try scenario.phone.create(["n": 1], pk: "42")
        try scenario.settle()
        try scenario.phone.edit("42") { $0.n = 2 }
        try scenario.phone.sync(SyncScenario.collection)
        try scenario.phone.failNext(RemoteFailure(.refused, "not today"))
        try scenario.carry(scenario.phone)
        #expect(try scenario.phone.phase("42") == .edited(.held))
        if isRestarted { try scenario.phone.restart() }
        try scenario.tablet.edit("42") { $0.other = true }
        try scenario.settle()
        #expect(try scenario.phone.phase("42") == .edited(.held), "a change elsewhere does not release it")
        #expect(try scenario.phone.view("42")?.n == 2)
        switch cure {
        case .edit: try scenario.phone.edit("42") { $0.n = 3 }
        case .release:
            try scenario.phone.run { (engine) throws(TidemarkError) in
                try engine.retry("42", in: SyncScenario.collection)
            }
        case .resign: try scenario.phone.resign("42")
        case .delete: try scenario.phone.delete("42")
        }
        try scenario.settle()
        let expected: [Cure: JSON] = [
            .edit: ["n": 3, "other": true], .release: ["n": 2, "other": true], .resign: ["n": 1, "other": true],
        ]
        // A deletion that is older than the tablet's edit loses to it, as for a record that is not held.
        let server = try scenario.onServer("42")
        #expect(server == expected[cure] ?? server)
        try scenario.expectAgreement("42")
    }

    @Test func `one-bad-row-in-a-page of a full resync does not remove its record`() throws {
        let phone = try Device("phone", seed: 1, clock: ManualClock())
        let good = #"{"pk":"good","updated_at":5,"is_active":true,"data":{}}"#
        let bad = #"{"pk":"bad","updated_at":6,"is_active":true,"data":{"n":1}}"#
        try phone.sync(SyncScenario.collection)
        try phone.answerNext(answerBody(items: "\(good),\(bad)"))
        try phone.edit("good") { $0.n = 1 }
        try phone.sync(SyncScenario.collection)
        try phone.failNext(RemoteFailure(.historyLost, "410"))
        let spoilt = #"{"pk":"bad","updated_at":7,"is_active":true,"data":7}"#
        for _ in 0..<8 where try phone.phase("good") != .synced {
            if phone.outbox.isEmpty { try phone.sync(SyncScenario.collection) }
            guard !phone.outbox.isEmpty else { break }
            let isPassed = phone.outbox.first?.request.cursor == "w3"
            let id = try phone.outbox.first?.request.encodedEdit.first.map {
                try JSON(parsing: $0)["request_id"]?.text ?? ""
            }
            let result = id.map {
                #"{"request_id":\#($0),"pk":"good","is_conflicted":false,"item":{"pk":"good","updated_at":9,"is_active":true,"data":{"n":1}},"error":null}"#
            }
            try phone.answerNext(
                answerBody(results: result, items: isPassed ? "" : "\(good),\(spoilt)", cursor: #""w3""#))
        }
        #expect(phone.reports.last?.outcome == .held)
        #expect(try phone.view("bad") == ["n": 1], "the last valid version stays")
        #expect(try phone.phase("good") == .synced)
    }
}
