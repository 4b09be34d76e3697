import CoreSupport
import TestSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkTesting
import Testing

/// The requests themselves: which edits are sent in which order, and which are sent alone.
@Suite struct OrderTests {
    private let scenario: SyncScenario

    private var phone: Device { self.scenario.phone }

    init() throws {
        self.scenario = try SyncScenario(devices: ["phone"])
        for pk in ["a", "b", "c"] { try self.scenario.phone.create(["n": 0], pk: pk) }
        try self.scenario.settle()
    }

    /// Carries a sync to its end, and returns the pks of each POST.
    private func posts() throws -> [[String]] {
        var posts: [[String]] = []
        try self.phone.sync(SyncScenario.collection)
        while let next = self.phone.outbox.first {
            let pks = try next.request.encodedEdit.map { try JSON(parsing: $0)["pk"]?.string ?? "?" }
            if !pks.isEmpty { posts.append(pks) }
            try #require(posts.count < 20, "the device does not stop sending (I8)")
            try self.scenario.carryOne(self.phone)
        }
        return posts
    }

    @Test func `an unconfirmed edit is sent first and alone, then all others in one POST (R17)`() throws {
        try self.phone.edit("b") { $0.n = 1 }
        try self.phone.sync(SyncScenario.collection)
        try self.scenario.loseAnswer(self.phone)
        for pk in ["c", "a"] { try self.phone.edit(pk) { $0.n = 2 } }
        #expect(try self.posts() == [["b"], ["c", "a"]])
    }

    @Test func `changes are sent in the order they were made (Contract §3.1)`() throws {
        for pk in ["c", "a"] { try self.phone.edit(pk) { $0.n = 1 } }
        #expect(try self.posts() == [["c", "a"]])
        for pk in ["b", "a", "c"] { try self.phone.edit(pk) { $0.n = 2 } }
        #expect(try self.posts() == [["b", "a", "c"]])
    }

    @Test func `changes made before a restart are sent before later ones (Contract §3.1)`() throws {
        for pk in ["c", "a"] { try self.phone.edit(pk) { $0.n = 1 } }
        _ = try self.phone.restart()
        try self.phone.edit("b") { $0.n = 1 }
        #expect(try self.posts() == [["c", "a", "b"]])
    }

    @Test func `a second change of a record keeps its place in the queue (Contract §3.1)`() throws {
        for pk in ["c", "a", "c"] {
            try self.phone.edit(pk) { $0.n = .number(JSONNumber((Int($0.n?.text ?? "") ?? 0) + 1)) }
        }
        #expect(try self.posts() == [["c", "a"]])
    }

    @Test func `a sync posts no edit twice, and posts nothing without edits (Contract §3.2)`() throws {
        try self.phone.edit("a") { $0.n = 1 }
        #expect(try self.posts() == [["a"]])
        #expect(try self.posts() == [])
    }
}

/// Answers of other servers with the same meaning.
@Suite struct DifferentServerTests {
    private let phone: Device
    private let server: ManualClock

    init() throws {
        self.server = ManualClock()
        self.phone = try Device("phone", seed: 1, clock: self.server)
        try self.phone.sync(SyncScenario.collection)
        let item = #"{"pk":"42","updated_at":5,"is_active":true,"data":{"n":1}}"#
        try self.phone.answerNext(answerBody(items: item, cursor: #""w1""#))
    }

    /// Syncs up to the POST, and answers it with one result.
    private func answer(_ result: (_ requestID: String) -> String) throws {
        try self.phone.sync(SyncScenario.collection)
        while let next = self.phone.outbox.first {
            guard let edit = next.request.encodedEdit.first else {
                try self.phone.answerNext(answerBody(cursor: #""w3""#))
                continue
            }
            let id = try #require(try JSON(parsing: edit)["request_id"]?.string)
            try self.phone.answerNext(answerBody(results: result(id), cursor: #""w2""#))
        }
    }

    private func refusal(_ id: String, _ status: Int, _ title: String) -> String {
        let problem = #"{"title":"\#(title)","status":\#(status)}"#
        return #"{"request_id":"\#(id)","pk":"42","is_conflicted":false,"item":null,"error":\#(problem)}"#
    }

    @Test(arguments: [404, 410])
    func `a delete whose result says not found is done, and not held (R8)`(status: Int) throws {
        try self.phone.delete("42")
        try self.answer { self.refusal($0, status, "gone") }
        #expect(try self.phone.phase("42") == .absent)
        #expect(self.phone.reports.last?.outcome == .inSync)
    }

    @Test(arguments: [404, 410])
    func `an edit whose result says not found is held with the reason (R8)`(status: Int) throws {
        try self.phone.edit("42") { $0.n = 2 }
        try self.answer { self.refusal($0, status, "no such record") }
        #expect(try self.phone.phase("42") == .edited(.held))
        #expect(try self.phone.engine.explain("42", in: SyncScenario.collection).why.contains("no such record"))
    }

    @Test func `an edit accepted with a tombstone removes the record (R4)`() throws {
        try self.phone.edit("42") { $0.n = 2 }
        try self.answer {
            let item = #"{"pk":"42","updated_at":6,"is_active":false}"#
            return #"{"request_id":"\#($0)","pk":"42","is_conflicted":false,"item":\#(item),"error":null}"#
        }
        #expect(try self.phone.phase("42") == .absent)
        #expect(try self.phone.journal().isEmpty)
        #expect(self.phone.reports.last?.outcome == .inSync)
    }

    @Test func `an accepted delete whose result has a record applies it as a feed row (R4)`() throws {
        try self.phone.delete("42")
        var tries = 0
        try self.answer {
            tries += 1
            let item = #"{"pk":"42","updated_at":6,"is_active":true,"data":{"n":7}}"#
            return #"{"request_id":"\#($0)","pk":"42","is_conflicted":false,"item":\#(item),"error":null}"#
        }
        #expect(tries == 1, "the delete is not sent again")
        #expect(try self.phone.phase("42") == .synced)
        #expect(try self.phone.view("42") == ["n": 7])
    }

    @Test func `a member that the server adds on accept is kept, and nothing is unsent (R4)`() throws {
        try self.phone.edit("42") { $0.n = 2 }
        try self.answer {
            let item = #"{"pk":"42","updated_at":6,"is_active":true,"data":{"n":2,"by":"server"}}"#
            return #"{"request_id":"\#($0)","pk":"42","is_conflicted":false,"item":\#(item),"error":null}"#
        }
        #expect(try self.phone.view("42") == ["n": 2, "by": "server"])
        #expect(try self.phone.phase("42") == .synced)
    }

    @Test func `a second refusal shows its own reason, not the first one's`() throws {
        try self.phone.edit("42") { $0.n = 2 }
        try self.answer { self.refusal($0, 422, "n is too small") }
        #expect(try self.phone.engine.explain("42", in: SyncScenario.collection).why.contains("n is too small"))
        try self.phone.edit("42") { $0.n = 3 }
        try self.answer { self.refusal($0, 413, "n is too large") }
        let why = try self.phone.engine.explain("42", in: SyncScenario.collection).why
        #expect(why.contains("n is too large"))
        #expect(!why.contains("too small"))
    }

    @Test func `a line of the journal names the version that the server had when the value lost`() throws {
        try self.phone.edit("42") { $0.n = 2 }
        try self.answer {
            let item = #"{"pk":"42","updated_at":9,"is_active":true,"data":{"n":7}}"#
            return #"{"request_id":"\#($0)","pk":"42","is_conflicted":true,"item":\#(item),"error":null}"#
        }
        #expect(try self.phone.journal().map(\.raw.version) == ["9"])
    }
}
