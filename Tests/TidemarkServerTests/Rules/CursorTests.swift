import Testing
import TidemarkJSON
import TidemarkServer

@Suite("Cursors (W6, W8)", .overEachStorage)
struct CursorTests {
    /// Makes two rows, deletes one and purges its tombstone; returns the cursors before and after the deletion.
    private func purged(_ server: ServerHarness) throws -> (before: String, after: String) {
        let version = try server.make("1")
        try server.make("2")
        let before = try server.list().cursor
        let gone = try server.post(deleted("d", "1", version), after: before)
        server.clock.advance(days: 100)
        _ = try server.core.purge(olderThan: .seconds(90 * 86_400))
        return (before, gone.cursor)
    }

    @Test func `rows in results are not repeated in the page, and the cursor passes them (W6)`() throws {
        let server = try ServerHarness()
        try server.make("1")
        let cursor = try server.list().cursor
        try server.make("theirs")
        let answer = try server.post(created("r", "mine", ["a": 1]), after: cursor)
        #expect(answer.pks == ["theirs"])
        #expect(answer.hasMore == false)
        #expect(try server.list(after: answer.cursor).items.isEmpty)
    }

    @Test func `the row of a conflict is not repeated in the page either (W6)`() throws {
        let server = try ServerHarness()
        let version = try server.make("1")
        let answer = try server.post(setting("r", "1", version - 1, to: 2))
        #expect(answer.results.first?.isConflicted == true)
        #expect(answer.items.isEmpty)
    }

    @Test func `rows with canonically equivalent pks are both answered, not repeated (W6)`() throws {
        let server = try ServerHarness()
        let answer = try server.post(created("r1", "\u{E9}", ["a": 1]), created("r2", "e\u{301}", ["a": 2]))
        #expect(answer.results.map(\.isAccepted) == [true, true])
        #expect(answer.items.isEmpty)
    }

    @Test(arguments: [ServerLimits().rememberedResult, 0])
    func `a row is in the page if its result has an older version (W6)`(remembered: Int) throws {
        var limits = ServerLimits()
        limits.rememberedResult = remembered
        let server = try ServerHarness(limits: limits)
        let edit = created("r", "1", ["a": 1])
        let first = try #require(try server.post(edit).results.first)
        _ = try server.post(setting("other", "1", first.version, to: 2))
        let again = try server.post(edit)
        #expect(again.results.first?.version == first.version)
        #expect(again.pks == ["1"])
        #expect(again.items.first?["data"] == ["a": 2])
    }

    @Test func `limit does not count results, and the next page has the remaining rows (W6)`() throws {
        let server = try ServerHarness()
        try server.make("1")
        try server.make("2")
        let answer = try server.post(created("r", "mine", ["a": 1]), limit: 1)
        #expect(answer.results.count == 1)
        #expect(answer.pks == ["1"])
        #expect(answer.hasMore == true)
        #expect(try server.list(after: answer.cursor).pks == ["2", "mine"])
    }

    @Test func `pages contain every row once, in commit order`() throws {
        let server = try ServerHarness()
        let names = (1...10).map(String.init)
        for name in names {
            try server.make(name)
        }
        var seen: [String] = []
        var page = try server.list(limit: 3)
        seen += page.pks
        while page.hasMore == true {
            page = try server.list(after: page.cursor, limit: 3)
            seen += page.pks
        }
        #expect(seen == names)
        #expect(try server.list(after: page.cursor).items.isEmpty)
    }

    @Test func `a page that is exactly full declares that there is no more`() throws {
        let server = try ServerHarness()
        try server.make("1")
        try server.make("2")
        let page = try server.list(limit: 2)
        #expect(page.items.count == 2)
        #expect(page.hasMore == false)
    }

    @Test func `a row that is updated during paging comes later, and is not missed`() throws {
        let server = try ServerHarness()
        try server.make("1")
        let version = try server.make("2")
        try server.make("3")
        let first = try server.list(limit: 1)
        _ = try server.post(setting("r", "2", version, to: 2))
        #expect(try server.list(after: first.cursor).pks == ["3", "2"])
    }

    @Test func `an empty cursor reads from the start, also in an unknown collection`() throws {
        let server = try ServerHarness()
        #expect(try server.list("never").items.isEmpty)
        let cursor = try server.list("notes").cursor
        try server.make("1")
        #expect(try server.list(after: "").pks == ["1"])
        #expect(try server.list(after: cursor).pks == ["1"])
    }

    @Test func `a page ends at its byte limit`() throws {
        var limits = ServerLimits()
        limits.pageBytes = 1
        let server = try ServerHarness(limits: limits)
        try server.make("1")
        try server.make("2")
        let page = try server.list()
        #expect(page.pks == ["1"])
        #expect(page.hasMore == true)
    }

    @Test func `a cursor older than the horizon is 410, for a POST before any edit (W8)`() throws {
        let server = try ServerHarness()
        let marks = try self.purged(server)
        #expect(server.send("GET", "/v1/notes?max_updated_at=\(marks.before)").status == 410)
        let body = (["edits": [created("r", "new", ["a": 1])]] as JSON).text
        let refused = server.send("POST", "/v1/notes?max_updated_at=\(marks.before)", body: body)
        #expect(refused.status == 410)
        #expect(refused.header("content-type") == "application/problem+json")
        #expect(try JSON(parsing: refused.body)["code"] == "history-lost")
        #expect(server.get("new").status == 404)
    }

    @Test func `a cursor after the purged rows stays valid (W8)`() throws {
        let server = try ServerHarness()
        let marks = try self.purged(server)
        #expect(try server.list(after: marks.after).items.isEmpty)
    }

    @Test func `a cursor of another epoch is 410 (W8)`() throws {
        let server = try ServerHarness(epoch: "e1")
        let other = try ServerHarness(epoch: "e2")
        try server.make("1")
        try other.make("1")
        let cursor = try other.list().cursor
        #expect(server.send("GET", "/v1/notes?max_updated_at=\(cursor)").status == 410)
    }

    @Test func `a cursor that was not assigned yet, as after a restored backup, is 410 (W8)`() throws {
        let server = try ServerHarness()
        let backup = try ServerHarness()
        try server.make("1")
        try backup.make("1")
        try server.make("2")
        let cursor = try server.list().cursor
        #expect(backup.send("GET", "/v1/notes?max_updated_at=\(cursor)").status == 410)
    }

    @Test(arguments: ["x", "e1", "e1.x.0.0", "e1.0", "1763000000000000", "e1...", "%00"])
    func `a malformed cursor is 410 (W8)`(cursor: String) throws {
        let server = try ServerHarness()
        try server.make("1")
        #expect(server.send("GET", "/v1/notes?max_updated_at=\(cursor)").status == 410)
    }

    @Test func `a cursor of another collection is 410, since it would skip rows (W8)`() throws {
        let server = try ServerHarness()
        try server.make("1", in: "tasks")
        try server.make("1", in: "notes")
        let cursor = try server.list("tasks").cursor
        #expect(server.send("GET", "/v1/notes?max_updated_at=\(cursor)").status == 410)
    }

    @Test func `the cursor of a full resync stays valid after an earlier purge (W8)`() throws {
        let server = try ServerHarness()
        _ = try server.make("old")
        let version = try server.make("1")
        _ = try server.post(deleted("d", "1", version))
        server.clock.advance(days: 100)
        _ = try server.core.purge(olderThan: .seconds(90 * 86_400))
        try server.make("new")
        let first = try server.list(limit: 1)
        #expect(first.pks == ["old"])
        #expect(try server.list(after: first.cursor).pks == ["new"])
    }

    @Test func `the cursor of a full resync is 410 after a later purge (W8)`() throws {
        let server = try ServerHarness()
        try server.make("old")
        let version = try server.make("1")
        let first = try server.list(limit: 1)
        _ = try server.post(deleted("d", "1", version))
        server.clock.advance(days: 100)
        _ = try server.core.purge(olderThan: .seconds(90 * 86_400))
        #expect(server.send("GET", "/v1/notes?max_updated_at=\(first.cursor)").status == 410)
    }

    @Test func `a purge that deletes nothing keeps every cursor valid (W8)`() throws {
        let server = try ServerHarness()
        try server.make("1")
        try server.make("2")
        let first = try server.list(limit: 1)
        server.clock.advance(days: 100)
        _ = try server.core.purge(olderThan: .seconds(86_400))
        #expect(try server.list(after: first.cursor).pks == ["2"])
    }

    @Test func `a purge of one collection keeps the cursors of another valid (W8)`() throws {
        let server = try ServerHarness()
        try server.make("1", in: "tasks")
        try server.make("2", in: "tasks")
        let first = try server.list("tasks", limit: 1)
        _ = try self.purged(server)
        #expect(try server.list("tasks", after: first.cursor).pks == ["2"])
    }

    /// The cursor in a request with a seen cursor.
    enum Cursor: CaseIterable {
        case current, empty, missing

        func text(_ server: ServerHarness) throws -> String? {
            switch self {
            case .current: try server.list().cursor
            case .empty: ""
            case .missing: nil
            }
        }
    }

    @Test(arguments: ["GET", "POST"], Cursor.allCases)
    func `a seen cursor of another history is refused with any cursor, before edits (W8)`(
        method: String, cursor: Cursor
    ) throws {
        let (server, other) = (try ServerHarness(epoch: "e1"), try ServerHarness(epoch: "e2"))
        for harness in [server, other] { try harness.make("1") }
        let account = try server.list().json["account"]
        let refused = server.ask(method, after: try cursor.text(server), seen: try other.list().cursor)
        #expect(refused.status == 410)
        let problem = try JSON(parsing: refused.body)
        #expect(problem["code"] == "server-rolled-back")
        #expect(problem["account"] == account)
        #expect(
            problem["detail"]?.string == """
                “seen”: this cursor belongs to another history; nothing was applied; start a full resync, without \
                max_updated_at and seen
                """)
        #expect(server.get("new").status == 404)
    }

    @Test(arguments: ["GET", "POST"], Cursor.allCases)
    func `a malformed or foreign seen cursor is refused as history lost (W8)`(
        method: String, cursor: Cursor
    ) throws {
        let server = try ServerHarness()
        try server.make("1")
        try server.make("1", in: "tasks")
        for seen in ["x", "e1.x.0.0", "%00", try server.list("tasks").cursor] {
            let refused = server.ask(method, after: try cursor.text(server), seen: seen)
            #expect(refused.status == 410)
            #expect(try JSON(parsing: refused.body)["code"] == "history-lost")
        }
        #expect(server.get("new").status == 404)
    }

    @Test(arguments: ["GET", "POST"], Cursor.allCases)
    func `a seen cursor is never refused for its age (W8)`(method: String, cursor: Cursor) throws {
        let server = try ServerHarness()
        let before = try self.purged(server).before
        #expect(server.ask(method, after: before, seen: nil).status == 410)
        #expect(server.ask(method, after: try cursor.text(server), seen: before).status == 200)
    }

    @Test(arguments: ["GET", "POST"])
    func `a cursor that is too old is refused with any seen cursor (W8)`(method: String) throws {
        let server = try ServerHarness()
        let marks = try self.purged(server)
        let refused = server.ask(method, after: marks.before, seen: marks.after)
        #expect(refused.status == 410)
        #expect(try JSON(parsing: refused.body)["code"] == "history-lost")
    }

    @Test(arguments: ["GET", "POST"], Cursor.allCases)
    func `a valid seen cursor changes no answer, even the cursor of a page (W8)`(
        method: String, cursor: Cursor
    ) throws {
        let server = try ServerHarness()
        try server.make("1")
        let place = try cursor.text(server)
        try server.make("2")
        // From here on the POST is a repetition, and gets the same answers.
        _ = server.ask(method, after: place, seen: nil)
        let plain = try Answer(server.ask(method, after: place, seen: nil))
        #expect(plain.pks.contains("2"))
        for seen in [try server.list().cursor, try server.list(limit: 1).cursor] {
            #expect(try Answer(server.ask(method, after: place, seen: seen)).text == plain.text)
        }
    }

    @Test(arguments: ["GET", "POST"], ["seen=", "seen", "unknown=1", "limit=1&unknown=1&=&unknown"])
    func `an empty seen cursor is ignored, like unknown members of a query (W8)`(
        method: String, query: String
    ) throws {
        let server = try ServerHarness()
        try server.make("1")
        let cursor = try server.list().cursor
        for target in ["/v1/notes?\(query)", "/v1/notes?max_updated_at=\(cursor)&\(query)"] {
            #expect(server.send(method, target, body: method == "POST" ? #"{"edits":[]}"# : "").status == 200)
        }
    }

    @Test(arguments: ["0", "-1", "x", "1.5", ""])
    func `a limit that is not a positive number is 400`(limit: String) throws {
        let server = try ServerHarness()
        #expect(server.send("GET", "/v1/notes?limit=\(limit)").status == 400)
    }

    @Test func `a limit above the server's own is reduced to it`() throws {
        var limits = ServerLimits()
        limits.page = 2
        let server = try ServerHarness(limits: limits)
        for name in ["1", "2", "3"] {
            try server.make(name)
        }
        #expect(try server.list(limit: 1_000).items.count == 2)
        #expect(try server.list().items.count == 2)
    }

    @Test func `count=1 returns the number of rows after a page (Contract §5)`() throws {
        let server = try ServerHarness()
        for number in 1...5 { _ = try server.post(created("r\(number)", "\(number)", ["a": 1])) }
        func left(_ query: String) throws -> JSON? {
            try JSON(parsing: server.send("GET", "/v1/notes?\(query)").body)["left"]
        }
        #expect(try left("limit=2&count=1") == 3)
        #expect(try left("limit=5&count=1") == 0)
        #expect(try left("limit=2") == nil)
        #expect(try left("limit=2&count=0") == nil)
        #expect(server.send("GET", "/v1/notes?count=yes").status == 400)
    }
}
