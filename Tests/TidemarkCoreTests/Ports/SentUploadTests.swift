import CoreSupport
import TidemarkCore
import TidemarkJSON
import TidemarkTesting
import Testing

@Suite struct `Uploads that a remote gets` {
    private let scenario: SyncScenario
    private var phone: Device { self.scenario.phone }

    init() throws {
        self.scenario = try SyncScenario()
        try self.scenario.phone.create(["title": "Milk", "n": 1], pk: "42")
        try self.scenario.settle()
    }

    /// The uploads of the next POST.
    private func next() throws -> [UploadRequest] {
        try self.phone.sync(SyncScenario.collection)
        while let next = self.phone.outbox.first, next.request.uploads.isEmpty {
            try self.scenario.carryOne(self.phone)
        }
        return try #require(self.phone.outbox.first).request.uploads
    }

    @Test func `an edit names the version and the payload it was made on`() throws {
        let confirmed = try #require(try self.phone.snapshot("42")).raw
        try self.phone.edit("42") { $0.title = "Oats" }
        let upload = try #require(try self.next().first)
        #expect((upload.intent, upload.pk, upload.wasResent) == (.edit, "42", false))
        #expect(upload.version == confirmed.version)
        #expect(upload.base == confirmed.confirmed)
        #expect(upload.patch?.text == #"[{"op":"replace","path":"/title","value":"Oats"}]"#)
        #expect(try upload.record()?.text == #"{"title":"Oats","n":1}"#)
    }

    @Test func `an upload equals the one that is parsed from its request bytes`() throws {
        try self.phone.edit("42") { $0.title = "Oats" }
        try self.phone.create(["n": 2], pk: "new")
        let uploads = try self.next()
        #expect(uploads.count == 2)
        for upload in uploads {
            #expect(try UploadRequest(encodedEdit: upload.encodedEdit, base: upload.base) == upload)
        }
        try self.scenario.settle()
        try self.phone.delete("42")
        let delete = try #require(try self.next().first)
        #expect(delete.intent == .delete)
        #expect(delete.base == Array(#"{"title":"Oats","n":1}"#.utf8), "it may contain the server's id")
        #expect(try UploadRequest(encodedEdit: delete.encodedEdit, base: delete.base) == delete)
    }

    @Test func `a resend is the same request despite later rows and edits (I5, R17)`() throws {
        try self.phone.edit("42") { $0.title = "Oats" }
        let sent = try #require(try self.next().first)
        try self.scenario.loseAnswer(self.phone)
        try self.phone.edit("42") { $0.n = 5 }
        try self.scenario.tablet.sync(SyncScenario.collection)
        try self.scenario.carry(self.scenario.tablet)
        try self.scenario.tablet.edit("42") { $0.more = true }
        try self.scenario.tablet.sync(SyncScenario.collection)
        try self.scenario.carry(self.scenario.tablet)
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
