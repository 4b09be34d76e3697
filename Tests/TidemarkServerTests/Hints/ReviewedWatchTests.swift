import Testing
import TidemarkJSON
import TidemarkServer

@Suite("Watches whose token is no longer valid")
struct ReviewedWatchTests {
    private func tokens(on server: ServerHarness, lasting span: Duration?) throws -> [String] {
        try server.core.withAccounts { (book) throws(ServerStorageError) in
            _ = try book.addAccount(named: "ada", beginningWith: .nothing)
            return [try book.addToken(to: "ada", lasting: span).token, try book.addToken(to: "ada").token]
        }
    }

    @Test func `the next review ends a watch whose token has expired (W10)`() throws {
        let server = try ServerHarness()
        let tokens = try self.tokens(on: server, lasting: .seconds(4))
        let watches = try tokens.map { try server.watch("notes", token: $0) }
        server.core.reviewWatches()
        #expect(watches.map(\.isOver) == [false, false])
        server.clock.set(server.clock.now + 5_000_000)
        server.core.reviewWatches()
        #expect(watches.map(\.isOver) == [true, false])
        #expect(server.core.openWatches == 1)
    }

    @Test func `the next review ends a watch whose token another process revoked (W10)`() throws {
        let server = try ServerHarness()
        let tokens = try self.tokens(on: server, lasting: nil)
        let watches = try tokens.map { try server.watch("notes", token: $0) }
        // As another process does it, without a notification of this one.
        try server.core.withAccounts { (book) throws(ServerStorageError) in _ = try book.removeToken(1) }
        #expect(watches.map(\.isOver) == [false, false])
        server.core.reviewWatches()
        #expect(watches.map(\.isOver) == [true, false])
    }

    @Test func `the first account ends the watches without a token (W10)`() throws {
        let server = try ServerHarness()
        let watch = try server.watch("notes")
        let reply = AdministrationRequest.addAccount(name: "ada", beginning: .openAccount).reply(of: server.core)
        #expect(reply["error"] == nil)
        #expect(watch.isOver)
    }

    @Test func `a server that is open to all needs no token, and ignores one`() throws {
        let server = try ServerHarness()
        let watch = try server.watch("notes", token: "of-another-server")
        server.core.reviewWatches()
        #expect(!watch.isOver)
    }

    @Test func `a watch of many collections reports the same as a watch of each (Contract §10)`() throws {
        let server = try ServerHarness()
        let names = (0..<20).map { "c\($0)" }
        for name in names.indices where name.isMultiple(of: 2) { try server.make("1", in: names[name]) }
        func said(of names: [String]) -> String {
            let response = server.core.handle(
                ServerRequest(
                    method: "GET", target: "/v1/?watch=\(names.joined(separator: ","))",
                    headers: [("Accept", "text/event-stream")]))
            return String(decoding: response.body, as: UTF8.self)
        }
        #expect(said(of: names) == names.map { said(of: [$0]) }.joined())
        #expect(said(of: names).split(separator: "event: changed").count == 20)
    }

    @Test func `an administration request with an invalid time span is rejected`() {
        for seconds in ["9223372036854775807", "0", "-1"] {
            let text = #"{"do":"add token","account":"ada","label":"","seconds":\#(seconds)}"#
            #expect((try? JSON(parsing: text)).flatMap { AdministrationRequest($0) } == nil)
        }
    }
}
