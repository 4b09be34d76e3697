import CoreSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

@Suite struct `Members that the server owns (Contract §12)` {
    private static let quirks = LesserServer.Quirks(addsMembers: true)

    private func inSync() throws -> LesserScenario {
        let scenario = try LesserScenario(Self.quirks)
        try scenario.phone.create(["a": 1, "b": 1], pk: "42")
        try scenario.settle()
        return scenario
    }

    @Test func `server members are kept and shown as the server has them (I4)`() throws {
        let scenario = try self.inSync()
        #expect(try scenario.tablet.view("42") == ["a": 1, "b": 1, "id": "42", "last_modified": 1])
        #expect(try scenario.phone.view("42") == scenario.tablet.view("42"))
    }

    @Test func `a create whose answer was lost is recognized despite server members (R18)`() throws {
        let scenario = try LesserScenario(Self.quirks)
        try scenario.phone.create(["a": 1], pk: "42")
        try scenario.phone.sync(SyncScenario.collection)
        try scenario.loseAnswer(scenario.phone)
        try scenario.settle()
        #expect(try scenario.phone.phase("42") == .synced)
        #expect(scenario.phone.reports.allSatisfy { $0.conflicts.isEmpty })
        #expect(try scenario.phone.journal().isEmpty)
    }

    @Test func `equal creates of two devices are one record despite server members (R16)`() throws {
        let scenario = try LesserScenario(Self.quirks)
        try scenario.phone.create(["a": 1], pk: "42")
        try scenario.tablet.create(["a": 1], pk: "42")
        try scenario.settle()
        #expect(!scenario.tablet.events("42").contains(.clashed))
        #expect(try scenario.tablet.phase("42") == .synced)
    }

    @Test func `a record that is made again reaches the other device`() throws {
        let scenario = try self.inSync()
        try scenario.phone.edit("42") { $0.a = 2 }
        try scenario.tablet.delete("42")
        try scenario.sync(scenario.tablet)
        try scenario.settle()
        #expect(try scenario.phone.view("42")?.a == 2)
        #expect(try scenario.tablet.view("42") == scenario.phone.view("42"))
    }

    @Test func `server members cause no conflict and no loss when both devices edit`() throws {
        let scenario = try self.inSync()
        try scenario.phone.edit("42") { $0.a = 2 }
        try scenario.tablet.edit("42") { $0.b = 2 }
        try scenario.settle()
        for device in [scenario.phone, scenario.tablet] {
            #expect(try device.view("42") == ["a": 2, "b": 2, "id": "42", "last_modified": 3])
            #expect(try device.journal().isEmpty)
        }
        let merge = try #require(try scenario.tablet.store.record("42", in: SyncScenario.collection)?.lastMerge)
        #expect(try JSON(parsing: merge).from_server == ["/a"])
    }

    @Test func `an edit of a server member by the app is no change (R2)`() throws {
        let scenario = try self.inSync()
        try scenario.phone.edit("42") { $0.last_modified = 0 }
        #expect(try scenario.phone.phase("42") == .synced)
    }

    @Test func `a record replaced before its delete is sent has no server members (R23)`() throws {
        let scenario = try self.inSync()
        let former = try #require(try scenario.phone.view("42"))
        try scenario.phone.delete("42")
        try scenario.phone.create(former, pk: "42")
        #expect(try scenario.phone.phase("42") == .synced)
        try scenario.phone.delete("42")
        try scenario.phone.create(["id": "x", "c": 1], pk: "42")
        #expect(try scenario.phone.view("42") == ["id": "42", "c": 1, "last_modified": 1])
        try scenario.phone.sync(SyncScenario.collection)
        let upload = try #require(scenario.phone.outbox.first?.request.uploads.first)
        #expect(upload.patch?.text == #"[{"op":"replace","path":"","value":{"c":1}}]"#)
        #expect(try upload.record() == ["c": 1])
    }

    @Test func `undo of a create ignores the members that the server added`() throws {
        let scenario = try self.inSync()
        let engine = scenario.phone.engine
        let deleted = try engine.delete("42", in: SyncScenario.collection).value
        try scenario.settle()
        let made = try engine.undo(deleted, of: "42", in: SyncScenario.collection).value
        try scenario.settle()
        _ = try engine.undo(made, of: "42", in: SyncScenario.collection)
        #expect(try scenario.phone.phase("42") == .deleted(.idle))
    }
}

@Suite struct `Compared and sent members of a record (Contract §12)` {
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
    func `a change names neither server members nor carried ones`(base: JSON, content: JSON, patch: String?) throws {
        #expect(try self.changes.change(from: self.payload(base), to: self.payload(content))?.text == patch)
    }

    @Test func `a merge has the server members as the server has them`() throws {
        let merge = try self.changes.merge(
            base: self.payload(["id": 1, "a": 1, "b": 1]), server: self.payload(["id": 2, "a": 2, "b": 1]),
            client: self.payload(["id": 1, "a": 1, "b": 2]))
        #expect(!merge.hasClashes)
        #expect(try merge.byRules.json() == ["id": 2, "a": 2, "b": 2])
    }

    private func upload(_ edit: String, base: JSON?) throws -> UploadRequest {
        var upload = try UploadRequest(encodedEdit: Array(edit.utf8), base: base?.bytes)
        upload.members = self.changes.members
        return upload
    }

    private let base: JSON = ["id": 1, "a": 1, "_attachments": ["x": "stub"]]

    @Test func `a whole record is sent without server members and with carried ones`() throws {
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

    @Test func `a record is compared whole if the server owns no members`() throws {
        let content = self.payload(["a": 1])
        #expect(try JSONChanges().apply(JSONPatch([]), to: content) == content)
        #expect(RecordMembers(server: [.root]).isEmpty)
    }
}
