import Synchronization
import TestSupport
import Testing
import TidemarkJSON
import TidemarkServer

@Suite("Accounts and tokens that the storage keeps", .overEachStorage)
struct AccountTests {
    /// Carries out an administration request on a server.
    private func ask(_ server: ServerHarness, _ request: AdministrationRequest) throws -> JSON {
        // In its form on the socket.
        let heard = try #require(AdministrationRequest(try JSON(parsing: request.json.bytes)))
        #expect(heard == request)
        return heard.reply(of: server.core)
    }

    private func add(_ account: String, to server: ServerHarness) throws {
        let reply = try self.ask(server, .addAccount(name: account, beginning: .nothing))
        #expect(reply["error"] == nil, "\(reply.text)")
    }

    private func token(of account: String, on server: ServerHarness, seconds: Int64? = nil) throws -> String {
        let reply = try self.ask(server, .addToken(account: account, label: "phone", seconds: seconds))
        return String(try #require(reply["token"]?.string))
    }

    @Test func `several tokens open one account, and other tokens open other accounts (W10)`() throws {
        let server = try ServerHarness()
        try self.add("ada", to: server)
        try self.add("bob", to: server)
        let (first, second) = (try self.token(of: "ada", on: server), try self.token(of: "ada", on: server))
        let other = try self.token(of: "bob", on: server)
        try server.make("1", ["of": "ada"], token: first)
        #expect(server.get("1", token: second).text.contains("ada"))
        #expect(server.get("1", token: other).status == 404)
        let account = try server.list(token: first).json["account"]
        #expect(try server.list(token: second).json["account"] == account)
        #expect(try server.list(token: other).json["account"] != account)
    }

    @Test func `every request needs a token after the first account, even without accounts (W10)`() throws {
        let server = try ServerHarness()
        #expect(server.get("1").status == 404)
        try self.add("ada", to: server)
        #expect(server.get("1").status == 401)
        #expect(server.get("1", token: "made-up").status == 401)
        _ = try self.ask(server, .removeAccount(name: "ada", withRecords: false))
        #expect(server.get("1").status == 401)
    }

    @Test func `a revoked token opens no account, and the account keeps its records`() throws {
        let server = try ServerHarness()
        try self.add("ada", to: server)
        let lost = try self.token(of: "ada", on: server)
        try server.make("1", ["of": "ada"], token: lost)
        #expect(try self.ask(server, .revokeToken(number: 1))["error"] == nil)
        #expect(server.get("1", token: lost).status == 401)
        let renewed = try self.token(of: "ada", on: server)
        #expect(server.get("1", token: renewed).text.contains("ada"))
        // The number of the revoked token is not reused.
        #expect(try self.ask(server, .revokeToken(number: 1))["error"]?.string?.contains("no token 1") == true)
        #expect(server.get("1", token: renewed).status == 200)
    }

    @Test func `a revocation ends the account's watches; clients with other tokens reconnect`()
        throws
    {
        let server = try ServerHarness()
        for name in ["ada", "bob"] { try self.add(name, to: server) }
        let tokens = try ["ada", "bob"].map { try self.token(of: $0, on: server) }
        let watches = try tokens.map { token in
            let headers = [("Authorization", "Bearer \(token)"), ("Accept", "text/event-stream")]
            let answer = server.core.answer(
                ServerRequest(method: "GET", target: "/v1/?watch=notes,tags", headers: headers))
            guard case .events(let watch) = answer else { throw NoWatch() }
            return watch
        }
        _ = try self.ask(server, .revokeToken(number: 1))
        #expect(watches.map(\.isOver) == [true, false])
        _ = try self.ask(server, .removeAccount(name: "bob", withRecords: true))
        #expect(watches.map(\.isOver) == [true, true])
        #expect(server.core.openWatches == 0)
    }

    private struct NoWatch: Error {}

    @Test func `a token that another process revoked opens no account after a second`() throws {
        let other = OtherProcess()
        let clock = ManualClock()
        let core = ServerCore(storage: try AdministeredStorage(by: other), now: { clock.now })
        let token = try core.withAccounts { (book) throws(ServerStorageError) in
            try book.addAccount(named: "ada")
            return try book.addToken(to: "ada").token
        }
        func status() -> Int {
            core.handle(
                ServerRequest(method: "GET", target: "/v1/notes", headers: [("Authorization", "Bearer \(token)")])
            ).status
        }
        #expect(status() == 200)
        other.isTokenRevoked.withLock { $0 = true }
        #expect(status() == 200, "the look-up is cached")
        clock.set(clock.now + 1_000_000)
        #expect(status() == 401)
    }

    private static func post(with token: String) -> ServerRequest {
        let body = Array((["edits": [created("r", "1", ["a": 1])]] as JSON).text.utf8)
        return ServerRequest(
            method: "POST", target: "/v1/notes", headers: [("Authorization", "Bearer \(token)")], body: body)
    }

    private static func authorized(_ request: ServerRequest, by core: ServerCore) throws -> AuthorizedRequest {
        guard case .authorized(let early) = core.authorize(request) else { throw Unauthorized() }
        return early
    }

    private struct Unauthorized: Error {}

    @Test func `a POST whose token was revoked after its look-up is refused (W10)`() throws {
        let core = ServerCore(storage: try StorageOfTest.open(), now: { 1 })
        let (token, number) = try core.withAccounts { (book) throws(ServerStorageError) in
            try book.addAccount(named: "ada")
            return try book.addToken(to: "ada")
        }
        let request = Self.post(with: token)
        let early = try Self.authorized(request, by: core)
        #expect(core.authorizeAtOnce(request) != nil, "the look-up is cached")
        try core.withAccounts { (book) throws(ServerStorageError) in _ = try book.removeToken(number) }
        #expect(core.authorizeAtOnce(request) == nil, "the cache is cleared")
        core.handle([early]) { #expect($1.status == 401) }
        core.handle([request]) { #expect($1.status == 401) }
    }

    @Test(arguments: [(0, 200), (999_998, 200), (999_999, 401)])
    func `a POST whose token expires while it waits is refused (W10)`(
        wait: Int64, status: Int
    ) throws {
        let clock = Mutex<Int64>(1)
        let core = ServerCore(storage: try StorageOfTest.open(), now: { clock.withLock { $0 } })
        let token = try core.withAccounts { (book) throws(ServerStorageError) in
            try book.addAccount(named: "ada")
            return try book.addToken(to: "ada", lasting: .microseconds(999_999)).token
        }
        let early = try Self.authorized(Self.post(with: token), by: core)
        clock.withLock { $0 += wait }
        core.handle([early]) { #expect($1.status == status) }
    }

    @Test func `an unknown token that is repeated queries the storage once, and is accepted once it is added`() throws {
        let lookUps = LookUps()
        let core = ServerCore(storage: try LookUpStorage(lookUps), now: { 1 })
        func status() -> Int {
            core.handle(ServerRequest(method: "GET", target: "/v1/notes", headers: [("Authorization", "Bearer t")]))
                .status
        }
        try core.withAccounts { (book) throws(ServerStorageError) in _ = try book.addAccount(named: "ada") }
        let before = lookUps.count
        #expect((0..<5).map { _ in status() } == [401, 401, 401, 401, 401])
        #expect(lookUps.count == before + 1)
        try core.withAccounts { (book) throws(ServerStorageError) in
            _ = try book.addAccount(named: "bob", beginningWith: .token("t"))
        }
        #expect(status() == 200)
    }

    @Test func `a POST authorized before its account's removal makes no collection (W10)`() throws {
        let other = OtherProcess()
        let core = ServerCore(storage: try AdministeredStorage(by: other), now: { 1 })
        let token = try core.withAccounts { (book) throws(ServerStorageError) in
            try book.addAccount(named: "ada")
            return try book.addToken(to: "ada").token
        }
        let body = Array("{\"edits\":[\(created("r", "1", ["a": 1]).text)]}".utf8)
        let headers = [("Authorization", "Bearer \(token)")]
        let post = ServerRequest(method: "POST", target: "/v1/notes", headers: headers, body: body)
        other.isAccountRemoved.withLock { $0 = true }
        #expect(core.handle(post).status == 401)
        other.isAccountRemoved.withLock { $0 = false }
        #expect(core.handle(ServerRequest(method: "GET", target: "/v1/notes/1", headers: headers)).status == 404)
        #expect(core.handle(post).status == 200)
    }

    @Test func `a removed account differs from one that never existed`() throws {
        let storage = try StorageOfTest.open()
        let accounts = try #require(storage as? any AccountStorage)
        try accounts.transaction { () throws(ServerStorageError) in
            try accounts.add(ServerAccount(id: "a1", name: "ada", addedAt: 1))
        }
        func isRemoved(_ id: String) throws -> Bool {
            try accounts.transaction { () throws(ServerStorageError) in try accounts.isRemoved(account: id) }
        }
        #expect(try !isRemoved("a1"))
        try accounts.transaction { () throws(ServerStorageError) in try accounts.removeAccount("a1") }
        #expect(try isRemoved("a1"))
        #expect(try !isRemoved("a2"))
    }

    @Test func `the records of a removed account are hidden at once and erased in portions`() throws {
        let storage = try StorageOfTest.open()
        let accounts = try #require(storage as? any AccountStorage)
        func inTransaction<Outcome>(_ work: () throws(ServerStorageError) -> Outcome) throws -> Outcome {
            try accounts.transaction(work)
        }
        func write(_ count: Int) throws {
            try inTransaction { () throws(ServerStorageError) in
                try accounts.add(ServerAccount(id: "a1", name: "ada", addedAt: 1))
                let feed = try accounts.openFeed(account: "a1", collection: "notes")
                try accounts.beginRun(after: 0, in: feed)
                for number in 1...count {
                    try accounts.save(
                        ServerRow(pk: "\(number)", updatedAt: Int64(number), data: [0x7B, 0x7D]), in: feed)
                    try accounts.remember(
                        RememberedAnswer(requestID: "r\(number)", edit: .whole([0x31]), result: .whole([0x32])), at: 1,
                        in: feed)
                }
            }
        }
        try write(5)
        try inTransaction { () throws(ServerStorageError) in try accounts.removeAccount("a1") }
        let usage = try inTransaction { () throws(ServerStorageError) in try accounts.usage(of: "a1") }
        #expect(usage == AccountUsage(collections: 0, rows: 0, bytes: 0))
        // An account with the same id is empty, while the former records are not erased yet.
        try write(1)
        var portions = 0
        while try accounts.eraseRemoved(limit: 3) { portions += 1 }
        #expect(portions >= 4, "10 rows, 3 at a time")
        let (rows, answer) = try inTransaction { () throws(ServerStorageError) in
            let feed = try accounts.openFeed(account: "a1", collection: "notes")
            return (try accounts.countRows(in: feed, after: 0), try accounts.answer(to: "r1", in: feed))
        }
        #expect(rows == 1)
        #expect(answer != nil)
        #expect(try !accounts.eraseRemoved(limit: 3))
    }

    @Test func `a cursor of a removed account is invalid in a later account with its records (W8)`() throws {
        let server = try ServerHarness()
        try server.make("1")
        let cursor = try server.list().cursor
        func open(as name: String) throws -> String {
            let reply = try self.ask(server, .addAccount(name: name, beginning: .openAccount))
            #expect(reply["error"] == nil, "\(reply.text)")
            return try self.token(of: name, on: server)
        }
        #expect(try server.list(after: cursor, token: open(as: "ada")).items.isEmpty)
        _ = try self.ask(server, .removeAccount(name: "ada", withRecords: true))
        let token = try open(as: "bob")
        let target = "/v1/notes?max_updated_at=\(cursor)"
        #expect(server.send("GET", target, token: token).status == 410)
        try server.make("2", token: token)
        #expect(server.send("GET", target, token: token).status == 410)
    }

    @Test func `a purge finishes an interrupted removal of an account`() throws {
        // Another storage opens the same file.
        guard StorageOfTest.present == nil else { return }
        let folder = try TemporaryFolder()
        let file = folder.path("server.db")
        func isErased() throws -> Bool { try !SQLiteServerStorage(.file(file)).eraseRemoved(limit: 1) }
        func remove() throws {
            let server = try ServerHarness(.file(file))
            try self.add("ada", to: server)
            try server.make("1", token: try self.token(of: "ada", on: server))
            _ = try server.core.withAccounts { (book) throws(ServerStorageError) in
                try book.removeAccount(named: "ada", withRecords: true)
            }
        }
        try remove()
        #expect(try !isErased())
        try remove()
        _ = try ServerHarness(.file(file)).core.purge()
        #expect(try isErased())
    }

    @Test func `a token expires at its time, and the refusal mentions that`() throws {
        let server = try ServerHarness()
        try self.add("ada", to: server)
        let token = try self.token(of: "ada", on: server, seconds: 60)
        #expect(server.get("1", token: token).status == 404)
        server.clock.set(server.clock.now + 59_999_999)
        #expect(server.get("1", token: token).status == 404)
        server.clock.set(server.clock.now + 1)
        let refusal = server.get("1", token: token)
        #expect(refusal.status == 401)
        #expect(refusal.text.contains("expired"))
    }

    @Test func `the server stores no token, and shows none again`() throws {
        let server = try ServerHarness()
        try self.add("ada", to: server)
        let token = try self.token(of: "ada", on: server)
        let listed = try self.ask(server, .listTokens(account: "ada"))
        #expect(listed.array?.count == 1)
        #expect(!listed.text.contains(token.dropFirst(3)))
        guard StorageOfTest.present == nil else { return }
        let image = try #require(try server.core.image())
        #expect(!String(decoding: image, as: UTF8.self).contains(token.dropFirst(3)))
    }

    @Test func `an account takes over the records of an open server, and its devices continue`() throws {
        let server = try ServerHarness()
        try server.make("1", ["of": "all"])
        let (cursor, name) = (try server.list().cursor, try server.list().json["account"])
        _ = try self.ask(server, .addAccount(name: "ada", beginning: .openAccount))
        let token = try self.token(of: "ada", on: server)
        let page = try server.list(after: cursor, token: token)
        #expect(page.items.isEmpty)
        #expect(page.json["account"] == name)
        #expect(server.get("1", token: token).text.contains("all"))
    }

    @Test func `an account takes over the records of a token, which then opens that account`() throws {
        let clock = ManualClock()
        let folder = try TemporaryFolder()
        let before = try ServerHarness(.file(folder.path("server.db")), tokens: ["t1"], clock: clock)
        try before.make("1", ["of": "t1"], token: "t1")
        let name = try before.list(token: "t1").json["account"]
        _ = try self.ask(before, .addAccount(name: "ada", beginning: .token("t1")))
        let token = try self.token(of: "ada", on: before)
        #expect(try before.list(token: token).json["account"] == name)
        #expect(before.get("1", token: token).text.contains("t1"))
        let reply = try self.ask(before, .addAccount(name: "eve", beginning: .token("t1")))
        #expect(reply["error"]?.string?.contains("“ada” has these records already") == true)
    }

    @Test func `an account with records is removed only with them, and its name is free again`() throws {
        let server = try ServerHarness()
        try self.add("ada", to: server)
        let token = try self.token(of: "ada", on: server)
        try server.make("1", token: token)
        let account = try server.list(token: token).json["account"]
        let refusal = try self.ask(server, .removeAccount(name: "ada", withRecords: false))
        #expect(refusal["error"]?.string?.contains("has 1 records") == true)
        #expect(server.get("1", token: token).status == 200)
        #expect(try self.ask(server, .removeAccount(name: "ada", withRecords: true))["rows"] == 1)
        #expect(server.get("1", token: token).status == 401)
        try self.add("ada", to: server)
        let other = try self.token(of: "ada", on: server)
        #expect(server.get("1", token: other).status == 404)
        // A different account has the same name: a device of the former one must not mix them.
        #expect(try server.list(token: other).json["account"] != account)
    }

    @Test(arguments: [
        (AdministrationRequest.addAccount(name: "ada", beginning: .nothing), "there is an account “ada” already"),
        (.addAccount(name: "", beginning: .nothing), "is empty"),
        (.addAccount(name: "a\nb", beginning: .nothing), "control character"),
        (.addAccount(name: String(repeating: "a", count: 201), beginning: .nothing), "200 are allowed"),
        (.addToken(account: "bob", label: "", seconds: nil), "there is no account “bob”; there are “ada”"),
        (.addToken(account: "ada", label: String(repeating: "a", count: 201), seconds: nil), "200 are allowed"),
        (.removeAccount(name: "bob", withRecords: true), "there is no account “bob”"),
        (.listTokens(account: "bob"), "there is no account “bob”"),
        (.backUp(path: "/tmp/x"), "tools of its database"),
    ])
    func `an impossible request is refused with a reason, and changes nothing`(
        request: AdministrationRequest, words: String
    ) throws {
        let server = try ServerHarness()
        try self.add("ada", to: server)
        let reply = try self.ask(server, request)
        #expect(reply["error"]?.string?.contains(words) == true, "\(reply.text)")
        #expect(try self.ask(server, .listAccounts).array?.count == 1)
        #expect(try self.ask(server, .listTokens(account: nil)).array?.isEmpty == true)
    }

    @Test(arguments: ["{}", #"{"do":"eat"}"#, #"{"do":"add account"}"#, #"{"do":"revoke token","number":"1"}"#, "[]"])
    func `a malformed administration request is rejected`(text: String) throws {
        #expect(AdministrationRequest(try JSON(parsing: text)) == nil)
    }
}
