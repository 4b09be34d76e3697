import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

@Suite struct `Names that a server uses again (Contract §12)` {
    /// A device with the record “P”, which has the name 1 and was confirmed with a text.
    private func server(_ change: (inout RemoteCapabilities) -> Void = { _ in }) throws -> ScriptedServer {
        let server = try ScriptedServer {
            $0.names = .member(JSONPointer(tokens: ["ref"]))
            $0.judgesSeen = false
            change(&$0)
        }
        try server.pull(.row("P", 5, #"{"ref":"P","t":"of P"}"#, name: "1"))
        return server
    }

    private let stranger = FeedPage.Item.row("T", 3, #"{"ref":"T","t":"of T"}"#, name: "1")

    private func isJournalled(_ server: ScriptedServer) throws -> Bool {
        try server.journal().contains { entry in
            entry.pk == "P" && entry.reason == .serverRolledBack
                && String(decoding: entry.value ?? [], as: UTF8.self).contains("of P")
        }
    }

    @Test func `a row with another pk is another record, and the former values are journalled (I1)`() throws {
        let server = try self.server()
        server.listing = [self.stranger]
        try server.pull(self.stranger)
        #expect(try server.record("P") == nil)
        #expect(try server.record("T")?.name == "1")
        #expect(try self.isJournalled(server))
        #expect(server.report?.lostByServer == 1)
        #expect(server.report?.outcome == .inSync)
    }

    @Test(arguments: [#"{"t":"of T"}"#, #"{"ref":null,"t":"of T"}"#])
    func `a row without a pk is not the record that had its name`(data: String) throws {
        let server = try self.server()
        let row = FeedPage.Item.row("1", 3, data, name: "1")
        server.listing = [row]
        try server.pull(row)
        #expect(try server.record("P") == nil)
        #expect(try server.record("1")?.confirmed.version == "3")
        #expect(try self.isJournalled(server))
        try server.pull(.row("1", 4, data, name: "1"))
        #expect(try server.record("1")?.confirmed.version == "4")
        #expect(try server.journal().count == 1)
    }

    @Test(arguments: [
        ("P", #"{"ref":7}"#), ("P", #"{"ref":["P"]}"#), ("P", #"{"ref":""}"#), ("P", #"{"ref":"T"}"#),
        ("", #"{"ref":""}"#),
        ("", "{}"), ("T", #"{"ref":7}"#),
    ])
    func `a row whose pk is malformed or not that of its member changes no record`(pk: String, data: String) throws {
        let server = try self.server()
        let row = FeedPage.Item.row(pk, 6, data, name: "1")
        for _ in 0..<SyncLimits().malformedTries { try server.pull(row) }
        #expect(try server.record("P")?.confirmed.version == "5")
        #expect(try server.store.quarantinedItems(in: "notes").map(\.pk) == ["1"])
        #expect(server.report?.outcome == .held)
    }

    @Test func `a deletion with another pk is not that of the record (I1)`() throws {
        let server = try self.server()
        try server.pull(.row("T", 3, nil, name: "1"))
        #expect(try self.isJournalled(server))
    }

    @Test func `a change of the former record is never sent to the other (I1, I2)`() throws {
        let server = try self.server()
        #expect(try server.begin().isEmpty)
        try server.edit("P") { $0.t = "edited" }
        server.listing = [self.stranger]
        let sent = try server.answer([self.stranger])
        #expect(sent.map(\.intent) == [.create])
        #expect(sent.allSatisfy { $0.pk == "P" && $0.name == nil })
        #expect(try server.record("T")?.phase == .synced)
    }

    @Test func `a change whose answer was lost is sent again without the name (R17)`() throws {
        let server = try self.server { $0.repetition = .recognized }
        try server.edit("P") { $0.t = "edited" }
        _ = try server.begin()
        server.listing = [self.stranger]
        let read = try server.sendAgain()
        #expect(read == nil)
        let again = try #require(try server.answer([self.stranger]).first)
        #expect(again.pk == "P" && again.intent == .edit && again.name == nil)
        let gone = UploadResult(requestID: again.requestID, outcome: .conflicted(StoredVersion()))
        let created = try #require(try server.answer([], gone).first)
        #expect(created.intent == .create && created.name == nil)
        #expect(try created.record()?.ref == "P")
    }

    @Test(arguments: [#"{"ref":"T","t":"of T"}"#, #"{"t":"of T"}"#])
    func `a conflict with the row of another record is not merged (I1)`(data: String) throws {
        let server = try self.server()
        try server.edit("P") { $0.n = 1 }
        let edit = try #require(try server.begin().first)
        server.listing = [self.stranger]
        let met = UploadResult(
            requestID: edit.requestID, outcome: .conflicted(StoredVersion(version: "3", data: Array(data.utf8))))
        let sent = try server.answer([], met)
        #expect(sent.allSatisfy { $0.name == nil })
        #expect(try server.record("T")?.confirmed.version == "3")
    }

    @Test func `an edit that the server accepted for another record is unconfirmed (I4)`() throws {
        let server = try self.server { $0.repetition = .recognized }
        try server.edit("P") { $0.n = 1 }
        let edit = try #require(try server.begin().first)
        server.listing = [self.stranger]
        let again = try #require(try server.answer([], edit.accepted(#"{"ref":"T","n":1}"#, 6)).first)
        #expect(again.pk == "P" && again.name == nil)
        #expect(try server.record("T")?.confirmed.version == "3")
    }

    @Test func `a conflict with a row whose pk is no text holds the edit`() throws {
        let server = try self.server()
        try server.edit("P") { $0.n = 1 }
        let edit = try #require(try server.begin().first)
        let met = UploadResult(
            requestID: edit.requestID,
            outcome: .conflicted(StoredVersion(version: "6", data: Array(#"{"ref":7}"#.utf8))))
        #expect(try server.answer([], met).isEmpty)
        #expect(try server.record("P")?.phase == .edited(.held))
        #expect(try server.record("P")?.confirmed.version == "5")
    }

    @Test func `a create that gets the name of another record shows that the server was restored`() throws {
        let server = try self.server { $0.repetition = .recognized }
        try server.create(["t": "new"], pk: "N")
        let create = try #require(try server.begin().first)
        server.listing = [.row("N", 1, #"{"ref":"N","t":"new"}"#, name: "1")]
        #expect(try server.answer([], create.accepted(#"{"ref":"N","t":"new"}"#, 1, name: "1")).isEmpty)
        #expect(try server.record("N")?.phase == .synced)
        #expect(try server.record("N")?.name == "1")
        #expect(try server.record("P") == nil)
        #expect(try self.isJournalled(server))
    }

    @Test func `a create that gets the name of a row without a pk shows that the server was restored (I1)`() throws {
        let server = try ScriptedServer {
            $0.names = .member(JSONPointer(tokens: ["ref"]))
            ($0.judgesSeen, $0.repetition) = (false, .recognized)
        }
        try server.pull(.row("1", 5, #"{"t":"of the office"}"#, name: "1"))
        try server.create(["t": "new"], pk: "N")
        let create = try #require(try server.begin().first)
        server.listing = [.row("N", 1, #"{"ref":"N","t":"new"}"#, name: "1")]
        try server.answer([], create.accepted(#"{"ref":"N","t":"new"}"#, 1, name: "1"))
        #expect(try server.record("N")?.name == "1")
        #expect(try server.record("1") == nil)
        #expect(try server.journal().map(\.pk) == ["1"])
    }

    @Test func `a record that the restored server has under another name keeps its changes`() throws {
        let server = try self.server()
        #expect(try server.begin().isEmpty)
        try server.edit("P") { $0.n = 1 }
        server.listing = [.row("P", 2, #"{"ref":"P","t":"of P"}"#, name: "7"), self.stranger]
        let sent = try #require(try server.answer([self.stranger]).first)
        #expect(sent.name == "7" && sent.intent == .edit)
        #expect(try server.journal().isEmpty)
    }

    @Test func `a name used again after the deletion of its record is no restore`() throws {
        let server = try self.server()
        try server.pull(.row("1", 6, nil, name: "1"), .row("T", 7, #"{"ref":"T"}"#, name: "1"))
        #expect(try server.record("P") == nil)
        #expect(try server.record("T")?.name == "1")
        #expect(server.report?.lostByServer == nil)
    }

    @Test func `a name used again after a deletion that waits for an unconfirmed edit is no restore`() throws {
        let server = try self.server { $0.repetition = .recognized }
        try server.edit("P") { $0.n = 1 }
        _ = try server.begin()
        _ = try server.sendAgain()
        _ = try server.answer([.row("1", 6, nil, name: "1")])
        _ = try server.sendAgain()
        let again = try server.answer([.row("T", 7, #"{"ref":"T"}"#, name: "1")])
        #expect(again.allSatisfy { $0.pk == "P" && $0.name == nil })
        #expect(try server.record("T")?.confirmed.version == "7")
        #expect(try server.journal().isEmpty)
    }

    @Test func `a name used again after the deletion of an edited record is not that record's`() throws {
        let server = try self.server()
        #expect(try server.begin().isEmpty)
        try server.edit("P") { $0.n = 1 }
        let sent = try server.answer([.row("1", 6, nil, name: "1"), .row("T", 7, #"{"ref":"T"}"#, name: "1")])
        #expect(sent.allSatisfy { $0.intent == .create && $0.name == nil })
        #expect(try server.record("T")?.confirmed.version == "7")
    }

    @Test func `the later of two rows with one name in a full resync has it`() throws {
        let server = try self.server()
        server.listing = [self.stranger, .row("U", 4, #"{"ref":"U"}"#, name: "1")]
        try server.pull(self.stranger)
        #expect(try server.record("T") == nil)
        #expect(try server.record("U")?.name == "1")
    }

    @Test func `a row of the same record under its name changes nothing else`() throws {
        let server = try self.server()
        try server.pull(.row("P", 6, #"{"ref":"P","t":"new"}"#, name: "1"))
        #expect(try server.record("P")?.confirmed.version == "6")
        #expect(try server.journal().isEmpty)
        #expect(server.report?.lostByServer == nil)
    }

    @Test func `a server that answers with the name of another record again and again ends the sync (I8)`() throws {
        let server = try self.server { $0.repetition = .recognized }
        try server.create(["t": "new"], pk: "N")
        server.listing = [.row("P", 5, #"{"ref":"P","t":"of P"}"#, name: "1")]
        var (posts, sent) = (0, try server.begin())
        while let create = sent.first {
            posts += 1
            try #require(posts < 10)
            sent = try server.answer([], create.accepted(#"{"ref":"N","t":"new"}"#, 6, name: "1"))
        }
        #expect(try server.record("P")?.name == "1")
        #expect(try server.record("N")?.phase == .created(.unconfirmed))
        #expect(try server.journal().isEmpty)
    }
}
