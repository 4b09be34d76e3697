import CoreSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

@Suite struct FrozenUploadTests {
    @Test(arguments: [false, true])
    func `an upload is sent again byte for byte, however the store spells it (I5, R17)`(isRestarted: Bool) throws {
        let scenario = try SyncScenario()
        let phone = scenario.phone
        try phone.create(["title": "Milk"], pk: "42")
        try scenario.settle()
        try phone.edit("42") { $0.title = "Oat milk" }
        try phone.sync(SyncScenario.collection)
        try scenario.loseAnswer(phone)
        let spelled = try self.respell(in: phone.store)
        if isRestarted { try phone.restart() }
        try phone.edit("42") { $0.n = 1 }
        try phone.sync(SyncScenario.collection)
        // After a failed POST the client may read the feed first.
        while let next = phone.outbox.first, next.request.uploads.isEmpty { try scenario.carryOne(phone) }
        #expect(phone.outbox.first?.request.encodedEdit == [spelled])
        try scenario.carry(phone)
        #expect(try scenario.onServer("42") == ["title": "Oat milk", "n": 1])
        #expect(try phone.phase("42") == .synced)
    }

    /// Rewrites the stored upload as another version may have written it: with other blanks, another order, other escapes.
    private func respell(in store: MemoryStore) throws -> [UInt8] {
        var record = try #require(try store.record("42", in: SyncScenario.collection))
        let upload = try #require(record.upload)
        let edit = try JSON(parsing: upload.edit)
        let version = try #require(edit["updated_at"]?.text)
        let patch = try #require(edit["edited_data"]?.text).replacing("Oat", with: #"\u004fat"#)
        let text = """
            { "edited_data" : \(patch),\n\t"updated_at":\(version), "pk":"\\u0034\\u0032",
              "sync_state":"EDITED","request_id":"\(upload.requestID)" }
            """
        #expect(try JSON(parsing: text) == edit)
        record.upload?.edit = Array(text.utf8)
        try store.transaction { () throws(TidemarkError) in try store.save(record, in: SyncScenario.collection) }
        return Array(text.utf8)
    }
}
