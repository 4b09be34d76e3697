import Synchronization
import Testing
import TidemarkJSON
@testable import TidemarkServer

@Suite("Hints (Contract §10)", .overEachStorage)
struct WatchTests {
    @Test func `a new watch gets one hint for each watched collection, including unknown ones`() throws {
        let server = try ServerHarness()
        let posted = try server.post(created("r", "1", ["a": 1]))
        let watch = try server.watch("notes,tags")
        let hints = watch.take()
        #expect(hints.map(\.collection).sorted() == ["notes", "tags"])
        #expect(hints.first { $0.collection == "notes" }?.cursor == posted.cursor)
        #expect(hints.first { $0.collection == "tags" }?.cursor == (try server.list("tags").cursor))
        #expect(watch.take().isEmpty)
    }

    @Test func `a commit is announced with the cursor of a reader that has read everything`() throws {
        let server = try ServerHarness()
        let watch = try server.watch("notes")
        _ = watch.take()
        try server.make("1")
        #expect(watch.take().map(\.cursor) == [try server.list().cursor])
        try server.make("2")
        #expect(watch.take().map(\.cursor) == [try server.list().cursor])
    }

    @Test func `a slow reader gets the newest hint of each collection, without a queue`() throws {
        let server = try ServerHarness()
        let watch = try server.watch("notes,tags")
        for number in 0..<20 {
            try server.make("\(number)")
            try server.make("\(number)", in: "tags")
        }
        #expect(
            watch.take().map(\.cursor) == [try server.list("notes").cursor, try server.list("tags").cursor])
    }

    @Test func `a reader is woken once until it takes the hints`() throws {
        let server = try ServerHarness()
        let watch = try server.watch("notes")
        let heard = Mutex(0)
        watch.onNews { heard.withLock { $0 += 1 } }
        #expect(heard.withLock(\.self) == 1, "the first hint was pending already")
        _ = watch.take()
        try server.make("1")
        try server.make("2")
        #expect(heard.withLock(\.self) == 2)
        _ = watch.take()
        try server.make("3")
        #expect(heard.withLock(\.self) == 3)
        watch.end()
        #expect(heard.withLock(\.self) == 4, "the end wakes the reader")
        try server.make("4")
        #expect(heard.withLock(\.self) == 4)
        #expect(watch.isOver)
        #expect(watch.take().isEmpty)
        watch.end()
        #expect(server.core.openWatches == 0)
    }

    @Test func `POSTs that share a transaction cause one hint for each collection`() throws {
        let server = try ServerHarness()
        let watch = try server.watch("notes,tags")
        _ = watch.take()
        let heard = Mutex(0)
        watch.onNews { heard.withLock { $0 += 1 } }
        let requests = (0..<10).map { number in
            let body = (["edits": .array([created("r\(number)", "\(number)", ["a": 1])])] as JSON).text
            return ServerRequest(
                method: "POST", target: number < 5 ? "/v1/notes" : "/v1/tags", body: Array(body.utf8))
        }
        server.core.handle(requests) { _, response in #expect(response.status == 200) }
        #expect(heard.withLock(\.self) == 1)
        #expect(Set(watch.take().map(\.cursor)) == [try server.list().cursor, try server.list("tags").cursor])
    }

    @Test func `an edit that changes nothing causes no hint`() throws {
        let server = try ServerHarness()
        let version = try server.make("1")
        let watch = try server.watch("notes")
        _ = watch.take()
        _ = try server.post(setting("same", "1", version, to: 1), setting("stale", "1", version - 1, to: 2))
        _ = try server.post(edited("bad", "1", version, [["op": "remove", "path": "/nothing"]]))
        _ = try server.post([])
        #expect(watch.take().isEmpty)
    }

    @Test func `a watch gets no hint of another account's commits (W10)`() throws {
        let server = try ServerHarness(tokens: ["one", "other"])
        let watch = try server.watch("notes", token: "one")
        let all = try server.watch(nil, token: "one")
        (_, _) = (watch.take(), all.take())
        try server.make("1", token: "other")
        #expect(watch.take().isEmpty)
        #expect(all.take().isEmpty)
        try server.make("1", token: "one")
        #expect(watch.take().count == 1)
        #expect(all.take().count == 1)
        #expect(server.answer("notes", token: "none")?.status == 401)
    }

    @Test func `a watch without names covers all of the account's collections, later ones too`() throws {
        let server = try ServerHarness()
        try server.make("1", in: "notes")
        let watch = try server.watch(nil)
        #expect(watch.take().map(\.collection) == ["notes"])
        try server.make("1", in: "tags")
        #expect(watch.take().map(\.collection) == ["tags"])
    }

    @Test func `a query is split at bytes, even before a combining mark`() throws {
        let server = try ServerHarness()
        // U+0301 and the byte before it form one character.
        #expect(try server.watch("notes&\u{301}x=1").take().map(\.collection) == ["notes"])
        #expect(try server.watch("notes,\u{301}x").take().count == 2)
        #expect(try server.watch("=\u{301}").take().map(\.collection) == ["=\u{301}"])
    }

    @Test func `an external announcement reaches readers, and a late or repeated one does not`() throws {
        let server = try ServerHarness()
        let watch = try server.watch("notes")
        _ = watch.take()
        let heard = Mutex(0)
        watch.onNews { heard.withLock { $0 += 1 } }
        let late = ServerFeed(id: 0, account: "open", last: 6, horizon: 0, purges: 0, run: "b")
        let feed = ServerFeed(id: 0, account: "open", last: 7, horizon: 0, purges: 2, run: "b")
        for _ in 0..<2 { server.core.announce(feed, account: "open", collection: "notes") }
        server.core.announce(late, account: "open", collection: "notes")
        server.core.announce(feed, account: "open", collection: "tags")
        #expect(heard.withLock(\.self) == 1)
        let hints = watch.take()
        #expect(hints.map { $0.cursor.split(separator: ".").suffix(3).joined(separator: ".") } == ["7.2.b"])
        server.core.announce(feed, account: "open", collection: "notes")
        server.core.announce(late, account: "open", collection: "notes")
        #expect(watch.take().isEmpty)
        #expect(heard.withLock(\.self) == 1)
    }

    @Test func `collections differ by code point, and a name may contain a comma`() throws {
        let server = try ServerHarness()
        let watch = try server.watch("a%2Cb,%C3%A9")
        #expect(Set(watch.take().map { Array($0.collection.utf8) }) == [Array("a,b".utf8), Array("\u{E9}".utf8)])
        try server.make("1", in: "e%CC%81")
        #expect(watch.take().isEmpty)
        try server.make("1", in: "%C3%A9")
        try server.make("1", in: "a%2Cb")
        #expect(Set(watch.take().map(\.collection)) == ["\u{E9}", "a,b"])
    }

    @Test(arguments: ["", "notes,", ",notes", "notes,%zz", "%ff", String(repeating: "x", count: 513)])
    func `malformed names in a watch are 400`(names: String) throws {
        let server = try ServerHarness()
        let response = try #require(server.answer(names))
        #expect(response.status == 400)
        #expect(try JSON(parsing: response.body)["code"] == "malformed-target")
        #expect(server.core.openWatches == 0)
    }

    @Test func `one watch has a limit of collections, named or not`() throws {
        var limits = ServerLimits()
        limits.watchedCollections = 2
        let server = try ServerHarness(limits: limits)
        #expect(server.answer("a,b,c")?.status == 400)
        #expect(server.answer("a,b,a") == nil, "each counts once")
        let all = try server.watch(nil)
        for name in ["a", "b", "a"] { try server.make("\(all.take().count)", in: name) }
        #expect(!all.isOver)
        try server.make("1", in: "c")
        #expect(all.isOver, "a hint must not be dropped")
        #expect(server.answer(nil)?.status == 400)
    }

    @Test func `watches have limits, and the end of a watch makes room for another`() throws {
        var limits = ServerLimits()
        (limits.watches, limits.watchesOfAccount) = (3, 2)
        let server = try ServerHarness(tokens: ["one", "other"], limits: limits)
        let first = try server.watch("notes", token: "one")
        _ = try server.watch("notes", token: "one")
        let third = try #require(server.answer("notes", token: "one"))
        #expect(third.status == 429)
        #expect(third.header("Retry-After") == "60")
        #expect(try JSON(parsing: third.body)["code"] == "too-many-watches")
        _ = try server.watch("notes", token: "other")
        #expect(server.answer("notes", token: "other")?.status == 503)
        first.end()
        #expect(server.answer("notes", token: "other") == nil)
    }

    @Test func `all watches together have a limit of names, and the end of a watch makes room (W10)`() throws {
        var limits = ServerLimits()
        limits.watchedNames = 4
        let server = try ServerHarness(limits: limits)
        let named = try server.watch("a,b,a")
        let all = try server.watch(nil)
        for name in ["c", "d"] { try server.make("1", in: name) }
        #expect(all.take().map(\.collection) == ["c", "d"])
        #expect(server.answer("a")?.status == 503)
        #expect(!all.isOver)
        try server.make("1", in: "e")
        #expect(all.isOver, "a hint must not be dropped")
        #expect(server.answer("a,b") == nil)
        #expect(server.answer("c")?.status == 503)
        named.end()
        #expect(server.answer("c,d") == nil)
    }

    @Test func `an account uses no names of other accounts, and gets 429 at its limit (W10)`() throws {
        var limits = ServerLimits()
        (limits.watchedNames, limits.watchedNamesOfAccount) = (5, 3)
        let server = try ServerHarness(tokens: ["one", "other"], limits: limits)
        _ = try server.watch("a,b,c", token: "one")
        #expect(server.answer("d", token: "one")?.status == 429)
        _ = try server.watch("a,b", token: "other")
        #expect(server.answer("c", token: "other")?.status == 503)
        try server.make("1", token: "other")
        #expect(server.answer(nil, token: "other")?.status == 503, "and not a stream that ends at once")
    }

    @Test(arguments: [
        ("text/event-stream", true), ("application/json, text/event-stream;q=0.5", true),
        ("text/event-stream; q=0", false), ("application/json, Text/Event-Stream ; Q=0.000", false),
        ("text/event-stream;q=0.001", true), ("application/json", false), ("text/event-streams", false),
    ]) func `the Accept field selects between hints and the list of collections`(accept: String, events: Bool)
        throws
    {
        let server = try ServerHarness()
        let request = ServerRequest(method: "GET", target: "/v1/?watch=notes", headers: [("Accept", accept)])
        let type = server.core.handle(request).header("Content-Type")
        #expect(type == (events ? "text/event-stream" : "application/json"))
    }

    @Test func `an event is one line of data and an empty line`() throws {
        let server = try ServerHarness()
        let watch = try server.watch("a%0Ab")
        let hint = try #require(watch.take().first)
        let text = String(decoding: hint.event, as: UTF8.self)
        #expect(
            text == "event: changed\ndata: {\"collection\":\"a\\nb\",\"max_updated_at\":\"\(hint.cursor)\"}\n\n")
    }

    @Test func `a watch without a stream gets the current state of all collections, and ends`() throws {
        let server = try ServerHarness()
        try server.make("1")
        let request = ServerRequest(method: "GET", target: "/v1/?watch=notes", headers: accepting)
        let response = server.core.handle(request)
        #expect(response.status == 200)
        #expect(response.header("Content-Type") == "text/event-stream")
        let watch = try server.watch("notes")
        #expect(response.body == watch.take().flatMap(\.event))
    }

    @Test func `GET of the root lists the account's collections`() throws {
        var limits = ServerLimits()
        limits.listedCollections = 2
        let server = try ServerHarness(tokens: ["one", "other"], limits: limits)
        let empty = try JSON(parsing: server.send("GET", "/v1/", token: "one").body)
        #expect(empty["collections"] == [])
        #expect(empty["epoch"] == "e1")
        for name in ["tags", "notes"] { try server.make("1", in: name, token: "one") }
        try server.make("2", in: "notes", token: "one")
        let version = try server.make("3", in: "notes", token: "one")
        #expect(
            try server.post(deleted("d", "3", version), to: "notes", token: "one").results.first?.isAccepted == true)
        let list = try JSON(parsing: server.send("GET", "/v1/", token: "one").body)
        let mark = try server.list("notes", token: "one").cursor
        #expect(list["collections"]?.array?.first == ["name": "notes", "max_updated_at": mark.json, "count": 2])
        #expect(list["collections"]?.array?.count == 2)
        #expect(list["more"] == false)
        #expect(list["account"] == (try server.list("notes", token: "one").json["account"]))
        try server.make("1", in: "more", token: "one")
        #expect(try JSON(parsing: server.send("GET", "/v1/", token: "one").body)["more"] == true)
        #expect(try JSON(parsing: server.send("GET", "/v1/", token: "other").body)["collections"] == [])
        #expect(server.send("POST", "/v1/", body: #"{"edits":[]}"#, token: "one").status == 405)
        #expect(server.send("GET", "/v1/").status == 401)
    }

    @Test func `names of a watch end at each comma, even before a mark (shell-word-with-a-mark)`() throws {
        let target = "/v1/?a=b&\u{301}c=d&watch=a,\u{301}b"
        let request = ServerRequest(method: "GET", target: target, headers: [])
        #expect(try WatchQuery(request, limits: ServerLimits()).collections == ["a", "\u{301}b"])
        #expect(request.query.map(\.0) == ["a", "\u{301}c", "watch"])
    }
}

private let accepting = [("Accept", "application/json;q=0.1, Text/Event-Stream")]

extension String {
    fileprivate var json: JSON { .string(JSONString(self)) }
}

extension ServerHarness {
    private func open(_ names: String?, token: String?) -> ServerAnswer {
        let headers = accepting + (token.map { [("Authorization", "Bearer \($0)")] } ?? [])
        let target = "/v1/" + (names.map { "?watch=\($0)" } ?? "")
        return self.core.answer(ServerRequest(method: "GET", target: target, headers: headers))
    }

    /// Opens a watch, which must succeed.
    func watch(_ names: String?, token: String? = nil) throws -> ServerWatch {
        guard case .events(let watch) = self.open(names, token: token) else { throw NoWatch() }
        return watch
    }

    /// The refusal of a watch; nil if it is opened.
    fileprivate func answer(_ names: String?, token: String? = nil) -> ServerResponse? {
        guard case .whole(let response) = self.open(names, token: token) else { return nil }
        return response
    }

    private struct NoWatch: Error {}
}
