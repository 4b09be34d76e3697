import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

@Suite struct `Rows of a server that makes the names (SPEC §12)` {
    private func server() throws -> ScriptedServer {
        try ScriptedServer { $0.names = .member(JSONPointer(tokens: ["uid"])) }
    }

    @Test func `of two records with one pk the first stands, and the second is set aside and shown`() throws {
        let server = try self.server()
        try server.pull(.row("a", 1, #"{"n":1}"#, name: "n1"), .row("a", 2, #"{"n":2}"#, name: "n2"))
        #expect(try server.record("a")?.name == "n1")
        #expect(try server.record("a")?.confirmed.stamp == "1")
        #expect(server.report?.outcome == .held)
        #expect(server.report?.held == ["n2"])
        let item = try #require(try server.store.itemsSetAside(in: "notes").first)
        #expect(item.reason == "the server has two records with the pk “a”, and “n2” came second")
    }

    @Test func `the second one comes in once the first is gone`() throws {
        let server = try self.server()
        try server.pull(.row("a", 1, #"{"n":1}"#, name: "n1"), .row("a", 2, #"{"n":2}"#, name: "n2"))
        try server.pull(.row("a", 3, nil, name: "n1"), .row("a", 4, #"{"n":2}"#, name: "n2"))
        #expect(try server.record("a")?.name == "n2")
        #expect(try server.store.itemsSetAside(in: "notes").isEmpty)
        #expect(server.report?.outcome == .inStep)
    }

    @Test func `a deletion of the second one leaves the first alone, and ends what was set aside`() throws {
        let server = try self.server()
        try server.pull(.row("a", 1, #"{"n":1}"#, name: "n1"), .row("a", 2, #"{"n":2}"#, name: "n2"))
        try server.pull(.row("a", 3, nil, name: "n2"))
        #expect(try server.record("a")?.confirmed.stamp == "1")
        #expect(try server.store.itemsSetAside(in: "notes").isEmpty)
    }

    @Test(arguments: [true, false])
    func `what is deleted there and changed here loses its name, and is made anew`(isListed: Bool) throws {
        let server = try self.server()
        try server.pull(.row("a", 1, #"{"n":1}"#, name: "n1"))
        try server.edit("a") { $0.n = 2 }
        let first = try #require(try server.begin().first)
        #expect(first.name == "n1")
        let gone = UploadResult(requestID: first.requestID, outcome: .conflicted(StoredVersion(stamp: "2")))
        let again = try #require(try server.answer(isListed ? [.row("n1", 2, nil, name: "n1")] : [], gone).first)
        #expect(again.intent == .create)
        #expect(try server.record("a")?.name == nil)
    }

    @Test func `what was taken and then deleted there loses its name, and is made anew (R4)`() throws {
        let server = try self.server()
        try server.pull(.row("a", 1, #"{"n":1}"#, name: "n1"))
        try server.edit("a") { $0.n = 2 }
        let first = try #require(try server.begin().first)
        try server.edit("a") { $0.n = 3 }
        let gone = UploadResult(requestID: first.requestID, outcome: .accepted(StoredVersion(stamp: "2")))
        let again = try #require(try server.answer([], gone).first)
        #expect(again.intent == .create)
        #expect(try server.record("a")?.name == nil)
    }

    @Test func `what was changed before its deletion was listed loses its name`() throws {
        let server = try self.server()
        try server.pull(.row("a", 1, #"{"n":1}"#, name: "n1"))
        let edits = try server.begin()
        #expect(edits.isEmpty)
        try server.edit("a") { $0.n = 2 }
        let again = try #require(try server.answer([.row("n1", 2, nil, name: "n1")]).first)
        #expect(again.intent == .create)
        #expect(try server.record("a")?.name == nil)
    }

    @Test func `a name that comes with a refusal, or that another record has, removes nothing`() throws {
        let server = try self.server()
        try server.pull(.row("a", 1, #"{"n":1}"#, name: "n1"))
        try server.create(["n": 2], pk: "b")
        let refused = try #require(try server.begin().first)
        let problem = ProblemDetails(status: 422, title: "no", document: [:])
        try server.answer([], UploadResult(requestID: refused.requestID, outcome: .refused(problem), name: "n1"))
        #expect(try server.record("a")?.name == "n1")
        #expect(try server.record("b")?.name == nil)
        try server.create(["n": 3], pk: "c")
        let taken = try #require(try server.begin().first { $0.pk == "c" })
        try server.answer([], taken.accepted(#"{"n":3}"#, 2, name: "n1"))
        #expect(try server.record("a") != nil)
        #expect(try server.record("c") != nil)
    }

    @Test func `a row that makes sense ends what was set aside of the record that its name is of`() throws {
        let server = try self.server()
        try server.pull(.row("a", 1, #"{"n":1}"#, name: "n1"))
        try server.store.transaction { () throws(TidemarkError) in
            try server.store.setAside(ItemSetAside(pk: "a", reason: "no"), in: "notes")
        }
        try server.pull(.row("n1", 2, #"{"n":2}"#, name: "n1"))
        #expect(try server.record("a")?.confirmed.stamp == "2")
        #expect(try server.store.itemsSetAside(in: "notes").isEmpty)
    }

    @Test(arguments: ["7", #""""#, #""\ud800""#])
    func `a name that is none is set aside, and its neighbours are taken in`(name: String) throws {
        let server = try self.server()
        let bad = FeedPage.Item(pk: #""a""#, stamp: "1", data: "{}", name: name)
        for _ in 0..<SyncLimits().malformedTries { try server.pull(bad, .row("b", 2, "{}", name: "n2")) }
        #expect(try server.record("a") == nil)
        #expect(try server.record("b")?.name == "n2")
        #expect(try server.store.itemsSetAside(in: "notes").map(\.pk) == ["a"])
        #expect(server.report?.outcome == .held)
    }

    @Test func `a pk in a nested member is sent where it belongs`() throws {
        let server = try ScriptedServer { $0.names = .member(JSONPointer(tokens: ["meta", "uid"])) }
        try server.create(["n": 1], pk: "42")
        let upload = try #require(try server.begin().first)
        #expect(try upload.record() == ["n": 1, "meta": ["uid": "42"]])
        try server.answer([], upload.accepted(#"{"n":1,"meta":{"uid":"42"}}"#, 1, name: "n1"))
        try server.edit("42") { $0.meta = ["uid": "43"] }
        #expect(try server.record("42")?.phase == .synced)
    }
}

@Suite struct `What a server that checks first shows afterwards (SPEC §12)` {
    private func inStep(watch: Duration = .seconds(10)) throws -> ScriptedServer {
        let server = try ScriptedServer { $0.condition = .checkedFirst(watch: watch) }
        try server.pull(.row("a", 1, #"{"n":1}"#))
        try server.edit("a") { $0.n = 2 }
        return server
    }

    @Test func `I1 an edit that another write undid before it was answered is put back`() throws {
        let server = try self.inStep()
        let upload = try #require(try server.begin().first)
        let again = try #require(try server.answer([], upload.accepted(#"{"n":1}"#, 3)).first)
        #expect(try again.record() == ["n": 2])
        #expect(try server.journal().map(\.reason) == [.overwritten])
    }

    @Test func `I2 an edit that another write replaced before it was answered is journalled`() throws {
        let server = try self.inStep()
        let upload = try #require(try server.begin().first)
        #expect(try server.answer([], upload.accepted(#"{"n":7}"#, 3)).isEmpty)
        let entry = try #require(try server.journal().first)
        #expect(entry.reason == .overwritten && entry.lost == .client)
        #expect(entry.value == Array("2".utf8))
    }

    @Test func `I1 a deletion and a row of what was there before, in one page, are seen through`() throws {
        let server = try self.inStep()
        let upload = try #require(try server.begin().first)
        try server.answer([], upload.accepted(#"{"n":2}"#, 2))
        #expect(try server.begin().isEmpty)
        let again = try #require(try server.answer([.row("a", 3, nil), .row("a", 4, #"{"n":1}"#)]).first)
        #expect(try again.record() == ["n": 2])
    }

    @Test func `a watch that began by a clock far ahead ends by the clock that is now`() throws {
        let server = try self.inStep()
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

    @Test func `a watch has a longest time`() throws {
        let server = try self.inStep(watch: .seconds(Int64.max))
        let upload = try #require(try server.begin().first)
        try server.answer([], upload.accepted(#"{"n":2}"#, 2))
        #expect(server.report?.watched == 1)
        server.now = .seconds(366 * 86_400)
        try server.pull()
        #expect(server.report?.watched == 0)
    }
}
