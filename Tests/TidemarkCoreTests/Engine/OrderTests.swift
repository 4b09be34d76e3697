import TestSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkTesting
import Testing

/// What goes out, in which order, and what stands alone: the requests themselves, and not only where they lead.
@Suite struct OrderTests {
    private let meeting: Meeting

    private var phone: Device { self.meeting.phone }

    init() throws {
        self.meeting = try Meeting(devices: ["phone"])
        for pk in ["a", "b", "c"] { try self.meeting.phone.create(["n": 0], pk: pk) }
        try self.meeting.settle()
    }

    /// Carries a sync to its end, and says which pks each POST had.
    private func posts() throws -> [[String]] {
        var posts: [[String]] = []
        try self.phone.sync(Meeting.collection)
        while let next = self.phone.outbox.first {
            let pks = try next.request.frozen.map { try JSON(parsing: $0)["pk"]?.string ?? "?" }
            if !pks.isEmpty { posts.append(pks) }
            try #require(posts.count < 20, "it does not stop (I8)")
            try self.meeting.carryOne(self.phone)
        }
        return posts
    }

    @Test func `R17 what may have arrived goes first and alone, then all that waits, in one POST`() throws {
        try self.phone.edit("b") { $0.n = 1 }
        try self.phone.sync(Meeting.collection)
        try self.meeting.loseAnswer(self.phone)
        for pk in ["c", "a"] { try self.phone.edit(pk) { $0.n = 2 } }
        #expect(try self.posts() == [["b"], ["c", "a"]])
    }

    @Test func `SPEC 3.1 changes go out in the order they were made, also of records that were sent before`() throws {
        for pk in ["c", "a"] { try self.phone.edit(pk) { $0.n = 1 } }
        #expect(try self.posts() == [["c", "a"]])
        for pk in ["b", "a", "c"] { try self.phone.edit(pk) { $0.n = 2 } }
        #expect(try self.posts() == [["b", "a", "c"]])
    }

    @Test func `SPEC 3.1 what was changed before a restart goes out before what is changed after it`() throws {
        for pk in ["c", "a"] { try self.phone.edit(pk) { $0.n = 1 } }
        _ = try self.phone.restart()
        try self.phone.edit("b") { $0.n = 1 }
        #expect(try self.posts() == [["c", "a", "b"]])
    }

    @Test func `SPEC 3.1 a second change of a record does not lose its place`() throws {
        for pk in ["c", "a", "c"] {
            try self.phone.edit(pk) { $0.n = .number(JSONNumber((Int($0.n?.text ?? "") ?? 0) + 1)) }
        }
        #expect(try self.posts() == [["c", "a"]])
    }

    @Test func `SPEC 3.2 nothing is posted twice, and a sync with nothing to send posts nothing`() throws {
        try self.phone.edit("a") { $0.n = 1 }
        #expect(try self.posts() == [["a"]])
        #expect(try self.posts() == [])
    }
}

/// A server that is not ours, and says the same things otherwise.
@Suite struct DifferentServerTests {
    private let phone: Device
    private let server: ManualClock

    init() throws {
        self.server = ManualClock()
        self.phone = try Device("phone", seed: 1, clock: self.server)
        try self.phone.sync(Meeting.collection)
        let item = #"{"pk":"42","updated_at":5,"is_active":true,"data":{"n":1}}"#
        try self.phone.answerNext(answerBody(items: item, watermark: #""w1""#))
    }

    /// Syncs up to the POST, and answers it with one result.
    private func answer(_ result: (_ requestID: String) -> String) throws {
        try self.phone.sync(Meeting.collection)
        while let next = self.phone.outbox.first {
            guard let edit = next.request.frozen.first else {
                try self.phone.answerNext(answerBody(watermark: #""w3""#))
                continue
            }
            let id = try #require(try JSON(parsing: edit)["request_id"]?.string)
            try self.phone.answerNext(answerBody(results: result(id), watermark: #""w2""#))
        }
    }

    private func refusal(_ id: String, _ status: Int, _ title: String) -> String {
        let problem = #"{"title":"\#(title)","status":\#(status)}"#
        return #"{"request_id":"\#(id)","pk":"42","is_conflicted":false,"item":null,"error":\#(problem)}"#
    }

    @Test(arguments: [404, 410])
    func `R8 a delete of what one item of the answer calls missing is done, and not held`(status: Int) throws {
        try self.phone.delete("42")
        try self.answer { self.refusal($0, status, "gone") }
        #expect(try self.phone.phase("42") == .absent)
        #expect(self.phone.reports.last?.outcome == .inStep)
    }

    @Test(arguments: [404, 410])
    func `R8 an edit of what one item of the answer calls missing is held with the reason`(status: Int) throws {
        try self.phone.edit("42") { $0.n = 2 }
        try self.answer { self.refusal($0, status, "no such record") }
        #expect(try self.phone.phase("42") == .edited(.held))
        #expect(try self.phone.engine.explain("42", in: Meeting.collection).why.contains("no such record"))
    }

    @Test func `R4 accepted with a tombstone: the record is gone, and no edit is left`() throws {
        try self.phone.edit("42") { $0.n = 2 }
        try self.answer {
            let item = #"{"pk":"42","updated_at":6,"is_active":false}"#
            return #"{"request_id":"\#($0)","pk":"42","is_conflicted":false,"item":\#(item),"error":null}"#
        }
        #expect(try self.phone.phase("42") == .absent)
        #expect(try self.phone.journal().isEmpty)
        #expect(self.phone.reports.last?.outcome == .inStep)
    }

    @Test func `R4 accepted delete that shows a record: that is a row of the feed`() throws {
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

    @Test func `R4 a member that the server adds on accept is kept, and nothing is left to send`() throws {
        try self.phone.edit("42") { $0.n = 2 }
        try self.answer {
            let item = #"{"pk":"42","updated_at":6,"is_active":true,"data":{"n":2,"by":"server"}}"#
            return #"{"request_id":"\#($0)","pk":"42","is_conflicted":false,"item":\#(item),"error":null}"#
        }
        #expect(try self.phone.view("42") == ["n": 2, "by": "server"])
        #expect(try self.phone.phase("42") == .synced)
    }

    @Test func `a second refusal shows its own reason, and not the first one's`() throws {
        try self.phone.edit("42") { $0.n = 2 }
        try self.answer { self.refusal($0, 422, "n is too small") }
        #expect(try self.phone.engine.explain("42", in: Meeting.collection).why.contains("n is too small"))
        try self.phone.edit("42") { $0.n = 3 }
        try self.answer { self.refusal($0, 413, "n is too large") }
        let why = try self.phone.engine.explain("42", in: Meeting.collection).why
        #expect(why.contains("n is too large"))
        #expect(!why.contains("too small"))
    }

    @Test func `a line of the journal names the version that the server had when the value lost`() throws {
        try self.phone.edit("42") { $0.n = 2 }
        try self.answer {
            let item = #"{"pk":"42","updated_at":9,"is_active":true,"data":{"n":7}}"#
            return #"{"request_id":"\#($0)","pk":"42","is_conflicted":true,"item":\#(item),"error":null}"#
        }
        #expect(try self.phone.journal().map(\.raw.stamp) == ["9"])
    }
}
