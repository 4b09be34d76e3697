import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

@Suite struct `Members of a record that are the server's (SPEC §12)` {
    private static let quirks = LesserServer.Quirks(addsMembers: true)

    private func inStep() throws -> LesserMeeting {
        let meeting = try LesserMeeting(Self.quirks)
        try meeting.phone.create(["a": 1, "b": 1], pk: "42")
        try meeting.settle()
        return meeting
    }

    @Test func `they are kept and shown as the server has them (I4)`() throws {
        let meeting = try self.inStep()
        #expect(try meeting.tablet.view("42") == ["a": 1, "b": 1, "id": "42", "last_modified": 1])
        #expect(try meeting.phone.view("42") == meeting.tablet.view("42"))
    }

    @Test func `R18 a create whose answer was lost is known again, though the server has added to it`() throws {
        let meeting = try LesserMeeting(Self.quirks)
        try meeting.phone.create(["a": 1], pk: "42")
        try meeting.phone.sync(Meeting.collection)
        try meeting.loseAnswer(meeting.phone)
        try meeting.settle()
        #expect(try meeting.phone.phase("42") == .synced)
        #expect(meeting.phone.reports.allSatisfy { $0.conflicts.isEmpty })
        #expect(try meeting.phone.journal().isEmpty)
    }

    @Test func `R16 equal records made on two devices are one, though the server has added to one`() throws {
        let meeting = try LesserMeeting(Self.quirks)
        try meeting.phone.create(["a": 1], pk: "42")
        try meeting.tablet.create(["a": 1], pk: "42")
        try meeting.settle()
        #expect(!meeting.tablet.events("42").contains(.clashed))
        #expect(try meeting.tablet.phase("42") == .synced)
    }

    @Test func `a record that is made again is news to the other device`() throws {
        let meeting = try self.inStep()
        try meeting.phone.edit("42") { $0.a = 2 }
        try meeting.tablet.delete("42")
        try meeting.sync(meeting.tablet)
        try meeting.settle()
        #expect(try meeting.phone.view("42")?.a == 2)
        #expect(try meeting.tablet.view("42") == meeting.phone.view("42"))
    }

    @Test func `they make no conflict and no loss where both change a record`() throws {
        let meeting = try self.inStep()
        try meeting.phone.edit("42") { $0.a = 2 }
        try meeting.tablet.edit("42") { $0.b = 2 }
        try meeting.settle()
        for device in [meeting.phone, meeting.tablet] {
            #expect(try device.view("42") == ["a": 2, "b": 2, "id": "42", "last_modified": 3])
            #expect(try device.journal().isEmpty)
        }
        let merge = try #require(try meeting.tablet.store.record("42", in: Meeting.collection)?.lastMerge)
        #expect(try JSON(parsing: merge).from_server == ["/a"])
    }

    @Test func `an edit of one by the app is none (R2)`() throws {
        let meeting = try self.inStep()
        try meeting.phone.edit("42") { $0.last_modified = 0 }
        #expect(try meeting.phone.phase("42") == .synced)
    }

    @Test func `a record that is replaced while its delete waits is sent without them (R23)`() throws {
        let meeting = try self.inStep()
        let former = try #require(try meeting.phone.view("42"))
        try meeting.phone.delete("42")
        try meeting.phone.create(former, pk: "42")
        #expect(try meeting.phone.phase("42") == .synced)
        try meeting.phone.delete("42")
        try meeting.phone.create(["id": "x", "c": 1], pk: "42")
        #expect(try meeting.phone.view("42") == ["id": "42", "c": 1, "last_modified": 1])
        try meeting.phone.sync(Meeting.collection)
        let upload = try #require(meeting.phone.outbox.first?.request.uploads.first)
        #expect(upload.patch?.text == #"[{"op":"replace","path":"","value":{"c":1}}]"#)
        #expect(try upload.record() == ["c": 1])
    }

    @Test func `undoing that a record was made is no matter of what the server added`() throws {
        let meeting = try self.inStep()
        let engine = meeting.phone.engine
        let deleted = try engine.delete("42", in: Meeting.collection).value
        try meeting.settle()
        let made = try engine.undo(deleted, of: "42", in: Meeting.collection).value
        try meeting.settle()
        _ = try engine.undo(made, of: "42", in: Meeting.collection)
        #expect(try meeting.phone.phase("42") == .deleted(.idle))
    }
}

@Suite struct `What of a record is compared and sent (SPEC §12)` {
    private let changes = JSONChanges(
        members: RecordMembers(
            server: [JSONPointer(tokens: ["id"]), JSONPointer(tokens: ["meta", "etag"])],
            carried: [JSONPointer(tokens: ["_attachments"])]))

    private func payload(_ json: JSON) -> RecordPayload { RecordPayload(json) }

    @Test(
        arguments: [
            (["a": 1, "id": 7], ["a": 1], nil),
            (["a": 1], ["a": 1, "id": 7, "_attachments": ["x": 1]], nil),
            (["meta": ["etag": 1, "tags": 2]], ["meta": ["etag": 2, "tags": 2]], nil),
            (
                ["meta": ["etag": 1]], ["meta": ["etag": 2, "tags": 2]],
                #"[{"op":"add","path":"/meta/tags","value":2}]"#
            ),
            (["id": 1, "a": 1], ["id": 2, "a": 2], #"[{"op":"replace","path":"/a","value":2}]"#),
        ] as [(JSON, JSON, String?)])
    func `a change names none of them`(base: JSON, content: JSON, patch: String?) throws {
        #expect(try self.changes.change(from: self.payload(base), to: self.payload(content))?.text == patch)
    }

    @Test func `a merge shows them as the server has them`() throws {
        let merge = try self.changes.merge(
            base: self.payload(["id": 1, "a": 1, "b": 1]), server: self.payload(["id": 2, "a": 2, "b": 1]),
            client: self.payload(["id": 1, "a": 1, "b": 2]))
        #expect(!merge.clashes)
        #expect(try merge.content.json() == ["id": 2, "a": 2, "b": 2])
    }

    private func upload(_ edit: String, base: JSON?) throws -> UploadRequest {
        var upload = try UploadRequest(frozen: Array(edit.utf8), base: base?.bytes)
        upload.members = self.changes.members
        return upload
    }

    private let base: JSON = ["id": 1, "a": 1, "_attachments": ["x": "stub"]]

    @Test func `a whole record goes without the server's, and with those that travel`() throws {
        let edit = try self.upload(
            #"{"request_id":"r","pk":"42","sync_state":"EDITED","updated_at":7,"edited_data":[{"op":"add","path":"/b","value":2}]}"#,
            base: self.base)
        #expect(try edit.record() == ["a": 1, "_attachments": ["x": "stub"], "b": 2])
        #expect(try edit.mergePatch()?.json == ["b": 2])
        let replacement = try self.upload(
            #"{"request_id":"r","pk":"42","sync_state":"EDITED","updated_at":7,"edited_data":[{"op":"replace","path":"","value":{"b":2}}]}"#,
            base: self.base)
        #expect(try replacement.record() == ["b": 2, "_attachments": ["x": "stub"]])
    }

    @Test func `a record is looked at whole where the server has no members of its own`() throws {
        let content = self.payload(["a": 1])
        #expect(try JSONChanges().apply(JSONPatch([]), to: content) == content)
        #expect(RecordMembers(server: [.root]).isEmpty)
    }
}
