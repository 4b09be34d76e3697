import Testing

@testable import TidemarkHTTP

@Suite struct `An HTTP answer in pieces (RFC 9112)` {
    /// Answers whose end can be told without the end of the connection, with their status and body.
    static let whole: [(text: String, status: Int, body: String)] = [
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", 200, "hello"),
        ("HTTP/1.1 200 OK\ncontent-length:5\n\nhello", 200, "hello"),
        ("HTTP/1.1 404 \r\nContent-Length: 0\r\n\r\n", 404, ""),
        ("HTTP/1.1 503\r\nContent-Length: 0\r\n\r\n", 503, ""),
        ("HTTP/1.1 204 No Content\r\n\r\n", 204, ""),
        ("HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", 304, ""),
        (
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nA: b\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx",
            200, "x"
        ),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhell\r\n1;a=b\r\no\r\n0\r\n\r\n", 200, "hello"),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\nA\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\n", 200,
            "0123456789"
        ),
    ]

    @Test(arguments: Self.whole.map(\.text))
    func `it is the same however it is cut, and never whole too early`(text: String) throws {
        let expected = try #require(Self.whole.first { $0.text == text })
        let bytes = Array(text.utf8)
        for cut in 0...bytes.count {
            var reader = ResponseReader(limit: 100)
            try reader.take(Array(bytes[..<cut]))
            #expect(reader.isComplete == (cut == bytes.count))
            var broken = reader
            if cut < bytes.count {
                #expect(throws: ResponseReader.Fault.brokenOff) { try broken.end() }
            }
            try reader.take(Array(bytes[cut...]))
            #expect(reader.isComplete)
            #expect(reader.reply?.status == expected.status)
            #expect(reader.reply.map { String(decoding: $0.body, as: UTF8.self) } == expected.body)
        }
    }

    @Test func `without a length it is whole when the connection ends`() throws {
        var reader = ResponseReader(limit: 100)
        try reader.take(Array("HTTP/1.0 200 OK\r\nA:  b  c \r\n\r\nhello".utf8))
        #expect(!reader.isComplete)
        try reader.end()
        #expect(reader.isComplete)
        #expect(reader.reply?.header("a") == "b c")
        #expect(reader.reply?.body == Array("hello".utf8))
    }

    @Test(
        arguments: [
            "SSH-2.0-OpenSSH\r\n", "\r\n", "HTTP/2 200\r\n", "HTTP/1.1 abc\r\n", "HTTP/1.1 99 No\r\n",
            "HTTP/1.1 200 OK\r\nno colon\r\n", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 1, 1\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nxy\r\n",
            String(repeating: "x", count: 70_000),
            "HTTP/1.1 200 OK\r\n" + String(repeating: "A: 0123456789\r\n", count: 10_000),
        ])
    func `what is not HTTP is refused`(text: String) {
        var reader = ResponseReader(limit: 100)
        #expect(throws: ResponseReader.Fault.notHTTP) { try reader.take(Array(text.utf8)) }
    }

    @Test(
        arguments: [
            "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n1234", "HTTP/1.1 200 OK\r\n\r\n1234",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n12\r\n2\r\n34\r\n0\r\n\r\n",
        ])
    func `a body over the limit is refused, and one of the limit is not`(text: String) throws {
        var small = ResponseReader(limit: 3)
        #expect(throws: ResponseReader.Fault.tooLarge) { try small.take(Array(text.utf8)) }
        var large = ResponseReader(limit: 4)
        try large.take(Array(text.utf8))
        #expect(large.reply?.body.count == 4)
    }
}
