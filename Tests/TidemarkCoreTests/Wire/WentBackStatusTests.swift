import TidemarkCore
import Testing

@Suite struct WentBackStatusTests {
    @Test(arguments: [
        (410, #"{"code":"server-went-back","detail":"put back"}"#, true),
        (410, #"{"code":"history-lost","detail":"too old"}"#, false), (410, "", false), (410, "{}", false),
        (410, #"{"code":["server-went-back"]}"#, false), (503, #"{"code":"server-went-back"}"#, false),
    ])
    func `a lost history is one of a server that went back where the server says so`(
        status: Int, body: String, wentBack: Bool
    ) throws {
        let reply = SampleReply(name: body, status: status, body: body)
        let failure = try #require(reply.failure(.get))
        #expect(failure.serverWentBack == wentBack)
    }
}
