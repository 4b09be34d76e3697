import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

@Suite struct `Rows of a server that assigns the names (Contract §12)` {
    private func server() throws -> ScriptedServer {
        try ScriptedServer { $0.names = .member(JSONPointer(tokens: ["uid"])) }
    }

    @Test func `the second of two records with the same pk is quarantined and reported`() throws {
        let server = try self.server()
        try server.pull(.row("a", 1, #"{"n":1}"#, name: "n1"), .row("a", 2, #"{"n":2}"#, name: "n2"))
        #expect(try server.record("a")?.name == "n1")
        #expect(try server.record("a")?.confirmed.version == "1")
        #expect(server.report?.outcome == .held)
        #expect(server.report?.held == ["n2"])
        let item = try #require(try server.store.quarantinedItems(in: "notes").first)
        #expect(item.reason.hasPrefix("the server may have two records with the pk “a”, and “n2” came second; look at"))
    }

    @Test func `a record quarantined for a used pk is applied when the record with that pk is deleted`() throws {
        let server = try self.server()
        try server.pull(.row("a", 1, #"{"n":1}"#, name: "n1"), .row("a", 2, #"{"n":2}"#, name: "n2"))
        try server.pull(.row("a", 3, nil, name: "n1"), .row("a", 4, #"{"n":2}"#, name: "n2"))
        #expect(try server.record("a")?.name == "n2")
        #expect(try server.store.quarantinedItems(in: "notes").isEmpty)
        #expect(server.report?.outcome == .inSync)
    }

    @Test func `a deletion of the second record ends the quarantine and keeps the first`() throws {
        let server = try self.server()
        try server.pull(.row("a", 1, #"{"n":1}"#, name: "n1"), .row("a", 2, #"{"n":2}"#, name: "n2"))
        try server.pull(.row("a", 3, nil, name: "n2"))
        #expect(try server.record("a")?.confirmed.version == "1")
        #expect(try server.store.quarantinedItems(in: "notes").isEmpty)
    }

    @Test(arguments: [true, false])
    func `a record deleted on the server and changed here loses its name, and is made anew`(isListed: Bool) throws {
        let server = try self.server()
        try server.pull(.row("a", 1, #"{"n":1}"#, name: "n1"))
        try server.edit("a") { $0.n = 2 }
        let first = try #require(try server.begin().first)
        #expect(first.name == "n1")
        let gone = UploadResult(requestID: first.requestID, outcome: .conflicted(StoredVersion(version: "2")))
        let again = try #require(try server.answer(isListed ? [.row("n1", 2, nil, name: "n1")] : [], gone).first)
        #expect(again.intent == .create)
        #expect(try server.record("a")?.name == nil)
    }

    @Test func `a record accepted and then deleted by the server loses its name, and is made anew (R4)`() throws {
        let server = try self.server()
        try server.pull(.row("a", 1, #"{"n":1}"#, name: "n1"))
        try server.edit("a") { $0.n = 2 }
        let first = try #require(try server.begin().first)
        try server.edit("a") { $0.n = 3 }
        let gone = UploadResult(requestID: first.requestID, outcome: .accepted(StoredVersion(version: "2")))
        let again = try #require(try server.answer([], gone).first)
        #expect(again.intent == .create)
        #expect(try server.record("a")?.name == nil)
    }

    @Test func `a record changed before its deletion was read loses its name`() throws {
        let server = try self.server()
        try server.pull(.row("a", 1, #"{"n":1}"#, name: "n1"))
        let edits = try server.begin()
        #expect(edits.isEmpty)
        try server.edit("a") { $0.n = 2 }
        let again = try #require(try server.answer([.row("n1", 2, nil, name: "n1")]).first)
        #expect(again.intent == .create)
        #expect(try server.record("a")?.name == nil)
    }

    @Test func `a name that comes with a refusal removes nothing`() throws {
        let server = try self.server()
        try server.pull(.row("a", 1, #"{"n":1}"#, name: "n1"))
        try server.create(["n": 2], pk: "b")
        let refused = try #require(try server.begin().first)
        let problem = ProblemDetails(status: 422, title: "no", document: [:])
        try server.answer([], UploadResult(requestID: refused.requestID, outcome: .refused(problem), name: "n1"))
        #expect(try server.record("a")?.name == "n1")
        #expect(try server.record("b")?.name == nil)
    }

    @Test func `a name that another record has removes nothing`() throws {
        let server = try ScriptedServer { $0.names = .server }
        try server.pull(.row("a", 1, #"{"n":1}"#, name: "n1"))
        try server.create(["n": 3], pk: "c")
        let taken = try #require(try server.begin().first { $0.pk == "c" })
        try server.answer([], taken.accepted(#"{"n":3}"#, 2, name: "n1"))
        #expect(try server.record("a") != nil)
        #expect(try server.record("c") != nil)
    }

    @Test func `a valid row ends the quarantine of the record to which the row belongs by its server name`() throws {
        let server = try self.server()
        try server.pull(.row("a", 1, #"{"n":1}"#, name: "n1"))
        try server.store.transaction { () throws(TidemarkError) in
            try server.store.quarantine(QuarantinedItem(pk: "a", reason: "no"), in: "notes")
        }
        try server.pull(.row("n1", 2, nil, name: "n1"))
        #expect(try server.record("a") == nil)
        #expect(try server.store.quarantinedItems(in: "notes").isEmpty)
    }

    @Test(arguments: ["7", #""""#, #""\ud800""#])
    func `an item with an invalid name is quarantined, and other items are applied`(name: String) throws {
        let server = try self.server()
        let bad = FeedPage.Item(pk: #""a""#, version: "1", data: "{}", name: name)
        for _ in 0..<SyncLimits().malformedTries { try server.pull(bad, .row("b", 2, "{}", name: "n2")) }
        #expect(try server.record("a") == nil)
        #expect(try server.record("b")?.name == "n2")
        #expect(try server.store.quarantinedItems(in: "notes").map(\.pk) == ["a"])
        #expect(server.report?.outcome == .held)
    }

    @Test func `a pk that belongs in a nested member is sent in that member`() throws {
        let server = try ScriptedServer { $0.names = .member(JSONPointer(tokens: ["meta", "uid"])) }
        try server.create(["n": 1], pk: "42")
        let upload = try #require(try server.begin().first)
        #expect(try upload.record() == ["n": 1, "meta": ["uid": "42"]])
        try server.answer([], upload.accepted(#"{"n":1,"meta":{"uid":"42"}}"#, 1, name: "n1"))
        try server.edit("42") { $0.meta = ["uid": "43"] }
        #expect(try server.record("42")?.phase == .synced)
    }
}

@Suite struct `Rows of a server that checks before it writes (Contract §12)` {
    private func inSync(watch: Duration = .seconds(10)) throws -> ScriptedServer {
        let server = try ScriptedServer { $0.condition = .checkedFirst(watch: watch) }
        try server.pull(.row("a", 1, #"{"n":1}"#))
        try server.edit("a") { $0.n = 2 }
        return server
    }

    @Test func `an edit that another write undid before its answer is restored (I1)`() throws {
        let server = try self.inSync()
        let upload = try #require(try server.begin().first)
        let again = try #require(try server.answer([], upload.accepted(#"{"n":1}"#, 3)).first)
        #expect(try again.record() == ["n": 2])
        #expect(try server.journal().map(\.reason) == [.overwritten])
    }

    @Test func `an edit that another write replaced before its answer is journalled (I2)`() throws {
        let server = try self.inSync()
        let upload = try #require(try server.begin().first)
        #expect(try server.answer([], upload.accepted(#"{"n":7}"#, 3)).isEmpty)
        let entry = try #require(try server.journal().first)
        #expect(entry.reason == .overwritten && entry.lost == .client)
        #expect(entry.value == Array("2".utf8))
    }

    @Test func `an edit undone by a deletion and an older row in one page is restored (I1)`() throws {
        let server = try self.inSync()
        let upload = try #require(try server.begin().first)
        try server.answer([], upload.accepted(#"{"n":2}"#, 2))
        #expect(try server.begin().isEmpty)
        let again = try #require(try server.answer([.row("a", 3, nil), .row("a", 4, #"{"n":1}"#)]).first)
        #expect(try again.record() == ["n": 2])
    }

    @Test func `a watch that began with a fast clock ends by the corrected clock`() throws {
        let server = try self.inSync()
        server.now = .seconds(1_000_000)
        let upload = try #require(try server.begin().first)
        try server.answer([], upload.accepted(#"{"n":2}"#, 2))
        server.now = .seconds(100)
        try server.pull()
        #expect(server.report?.watched == 1)
        server.now = .seconds(111)
        try server.pull()
        #expect(server.report?.watched == 0)
        #expect(try server.record("a")?.watched == nil)
    }

    @Test func `a watch has a maximum duration`() throws {
        let server = try self.inSync(watch: .seconds(Int64.max))
        let upload = try #require(try server.begin().first)
        try server.answer([], upload.accepted(#"{"n":2}"#, 2))
        #expect(server.report?.watched == 1)
        server.now = .seconds(366 * 86_400)
        try server.pull()
        #expect(server.report?.watched == 0)
    }
}
