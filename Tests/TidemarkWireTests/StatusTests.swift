import TestSupport
import Testing
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkWire

@Suite struct `The meaning of a status (Contract §3.5)` {
    @Test(
        arguments: [
            (400, .refused), (401, .auth), (403, .refused), (404, .notFound), (405, .invalidAnswer), (407, .auth),
            (408, .busy), (409, .refused), (410, .historyLost), (413, .refused), (415, .invalidAnswer), (422, .refused),
            (425, .busy), (429, .busy), (500, .busy), (501, .invalidAnswer), (502, .busy), (503, .busy), (504, .busy),
            (507, .busy), (511, .portal), (301, .portal), (302, .portal), (307, .portal), (304, .invalidAnswer),
            (204, .invalidAnswer),
            (201, .invalidAnswer), (206, .invalidAnswer), (100, .invalidAnswer), (0, .invalidAnswer), (599, .busy),
            (999, .invalidAnswer),
        ] as [(Int, FailureClass)])
    func `every status has its class, with and without a problem`(status: Int, failureClass: FailureClass) {
        let problem = #"{"title":"Short","detail":"Long and clear","extra":[1.10]}"#
        let bare = SampleReply(name: "bare", status: status, headers: [:], body: "")
        let worded = SampleReply(
            name: "worded", status: status, headers: ["Content-Type": "application/problem+json"], body: problem)
        let page = SampleReply(name: "page", status: status, headers: ["Content-Type": "text/html"], body: "<p>No</p>")
        for request in [ExchangeRequest.get, .post(1)] {
            #expect(bare.failure(request)?.failureClass == failureClass)
            #expect(worded.failure(request)?.failureClass == failureClass)
            #expect(page.failure(request)?.failureClass == failureClass)
            #expect(page.failure(request)?.problem == nil)
        }
        #expect(worded.failure(.get)?.problem?.status == status)
        #expect(worded.failure(.get)?.problem?.title == "Long and clear")
        #expect(worded.failure(.get)?.problem?.document.text == problem)
        #expect(worded.failure(.get)?.message.contains("status \(status): Long and clear.") == true)
    }

    @Test func `a body with status 204 is an invalid answer`() {
        let reply = SampleReply(name: "no content", status: 204, body: answerBody())
        #expect(reply.failure(.get)?.failureClass == .invalidAnswer)
    }

    @Test func `the error of another status of success names 200`() throws {
        let reply = SampleReply(name: "created", status: 201, body: answerBody())
        let failure = try #require(reply.failure(.post(1)))
        #expect(
            failure.message
                == "The server answered with status 201. Expected 200. Check that the URL is that of a Tidemark server."
        )
    }

    @Test func `the error of a wrong path names the probable mistake in the URL`() throws {
        let failure = try #require(SampleReply(name: "404", status: 404, body: "not found").failure(.get))
        #expect(failure.message.contains("/v1"))
    }

    @Test func `the error of a 401 has the server's words and a remedy`() throws {
        let reply = SampleReply(
            name: "401", status: 401,
            headers: ["WWW-Authenticate": "Bearer", "Content-Type": "application/problem+json"],
            body: #"{"status":401,"title":"Unauthorized","detail":"this server does not know the token"}"#)
        let failure = try #require(reply.failure(.get))
        #expect(failure.message.contains("this server does not know the token. Check the token"))
    }

    @Test func `the error of a redirect names its target`() throws {
        let reply = SampleReply(name: "302", status: 302, headers: ["Location": "https://login.example/"], body: "")
        let failure = try #require(reply.failure(.get))
        #expect(failure.message.contains("https://login.example/"))
    }

    @Test(arguments: [
        ("https://login.example/", true), ("https://notes.example.evil/v1/", true), ("//login.example/", true),
        ("http://notes.example/v1/", true), ("https://notes.example:8443/v1/", true), ("mailto:me@notes.example", true),
        ("https://NOTES.example:443/v1/", false), ("/v1/", false), ("notes/", false), ("?a=b:c", false), ("", false),
    ])
    func `a redirect within the origin is a wrong URL, and outside of it a portal`(location: String, leaves: Bool)
        throws
    {
        let failure = #expect(throws: RemoteFailure.self) {
            try WireAnswer.decode(
                status: 308, header: { $0 == "Location" ? location : nil }, body: [], request: .get,
                base: "https://notes.example/v1")
        }
        #expect(failure?.failureClass == (leaves ? .portal : .invalidAnswer))
        #expect(failure?.message.contains(location) == true)
    }

    @Test(arguments: [404, 429, 413])
    func `the error of a status names the status and no lost answer`(status: Int) throws {
        let failure = try #require(SampleReply(name: "x", status: status, headers: [:], body: "").failure(.post(1)))
        #expect(failure.message.contains("status \(status)"))
        #expect(!failure.message.contains("lost"))
        #expect(!failure.message.contains(".."))
    }

    @Test(
        arguments: [
            ("120", .delay(.seconds(120))), ("0", .delay(.seconds(0))), (" 7 ", .delay(.seconds(7))),
            ("99999999999999999999999", .delay(.seconds(86_400))),
            ("Sun, 06 Nov 1994 08:49:37 GMT", .time(.seconds(784_111_777))),
            ("-1", nil), ("1.5", nil), ("soon", nil), ("", nil),
        ] as [(String, RemoteFailure.RetryAfter?)])
    func `retry-after-seconds and retry-after-http-date: both forms are parsed`(
        field: String, expected: RemoteFailure.RetryAfter?
    ) {
        for status in [503, 429, 401, 302] {
            let reply = SampleReply(name: field, status: status, headers: ["Retry-After": field], body: "")
            #expect(reply.failure(.get)?.retryAfter == expected)
        }
    }
}
