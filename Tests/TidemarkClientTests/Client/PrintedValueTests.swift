import CoreSupport
import TidemarkCore
import TidemarkJSON
import TidemarkRules
import TidemarkServer
import TidemarkTesting
import Testing

@Suite struct `Printed values` {
    @Test func `a payload prints as text, not as a list of numbers`() async throws {
        let server = try InProcessServer()
        let client = try SyncClient(
            store: MemoryStore(), remote: InProcessRemote(server), configuration: SyncConfiguration(),
            time: server.clock, seed: 1)
        let notes = client["notes"]
        try await notes.create(["n": 1], pk: "1")
        #expect(try await "\(notes.preview)" == #"[1: CREATED [{"op":"add","path":"","value":{"n":1}}]]"#)
        _ = try await client.sync()
        try await notes["1"].edit { $0.n = 2 }
        let snapshot = try #require(try await notes["1"].snapshot())
        let text = "\(snapshot)"
        #expect(text.hasPrefix(#"1: EDITED.idle, view {"n":2}, data version "#), "\(text)")
        #expect(text.hasSuffix(#": {"n":1}, edited_data [{"op":"replace","path":"/n","value":2}]"#), "\(text)")
        try await notes["1"].resign()
        #expect(try await "\(notes.journal)" == #"[1: 1, resign: the client's value at /n lost: 2]"#)
        let edit = #"{"request_id":"u","pk":"1","sync_state":"DELETED"}"#
        let upload = try UploadRequest(encodedEdit: Array(edit.utf8))
        let request = ExchangeRequest(collection: "notes", uploads: [upload, upload], cursor: nil, limit: 1)
        #expect("\(request)" == "POST notes from the start [\(edit),\(edit)]")
        #expect("\(RecordPayload(["a": 1]))" == #"{"a":1}"#)
        #expect("\(StoredUpload(requestID: "u", edit: [0x7B, 0x7D], wasResent: true))" == "u (sent again): {}")
    }

    @Test(arguments: [
        ("/n", "2", "the client's value at /n lost: 2"), ("", #"{"n":2}"#, #"the client's record lost: {"n":2}"#),
        ("/n", nil, "the client's removal of /n lost"), ("", nil, "the client's removal of the record lost"),
    ])
    func `a journal entry prints the lost value as a sentence`(path: String, value: String?, sentence: String) {
        let entry = StoredJournalEntry(
            number: 3, pk: "1", reason: .merge, lost: .client, path: path, value: value.map { Array($0.utf8) },
            version: nil)
        #expect("\(entry)" == "3: 1, merge: \(sentence)")
        #expect(entry.sentence == sentence)
    }
}
