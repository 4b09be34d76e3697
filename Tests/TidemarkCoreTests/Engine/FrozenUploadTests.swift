import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

@Suite struct FrozenUploadTests {
    @Test(arguments: [false, true])
    func `I5 R17 an upload goes out again byte for byte, however the store spells it`(isRestarted: Bool) throws {
        let meeting = try Meeting()
        let phone = meeting.phone
        try phone.create(["title": "Milk"], pk: "42")
        try meeting.settle()
        try phone.edit("42") { $0.title = "Oat milk" }
        try phone.sync(Meeting.collection)
        try meeting.loseAnswer(phone)
        let spelled = try self.respell(in: phone.store)
        if isRestarted { try phone.restart() }
        try phone.edit("42") { $0.n = 1 }
        try phone.sync(Meeting.collection)
        // After a POST that failed the feed may be read first.
        while let next = phone.outbox.first, next.request.uploads.isEmpty { try meeting.carryOne(phone) }
        #expect(phone.outbox.first?.request.frozen == [spelled])
        try meeting.carry(phone)
        #expect(try meeting.onServer("42") == ["title": "Oat milk", "n": 1])
        #expect(try phone.phase("42") == .synced)
    }

    /// Spells the upload in the store as another version may have done: other blanks, another order, other escapes.
    private func respell(in store: MemoryStore) throws -> [UInt8] {
        var record = try #require(try store.record("42", in: Meeting.collection))
        let upload = try #require(record.upload)
        let edit = try JSON(parsing: upload.edit)
        let stamp = try #require(edit["updated_at"]?.text)
        let patch = try #require(edit["edited_data"]?.text).replacing("Oat", with: #"\u004fat"#)
        let text = """
            { "edited_data" : \(patch),\n\t"updated_at":\(stamp), "pk":"\\u0034\\u0032",
              "sync_state":"EDITED","request_id":"\(upload.requestID)" }
            """
        #expect(try JSON(parsing: text) == edit)
        record.upload?.edit = Array(text.utf8)
        try store.transaction { () throws(TidemarkError) in try store.save(record, in: Meeting.collection) }
        return Array(text.utf8)
    }
}
