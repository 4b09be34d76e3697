import TidemarkCore
import TidemarkJSON
import TidemarkTesting
import Testing

@Suite struct `What a remote gets of an edit` {
    private let meeting: Meeting
    private var phone: Device { self.meeting.phone }

    init() throws {
        self.meeting = try Meeting()
        try self.meeting.phone.create(["title": "Milk", "n": 1], pk: "42")
        try self.meeting.settle()
    }

    /// What the next POST carries.
    private func next() throws -> [UploadRequest] {
        try self.phone.sync(Meeting.collection)
        while let next = self.phone.outbox.first, next.request.uploads.isEmpty { try self.meeting.carryOne(self.phone) }
        return try #require(self.phone.outbox.first).request.uploads
    }

    @Test func `an edit names the version and the payload it was made on`() throws {
        let confirmed = try #require(try self.phone.snapshot("42")).raw
        try self.phone.edit("42") { $0.title = "Oats" }
        let upload = try #require(try self.next().first)
        #expect((upload.intent, upload.pk, upload.wasResent) == (.edit, "42", false))
        #expect(upload.version == confirmed.stamp)
        #expect(upload.base == confirmed.confirmed)
        #expect(upload.patch?.text == #"[{"op":"replace","path":"/title","value":"Oats"}]"#)
        #expect(try upload.record()?.text == #"{"title":"Oats","n":1}"#)
    }

    @Test func `what it says is what its frozen bytes say`() throws {
        try self.phone.edit("42") { $0.title = "Oats" }
        try self.phone.create(["n": 2], pk: "new")
        let uploads = try self.next()
        #expect(uploads.count == 2)
        for upload in uploads { #expect(try UploadRequest(frozen: upload.frozen, base: upload.base) == upload) }
        try self.meeting.settle()
        try self.phone.delete("42")
        let delete = try #require(try self.next().first)
        #expect(delete.intent == .delete)
        #expect(delete.base == Array(#"{"title":"Oats","n":1}"#.utf8), "its id at the server may be in it")
        #expect(try UploadRequest(frozen: delete.frozen, base: delete.base) == delete)
    }

    @Test func `I5 R17 what is sent again makes the same request, whatever was seen and edited meanwhile`() throws {
        try self.phone.edit("42") { $0.title = "Oats" }
        let sent = try #require(try self.next().first)
        try self.meeting.loseAnswer(self.phone)
        try self.phone.edit("42") { $0.n = 5 }
        try self.meeting.tablet.sync(Meeting.collection)
        try self.meeting.carry(self.meeting.tablet)
        try self.meeting.tablet.edit("42") { $0.more = true }
        try self.meeting.tablet.sync(Meeting.collection)
        try self.meeting.carry(self.meeting.tablet)
        let again = try #require(try self.next().first)
        #expect(again.wasResent)
        #expect(!sent.wasResent)
        var same = again
        same.wasResent = false
        #expect(same == sent)
        try self.phone.restart()
        let later = try #require(try self.next().first)
        #expect(later == again, "and in a later process")
    }
}
