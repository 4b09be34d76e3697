import TidemarkCore
import TidemarkMachine
import Testing

@Suite struct RollbackStatusTests {
    @Test(arguments: [
        (410, #"{"code":"server-rolled-back","detail":"restored"}"#, true),
        (410, #"{"code":"history-lost","detail":"too old"}"#, false), (410, "", false), (410, "{}", false),
        (410, #"{"code":["server-rolled-back"]}"#, false), (503, #"{"code":"server-rolled-back"}"#, false),
    ])
    func `a 410 is a rollback only with the code of a rolled back server`(
        status: Int, body: String, serverRolledBack: Bool
    ) throws {
        let reply = SampleReply(name: body, status: status, body: body)
        let failure = try #require(reply.failure(.get))
        #expect(failure.serverRolledBack == serverRolledBack)
    }

    @Test(arguments: [410, 403])
    func `a refusal has the account that the server names`(status: Int) throws {
        let named = SampleReply(name: "named", status: status, body: #"{"code":"history-lost","account":"ada"}"#)
        #expect(try #require(named.failure(.get)).account == "ada")
        for body in [#"{"code":"history-lost"}"#, #"{"account":7}"#, "{}", ""] {
            let reply = SampleReply(name: body, status: status, body: body)
            #expect(try #require(reply.failure(.get)).account == nil)
        }
    }

    @Test func `a 410 with a truncated problem is offline, since its code may be missing`() throws {
        let body = #"{"code":"server-rolled-back","account":"ada"}"#
        for count in 0..<body.utf8.count {
            let reply = SampleReply(
                name: "\(count) bytes", status: 410, headers: ["Content-Type": "application/problem+json"],
                body: String(body.prefix(count)))
            #expect(try #require(reply.failure(.get)).failureClass == .offline)
        }
    }
}
