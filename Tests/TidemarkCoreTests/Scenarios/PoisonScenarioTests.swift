import TestSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// One bad record never blocks the others.
@Suite struct PoisonScenarioTests {
    /// Carries everything, but what the server makes of a POST with the poison in it is up to the test.
    private static func carry(_ meeting: Meeting, _ failure: RemoteFailure) throws {
        while !meeting.phone.outbox.isEmpty {
            let sent = meeting.phone.outbox.removeFirst()
            let isPoisoned = sent.request.frozen.contains { String(decoding: $0, as: UTF8.self).contains("poison") }
            if isPoisoned {
                try meeting.phone.fail(failure, for: sent.token)
            } else {
                try meeting.phone.receive(try meeting.remote.exchangeNow(sent.request), for: sent.token)
            }
        }
    }

    private static let healthy = ["a", "b", "d", "e"]

    @Test(arguments: [FailureClass.busy, .protocol, .offline], [false, true])
    func
        `poison-in-batch: whatever the server does on it, and however often the app starts anew, the rest goes through`(
            failure: FailureClass, restarts: Bool
        ) throws
    {
        let meeting = try Meeting(devices: ["phone"])
        for pk in ["a", "b", "poison", "d", "e"] { try meeting.phone.create(["n": 1], pk: pk) }
        var syncs = 0
        while try meeting.phone.phase("poison") != .created(.held) {
            syncs += 1
            let waiting = try Self.healthy.filter { try meeting.phone.phase($0) != .synced }
            try #require(syncs < 60, "it is never held, and these still wait: \(waiting)")
            try meeting.phone.sync(Meeting.collection)
            try Self.carry(meeting, RemoteFailure(failure, "for ever"))
            if restarts { try meeting.phone.restart() }
        }
        try meeting.phone.sync(Meeting.collection)
        try Self.carry(meeting, RemoteFailure(failure, "for ever"))
        for pk in Self.healthy { #expect(try meeting.phone.phase(pk) == .synced) }
        #expect(meeting.phone.reports.last?.outcome == .held)
    }

    @Test func `schema-violation-names-the-field, and only that edit waits`() throws {
        let phone = try Device("phone", seed: 1, clock: ManualClock())
        try phone.create(["price": "dear"], pk: "bad")
        try phone.create(["price": 1], pk: "good")
        try phone.sync(Meeting.collection)
        let ids = try #require(phone.outbox.first).request.frozen.compactMap { edit in
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
        #expect(try phone.engine.explain("bad", in: Meeting.collection).why.contains("/price has to be a number"))
        #expect(
            try phone.snapshot("bad")?.hold?.cause == .refused(status: 422, problem: try JSON(parsing: problem)))
        try phone.restart()
        #expect(try phone.engine.status(of: Meeting.collection).held.first?.reason.contains("/price") == true)
    }

    enum Cure: CaseIterable {
        case edit
        case release
        case resign
        case delete
    }

    @Test(arguments: Cure.allCases, [false, true])
    func `fix-and-release: a held record tries again, or is given up, and nothing else does that`(
        cure: Cure, isRestarted: Bool
    ) throws {
        let meeting = try Meeting()
        try meeting.phone.create(["n": 1], pk: "42")
        try meeting.settle()
        try meeting.phone.edit("42") { $0.n = 2 }
        try meeting.phone.sync(Meeting.collection)
        try meeting.phone.failNext(RemoteFailure(.refused, "not today"))
        try meeting.carry(meeting.phone)
        #expect(try meeting.phone.phase("42") == .edited(.held))
        if isRestarted { try meeting.phone.restart() }
        try meeting.tablet.edit("42") { $0.other = true }
        try meeting.settle()
        #expect(try meeting.phone.phase("42") == .edited(.held), "a change elsewhere does not release it")
        #expect(try meeting.phone.view("42")?.n == 2)
        switch cure {
        case .edit: try meeting.phone.edit("42") { $0.n = 3 }
        case .release:
            try meeting.phone.run { (engine) throws(TidemarkError) in
                try engine.release("42", in: Meeting.collection)
            }
        case .resign: try meeting.phone.resign("42")
        case .delete: try meeting.phone.delete("42")
        }
        try meeting.settle()
        let expected: [Cure: JSON] = [
            .edit: ["n": 3, "other": true], .release: ["n": 2, "other": true], .resign: ["n": 1, "other": true],
        ]
        // A deletion that had not seen the tablet's edit gives way to it, as it does for a record that is not held.
        let server = try meeting.onServer("42")
        #expect(server == expected[cure] ?? server)
        try meeting.expectAgreement("42")
    }

    @Test func `one-bad-row-in-a-page of a listing from the start is not taken for gone`() throws {
        let phone = try Device("phone", seed: 1, clock: ManualClock())
        let good = #"{"pk":"good","updated_at":5,"is_active":true,"data":{}}"#
        let bad = #"{"pk":"bad","updated_at":6,"is_active":true,"data":{"n":1}}"#
        try phone.sync(Meeting.collection)
        try phone.answerNext(answerBody(items: "\(good),\(bad)"))
        try phone.edit("good") { $0.n = 1 }
        try phone.sync(Meeting.collection)
        try phone.failNext(RemoteFailure(.historyLost, "410"))
        let spoilt = #"{"pk":"bad","updated_at":7,"is_active":true,"data":7}"#
        for _ in 0..<8 where try phone.phase("good") != .synced {
            if phone.outbox.isEmpty { try phone.sync(Meeting.collection) }
            guard !phone.outbox.isEmpty else { break }
            let isPassed = phone.outbox.first?.request.watermark == "w3"
            let id = try phone.outbox.first?.request.frozen.first.map {
                try JSON(parsing: $0)["request_id"]?.text ?? ""
            }
            let result = id.map {
                #"{"request_id":\#($0),"pk":"good","is_conflicted":false,"item":{"pk":"good","updated_at":9,"is_active":true,"data":{"n":1}},"error":null}"#
            }
            try phone.answerNext(
                answerBody(results: result, items: isPassed ? "" : "\(good),\(spoilt)", watermark: #""w3""#))
        }
        #expect(phone.reports.last?.outcome == .held)
        #expect(try phone.view("bad") == ["n": 1], "the last version that made sense stays")
        #expect(try phone.phase("good") == .synced)
    }
}
