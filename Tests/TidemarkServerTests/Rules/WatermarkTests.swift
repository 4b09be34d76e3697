import Testing
import TidemarkJSON
import TidemarkServer

@Suite("W6, W8: watermarks", .overEachStorage)
struct WatermarkTests {
    /// Two rows and their tombstones, the first page of a listing taken before the purge.
    private func purged(_ server: ServerHarness) throws -> (before: String, after: String) {
        let version = try server.make("1")
        try server.make("2")
        let before = try server.list().watermark
        let gone = try server.post(deleted("d", "1", version), after: before)
        server.clock.advance(days: 100)
        _ = try server.core.purge(olderThan: .seconds(90 * 86_400))
        return (before, gone.watermark)
    }

    @Test func `W6 rows answered in results are not listed again, and the watermark passes them`() throws {
        let server = try ServerHarness()
        try server.make("1")
        let watermark = try server.list().watermark
        try server.make("theirs")
        let answer = try server.post(created("r", "mine", ["a": 1]), after: watermark)
        #expect(answer.pks == ["theirs"])
        #expect(answer.hasMore == false)
        #expect(try server.list(after: answer.watermark).items.isEmpty)
    }

    @Test func `W6 the row of a conflict is not listed again either`() throws {
        let server = try ServerHarness()
        let version = try server.make("1")
        let answer = try server.post(setting("r", "1", version - 1, to: 2))
        #expect(answer.results.first?.isConflicted == true)
        #expect(answer.items.isEmpty)
    }

    @Test func `W6 rows whose pks only look alike are both answered, and neither is listed again`() throws {
        let server = try ServerHarness()
        let answer = try server.post(created("r1", "\u{E9}", ["a": 1]), created("r2", "e\u{301}", ["a": 2]))
        #expect(answer.results.map(\.isAccepted) == [true, true])
        #expect(answer.items.isEmpty)
    }

    @Test(arguments: [ServerLimits().rememberedResult, 0])
    func `W6 a row that a result brings in an older version is listed`(remembered: Int) throws {
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

    @Test func `W6 limit counts items only, and what is cut off comes with the next page`() throws {
        let server = try ServerHarness()
        try server.make("1")
        try server.make("2")
        let answer = try server.post(created("r", "mine", ["a": 1]), limit: 1)
        #expect(answer.results.count == 1)
        #expect(answer.pks == ["1"])
        #expect(answer.hasMore == true)
        #expect(try server.list(after: answer.watermark).pks == ["2", "mine"])
    }

    @Test func `paging brings every row once, in commit order`() throws {
        let server = try ServerHarness()
        let names = (1...10).map(String.init)
        for name in names {
            try server.make(name)
        }
        var seen: [String] = []
        var page = try server.list(limit: 3)
        seen += page.pks
        while page.hasMore == true {
            page = try server.list(after: page.watermark, limit: 3)
            seen += page.pks
        }
        #expect(seen == names)
        #expect(try server.list(after: page.watermark).items.isEmpty)
    }

    @Test func `a page that is exactly full says that there is no more`() throws {
        let server = try ServerHarness()
        try server.make("1")
        try server.make("2")
        let page = try server.list(limit: 2)
        #expect(page.items.count == 2)
        #expect(page.hasMore == false)
    }

    @Test func `a row that is updated while a reader pages comes later, never not at all`() throws {
        let server = try ServerHarness()
        try server.make("1")
        let version = try server.make("2")
        try server.make("3")
        let first = try server.list(limit: 1)
        _ = try server.post(setting("r", "2", version, to: 2))
        #expect(try server.list(after: first.watermark).pks == ["3", "2"])
    }

    @Test func `an empty watermark means from the start, and so does a collection nobody wrote to`() throws {
        let server = try ServerHarness()
        #expect(try server.list("never").items.isEmpty)
        let watermark = try server.list("notes").watermark
        try server.make("1")
        #expect(try server.list(after: "").pks == ["1"])
        #expect(try server.list(after: watermark).pks == ["1"])
    }

    @Test func `a page ends where its bytes are used up`() throws {
        var limits = ServerLimits()
        limits.pageBytes = 1
        let server = try ServerHarness(limits: limits)
        try server.make("1")
        try server.make("2")
        let page = try server.list()
        #expect(page.pks == ["1"])
        #expect(page.hasMore == true)
    }

    @Test func `W8 a watermark older than the horizon is 410, for GET and for POST before any edit is applied`() throws
    {
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

    @Test func `W8 a watermark that has seen what was purged stays good`() throws {
        let server = try ServerHarness()
        let marks = try self.purged(server)
        #expect(try server.list(after: marks.after).items.isEmpty)
    }

    @Test func `W8 a watermark of another epoch is 410`() throws {
        let server = try ServerHarness(epoch: "e1")
        let other = try ServerHarness(epoch: "e2")
        try server.make("1")
        try other.make("1")
        let watermark = try other.list().watermark
        #expect(server.send("GET", "/v1/notes?max_updated_at=\(watermark)").status == 410)
    }

    @Test func `W8 a watermark not handed out yet, as after a restored backup, is 410`() throws {
        let server = try ServerHarness()
        let backup = try ServerHarness()
        try server.make("1")
        try backup.make("1")
        try server.make("2")
        let watermark = try server.list().watermark
        #expect(backup.send("GET", "/v1/notes?max_updated_at=\(watermark)").status == 410)
    }

    @Test(arguments: ["x", "e1", "e1.x.0.0", "e1.0", "1763000000000000", "e1...", "%00"])
    func `W8 what was never a watermark here is 410`(watermark: String) throws {
        let server = try ServerHarness()
        try server.make("1")
        #expect(server.send("GET", "/v1/notes?max_updated_at=\(watermark)").status == 410)
    }

    @Test func `W8 a watermark of another collection is 410, as it would skip rows`() throws {
        let server = try ServerHarness()
        try server.make("1", in: "tasks")
        try server.make("1", in: "notes")
        let watermark = try server.list("tasks").watermark
        #expect(server.send("GET", "/v1/notes?max_updated_at=\(watermark)").status == 410)
    }

    @Test func `W8 a listing that began after the purge stays good below the horizon`() throws {
        let server = try ServerHarness()
        _ = try server.make("old")
        let version = try server.make("1")
        _ = try server.post(deleted("d", "1", version))
        server.clock.advance(days: 100)
        _ = try server.core.purge(olderThan: .seconds(90 * 86_400))
        try server.make("new")
        let first = try server.list(limit: 1)
        #expect(first.pks == ["old"])
        #expect(try server.list(after: first.watermark).pks == ["new"])
    }

    @Test func `W8 a listing that a purge overtook is 410`() throws {
        let server = try ServerHarness()
        try server.make("old")
        let version = try server.make("1")
        let first = try server.list(limit: 1)
        _ = try server.post(deleted("d", "1", version))
        server.clock.advance(days: 100)
        _ = try server.core.purge(olderThan: .seconds(90 * 86_400))
        #expect(server.send("GET", "/v1/notes?max_updated_at=\(first.watermark)").status == 410)
    }

    @Test func `W8 a purge that takes nothing away makes no watermark bad`() throws {
        let server = try ServerHarness()
        try server.make("1")
        try server.make("2")
        let first = try server.list(limit: 1)
        server.clock.advance(days: 100)
        _ = try server.core.purge(olderThan: .seconds(86_400))
        #expect(try server.list(after: first.watermark).pks == ["2"])
    }

    @Test func `W8 a purge of one collection makes no watermark of another bad`() throws {
        let server = try ServerHarness()
        try server.make("1", in: "tasks")
        try server.make("2", in: "tasks")
        let first = try server.list("tasks", limit: 1)
        _ = try self.purged(server)
        #expect(try server.list("tasks", after: first.watermark).pks == ["2"])
    }

    /// The cursor beside the newest token that a client was shown.
    enum Cursor: CaseIterable {
        case current, empty, missing

        func text(_ server: ServerHarness) throws -> String? {
            switch self {
            case .current: try server.list().watermark
            case .empty: ""
            case .missing: nil
            }
        }
    }

    @Test(arguments: ["GET", "POST"], Cursor.allCases)
    func `W8 seen of another history is refused, whatever the cursor, before an edit is applied`(
        method: String, cursor: Cursor
    ) throws {
        let (server, other) = (try ServerHarness(epoch: "e1"), try ServerHarness(epoch: "e2"))
        for harness in [server, other] { try harness.make("1") }
        let account = try server.list().json["account"]
        let refused = server.ask(method, after: try cursor.text(server), seen: try other.list().watermark)
        #expect(refused.status == 410)
        let problem = try JSON(parsing: refused.body)
        #expect(problem["code"] == "server-went-back")
        #expect(problem["account"] == account)
        #expect(
            problem["detail"]?.string == """
                “seen”: this watermark belongs to another history; nothing was applied; list from the start, without \
                max_updated_at and seen
                """)
        #expect(server.get("new").status == 404)
    }

    @Test(arguments: ["GET", "POST"], Cursor.allCases)
    func `W8 seen that this collection did not hand out is refused as history lost`(
        method: String, cursor: Cursor
    ) throws {
        let server = try ServerHarness()
        try server.make("1")
        try server.make("1", in: "tasks")
        for seen in ["x", "e1.x.0.0", "%00", try server.list("tasks").watermark] {
            let refused = server.ask(method, after: try cursor.text(server), seen: seen)
            #expect(refused.status == 410)
            #expect(try JSON(parsing: refused.body)["code"] == "history-lost")
        }
        #expect(server.get("new").status == 404)
    }

    @Test(arguments: ["GET", "POST"], Cursor.allCases)
    func `W8 seen is never refused for its age`(method: String, cursor: Cursor) throws {
        let server = try ServerHarness()
        let before = try self.purged(server).before
        #expect(server.ask(method, after: before, seen: nil).status == 410)
        #expect(server.ask(method, after: try cursor.text(server), seen: before).status == 200)
    }

    @Test(arguments: ["GET", "POST"])
    func `W8 a cursor that is too old is refused, whatever was seen since`(method: String) throws {
        let server = try ServerHarness()
        let marks = try self.purged(server)
        let refused = server.ask(method, after: marks.before, seen: marks.after)
        #expect(refused.status == 410)
        #expect(try JSON(parsing: refused.body)["code"] == "history-lost")
    }

    @Test(arguments: ["GET", "POST"], Cursor.allCases)
    func `W8 seen that the server handed out changes no answer, that of a page neither`(
        method: String, cursor: Cursor
    ) throws {
        let server = try ServerHarness()
        try server.make("1")
        let place = try cursor.text(server)
        try server.make("2")
        // From now on the POST is a repetition, and its answers are the same.
        _ = server.ask(method, after: place, seen: nil)
        let plain = try Answer(server.ask(method, after: place, seen: nil))
        #expect(plain.pks.contains("2"))
        for seen in [try server.list().watermark, try server.list(limit: 1).watermark] {
            #expect(try Answer(server.ask(method, after: place, seen: seen)).text == plain.text)
        }
    }

    @Test(arguments: ["GET", "POST"], ["seen=", "seen", "unknown=1", "limit=1&unknown=1&=&unknown"])
    func `W8 an empty seen is not judged, and unknown members of a query are ignored`(
        method: String, query: String
    ) throws {
        let server = try ServerHarness()
        try server.make("1")
        let cursor = try server.list().watermark
        for target in ["/v1/notes?\(query)", "/v1/notes?max_updated_at=\(cursor)&\(query)"] {
            #expect(server.send(method, target, body: method == "POST" ? #"{"edits":[]}"# : "").status == 200)
        }
    }

    @Test(arguments: ["0", "-1", "x", "1.5", ""])
    func `a limit that is no count is 400`(limit: String) throws {
        let server = try ServerHarness()
        #expect(server.send("GET", "/v1/notes?limit=\(limit)").status == 400)
    }

    @Test func `a limit above the server's own is cut to it`() throws {
        var limits = ServerLimits()
        limits.page = 2
        let server = try ServerHarness(limits: limits)
        for name in ["1", "2", "3"] {
            try server.make(name)
        }
        #expect(try server.list(limit: 1_000).items.count == 2)
        #expect(try server.list().items.count == 2)
    }

    @Test func `SPEC §5 a page that is asked for with count=1 says how many rows follow it`() throws {
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
