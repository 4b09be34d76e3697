import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// What the first system of this kind got wrong; each is a regression test.
@Suite struct FirstSystemTests {
    let meeting: Meeting
    var phone: Device { self.meeting.phone }
    var tablet: Device { self.meeting.tablet }

    init() throws {
        self.meeting = try Meeting()
        try self.meeting.phone.create(["title": "Milk", "count": 1], pk: "42")
        try self.meeting.settle()
    }

    @Test func `conflict-judged-by-the-maximum: who has seen all rows may still not write over one unknowingly`() throws
    {
        try self.phone.edit("42") { $0.title = "Oat milk" }
        try self.phone.sync(Meeting.collection)
        let sent = self.phone.outbox.removeFirst()
        try self.tablet.edit("42") { $0.title = "Soy milk" }
        try self.meeting.sync(self.tablet)
        var request = sent.request
        request.watermark = try #require(self.tablet.reports.last?.watermark)
        let answer = try self.meeting.remote.exchangeNow(request)
        #expect(try self.meeting.onServer("42")?.title == "Soy milk", "the edit named an older version")
        try self.phone.receive(answer, for: sent.token)
        try self.meeting.carry(self.phone)
        let entry = try #require(try self.phone.journal().first)
        #expect(entry.raw.value == Array(#""Soy milk""#.utf8), "it lost, and it is said that it did")
    }

    @Test func `watermark-from-own-posts: rows of others that are older than one's own post are seen`() throws {
        var configuration = SyncConfiguration()
        configuration.limits.pageSize = 1
        let meeting = try Meeting(configuration: configuration)
        for pk in ["a", "b", "c"] { try meeting.tablet.create(["n": 1], pk: pk) }
        try meeting.sync(meeting.tablet)
        for pk in ["x", "y", "z"] { try meeting.phone.create(["n": 2], pk: pk) }
        try meeting.sync(meeting.phone)
        for pk in ["a", "b", "c", "x", "y", "z"] { #expect(try meeting.phone.phase(pk) == .synced, "\(pk)") }
    }

    @Test func `edit-wiped-by-the-ack: whatever was typed meanwhile is what the app goes on seeing`() throws {
        try self.phone.edit("42") { $0.title = "Oat milk" }
        try self.phone.sync(Meeting.collection)
        try self.phone.edit("42") { $0 = ["title": "Rice milk", "new": .null] }
        try self.meeting.carryOne(self.phone)
        #expect(try self.phone.view("42") == ["title": "Rice milk", "new": .null])
        try self.meeting.settle()
        #expect(try self.meeting.onServer("42") == ["title": "Rice milk", "new": .null])
        try self.meeting.expectAgreement("42")
    }

    @Test func `bulk-delete-selects-edited: of edits and deletes that go together only the deleted are deleted`() throws
    {
        let pks = (0..<20).map { "r\($0)" }
        for pk in pks { try self.phone.create(["n": 0], pk: pk) }
        try self.meeting.settle()
        for (index, pk) in pks.enumerated() {
            if index.isMultiple(of: 2) {
                try self.phone.delete(pk)
            } else {
                try self.phone.edit(pk) { $0.n = 1 }
            }
        }
        try self.phone.sync(Meeting.collection)
        try self.meeting.loseAnswer(self.phone)
        try self.meeting.settle()
        for (index, pk) in pks.enumerated() {
            #expect(try self.meeting.onServer(pk) == (index.isMultiple(of: 2) ? nil : ["n": 1]))
            try self.meeting.expectAgreement(pk)
        }
    }

    @Test func `create-retried-twice: the server has the record once, at the version of its first arrival`() throws {
        try self.phone.create(["n": 1], pk: "new")
        try self.phone.sync(Meeting.collection)
        try self.meeting.loseAnswer(self.phone)
        try self.meeting.sync(self.tablet)
        let version = try self.tablet.snapshot("new")?.raw.stamp
        #expect(version != nil)
        try self.phone.restart()
        try self.phone.sync(Meeting.collection)
        try self.meeting.loseAnswer(self.phone)
        try self.meeting.settle()
        #expect(try self.tablet.snapshot("new")?.raw.stamp == version)
        #expect(try self.phone.snapshot("new")?.raw.stamp == version)
        try self.meeting.expectAgreement("new")
    }

    @Test func `merge-overwrites-the-base: data is the server's while the merge waits to be sent`() throws {
        try self.tablet.edit("42") { $0 = ["title": "Soy milk", "count": 2] }
        try self.meeting.sync(self.tablet)
        try self.phone.edit("42") { $0.title = "Oat milk" }
        try self.phone.sync(Meeting.collection)
        try self.meeting.carryOne(self.phone)
        let snapshot = try #require(try self.phone.snapshot("42"))
        #expect(snapshot.raw.confirmed == (try self.tablet.snapshot("42")?.raw.confirmed))
        #expect(try self.phone.view("42") == ["title": "Oat milk", "count": 2])
        self.phone.outbox = []
        try self.phone.restart()
        try self.meeting.sync(self.phone)
        try self.meeting.settle()
        try self.meeting.expectAgreement("42")
        #expect(try self.meeting.onServer("42") == ["title": "Oat milk", "count": 2])
    }

    @Test
    func `rounds-without-end: a record that moves on before every post is held after 5 rounds, and can be released`()
        throws
    {
        try self.phone.edit("42") { $0.title = "Oat milk" }
        try self.phone.sync(Meeting.collection)
        var posts = 0
        while let next = self.phone.outbox.first {
            try #require(posts < 20, "it does not stop (I8)")
            if !next.request.uploads.isEmpty { posts += 1 }
            try self.tablet.edit("42") { $0.title = .string(JSONString("Soy \(posts)")) }
            try self.meeting.sync(self.tablet)
            try self.meeting.carryOne(self.phone)
        }
        #expect(try self.phone.phase("42") == .edited(.held))
        #expect(posts == 5)
        #expect(self.phone.reports.last?.held == ["42"])
        #expect(try self.phone.view("42")?.title == "Oat milk", "nothing was dropped")
        try self.phone.run { (engine) throws(TidemarkError) in try engine.release("42", in: Meeting.collection) }
        try self.meeting.settle()
        #expect(try self.meeting.onServer("42")?.title == "Oat milk")
        try self.meeting.expectAgreement("42")
    }
}
