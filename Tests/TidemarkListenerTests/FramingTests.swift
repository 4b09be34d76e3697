import Foundation
import Testing
import TidemarkListener
import TidemarkServer

@Suite("Framing that RFC 9112 wants refused")
struct FramingTests {
    @Test(arguments: [
        "POST /v1/notes HTTP/1.1\nHost: x\nContent-Length: 2\nTransfer-Encoding: chunked\n\n0\n\n",
        "POST /v1/notes HTTP/1.1\nHost: x\nContent-Length: 2\nContent-Length: 3\n\n{}!",
        "POST /v1/notes HTTP/1.1\nHost: x\nContent-Length: 2\nContent-Length: 2\n\n{}",
        "POST /v1/notes HTTP/1.1\nHost: x\nContent-Length : 2\n\n{}",
        "POST /v1/notes HTTP/1.1\nHost: x\nTransfer-Encoding: foo\n\n0\n\n",
        "POST /v1/notes HTTP/1.1\nHost: x\nTransfer-Encoding: gzip, chunked\n\n0\n\n",
        "POST /v1/notes HTTP/1.1\nHost: x\nTransfer-Encoding: chunked\nTransfer-Encoding: chunked\n\n0\n\n",
        "POST /v1/notes HTTP/1.0\nTransfer-Encoding: chunked\n\n0\n\n",
        "GET /v1/notes HTTP/1.1\nAccept: */*\n\n",
        "GET /v1/notes HTTP/1.1\nHost: x\nHost: y\n\n",
        "GET /v1/no tes HTTP/1.1\nHost: x\n\n",
        "GET /v1/no\u{0}tes HTTP/1.1\nHost: x\n\n",
        "GET /v1/notes?a=\u{0}b HTTP/1.1\nHost: x\n\n",
        "GET /v1/notes HTTP/1.1\nHost: x\nAuthorization: Bearer t1\u{0}junk\n\n",
        "GET /v1/notes HTTP/1.1\nHost: x\nAuthorization: Bearer t1\u{0}junk\nAccept: */*\n\n",
        "GET /v1/notes HTTP/1.1\nHost: x\nAccept: a\n b\n\n",
    ])
    func `framing that two readers may understand in two ways is 400, as a problem, and hung up on`(
        request: String
    ) throws {
        let server = try RunningServer()
        let client = try server.connect()
        client.send(request + "GET /v1/smuggled HTTP/1.1\nHost: x\n\n")
        let answer = try client.answer()
        #expect(answer.status == 400)
        #expect(answer["content-type"] == "application/problem+json")
        #expect(answer.text.contains(#""code":"malformed-head""#))
        #expect(answer["connection"] == "close")
        client.finishSending()
        #expect(throws: SocketClient.Ended.self, "what came behind it is not answered") { try client.answer() }
    }

    @Test func `a length beyond all numbers is 413`() throws {
        let server = try RunningServer()
        let client = try server.connect()
        client.send("POST /v1/notes HTTP/1.1\nHost: x\nContent-Length: 18446744073709551615\n\n")
        let answer = try client.answer()
        #expect(answer.status == 413)
        #expect(answer["content-type"] == "application/problem+json")
    }

    @Test(arguments: [
        "GET /v1/notes HTTP/1.0\n\n", "GET /v1/notes HTTP/1.1\nHost:x\nAuthorization:   Bearer tok   \nX:\n\n",
        "GET /v1/notes HTTP/1.1\nHost: x\n\n", "GET /v1/notes?%00 HTTP/1.1\nHost: x\nAccept: a, b\nAccept: c\n\n",
        "POST /v1/notes HTTP/1.1\nhost: x\ntransfer-encoding: Chunked\n\nc\n{\"edits\":[]}\n0\n\n",
    ])
    func `what is right is answered`(request: String) throws {
        let server = try RunningServer()
        let client = try server.connect()
        client.send(request)
        #expect(try client.answer().status == 200)
    }

    @Test func `W10 a body in chunks of a stranger is 401 before it is read (L01)`() throws {
        let server = try RunningServer(tokens: ["t1"])
        let client = try server.connect()
        client.send("POST /v1/notes HTTP/1.1\nHost: x\nTransfer-Encoding: chunked\n\n")
        // No chunk is sent.
        let answer = try client.answer()
        #expect(answer.status == 401)
        #expect(answer["www-authenticate"] == "Bearer")
        #expect(answer["connection"] == "close")
    }

    @Test(arguments: ["Basic t1", "Bearer", "t1", "Bearer t1 t1", "Bearer t1, Bearer t1"])
    func `W10 what is not Bearer and a token is 401 (S20)`(field: String) throws {
        let server = try RunningServer(tokens: ["t1"])
        #expect(try server.answer("GET", "/v1/notes", headers: "Authorization: \(field)\n").status == 401)
        let twice = "Authorization: Bearer t1\nAuthorization: \(field)\n"
        #expect(try server.answer("GET", "/v1/notes", headers: twice).status == 400)
    }
}
