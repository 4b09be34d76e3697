import CSystem
import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing
import TidemarkInspector
import TidemarkJSON

/// A source that counts what is asked of it.
private final class CountingSource: InspectorSource {
    let acts = Mutex<[InspectorAction]>([])

    func data(since revision: String?) async throws -> (bytes: [UInt8], revision: String)? {
        revision == "1" ? nil : (Array(#"{"secret":true}"#.utf8), "1")
    }

    func record(_ pk: String, in collection: String) async throws -> [UInt8]? {
        pk == "42" ? Array(#"{"pk":"42"}"#.utf8) : nil
    }

    func act(_ action: InspectorAction) async throws -> String {
        self.acts.withLock { $0.append(action) }
        return "Done."
    }
}

@Suite struct `The service of an inspector` {
    private let source = CountingSource()
    private let service: InspectorService
    private let own = ["host": "127.0.0.1:4711", "content-type": "application/json"]

    init() { self.service = InspectorService(self.source, port: 4711) }

    private func answer(
        _ path: String, _ headers: [String: String] = [:], without name: String? = nil, query: [String: String] = [:],
        body: String? = nil
    ) async -> LoopbackResponse {
        var all = self.own.merging(headers) { $1 }
        if let name { all[name] = nil }
        var request = LoopbackRequest(method: body == nil ? .get : .post, path: path)
        request.headers = all
        request.query = query
        request.body = Array((body ?? "").utf8)
        return await self.service.answer(request)
    }

    private func token() async throws -> String {
        let code = try #require(self.service.makeLink().split(separator: "#").last)
        let answer = await self.answer("/api/session", body: #"{"code":"\#(code)"}"#)
        return try #require(try JSON(parsing: answer.body)["token"]?.string)
    }

    private func text(_ response: LoopbackResponse) -> String { String(decoding: response.body, as: UTF8.self) }

    @Test func `the page has no data, and is the only thing without a token`() async {
        let page = await self.answer("/")
        #expect(page.status == 200 && page.type == "text/html")
        #expect(self.text(page).contains("<html lang=\"en\" data-live>"))
        #expect(self.text(page).contains("connect-src 'self'"))
        #expect(!self.text(page).contains("secret"))
        for path in ["/api/data", "/api/record", "/api/act", "/api/other"] {
            #expect(await self.answer(path).status == 401)
            #expect(await self.answer(path, body: "{}").status == 401)
        }
        #expect(await self.answer("/other").status == 404)
    }

    @Test func `a link gives a token once, and for the last link only`() async throws {
        let first = self.service.makeLink()
        #expect(first.hasPrefix("http://127.0.0.1:4711/#"))
        let second = self.service.makeLink()
        func status(_ link: String) async -> Int {
            await self.answer("/api/session", body: #"{"code":"\#(link.split(separator: "#").last ?? "")"}"#).status
        }
        #expect(await status(first) == 401)
        #expect(await status(second) == 200)
        #expect(await status(second) == 401)
        for body in ["", "{}", "[]", #"{"code":1}"#, #"{"code":""}"#] {
            _ = self.service.makeLink()
            #expect(await self.answer("/api/session", body: body).status == 401)
        }
    }

    @Test func `a code that differs in any digits is refused`() async throws {
        let link = self.service.makeLink()
        let code = Array(try #require(link.split(separator: "#").last).utf8)
        var wrong = code.indices.dropLast().map { place in
            // Each later digit has the bit of the first difference: a comparison that joins digits before it compares them
            // finds no difference in the last but one place.
            var other = code
            other[place] ^= 1
            for later in (place + 1)..<other.count { other[later] |= 1 }
            return other
        }
        wrong += code.indices.map { place in
            var other = code
            other[place] ^= 1
            return other
        }
        for other in wrong {
            let text = String(decoding: other, as: UTF8.self)
            #expect(
                await self.answer("/api/session", body: #"{"code":"\#(text)"}"#).status == 401, "\(text) for \(link)")
        }
        let right = String(decoding: code, as: UTF8.self)
        #expect(await self.answer("/api/session", body: #"{"code":"\#(right)"}"#).status == 200)
    }

    @Test func `the token gives the data, and a record`() async throws {
        let bearer = ["authorization": "Bearer \(try await self.token())"]
        #expect(self.text(await self.answer("/api/data", bearer)) == #"{"secret":true}"#)
        #expect(await self.answer("/api/data", bearer, query: ["since": "1"]).status == 204)
        #expect(self.text(await self.answer("/api/record", bearer, query: ["pk": "42"])) == #"{"pk":"42"}"#)
        #expect(await self.answer("/api/record", bearer, query: ["pk": "7"]).status == 404)
        for wrong in ["Bearer x", "Basic abc", "bearer", "Bearer ", "Bearer \(String(repeating: "0", count: 64))"] {
            #expect(await self.answer("/api/data", ["authorization": wrong]).status == 401)
        }
    }

    @Test(arguments: [
        ("host", "localhost:4711", 421), ("host", "127.0.0.1", 421), ("host", "127.0.0.1:80", 421),
        ("host", "evil.example:4711", 421), ("host", "[::1]:4711", 421), ("host", "", 421),
        ("origin", "http://evil.example", 403), ("origin", "null", 403), ("origin", "https://127.0.0.1:4711", 403),
        ("origin", "http://localhost:4711", 403), ("sec-fetch-site", "cross-site", 403),
        ("sec-fetch-site", "same-site", 403), ("content-type", "text/plain", 415),
        ("content-type", "application/x-www-form-urlencoded", 415),
    ])
    func `a request of another site is refused, also with the token`(
        name: String, value: String, status: Int
    ) async throws {
        let bearer = "Bearer \(try await self.token())"
        let answer = await self.answer(
            "/api/act", ["authorization": bearer, name: value], body: #"{"action":"resume"}"#)
        #expect(answer.status == status)
        #expect(self.source.acts.withLock(\.count) == 0)
    }

    @Test func `a request without Host, or a body without a type, is refused`() async throws {
        #expect(await self.answer("/", without: "host").status == 421)
        #expect(await self.answer("/api/session", without: "content-type", body: "{}").status == 415)
    }

    @Test func `own origins are accepted, and actions are read`() async throws {
        let headers = [
            "authorization": "Bearer \(try await self.token())", "origin": "http://127.0.0.1:4711",
            "sec-fetch-site": "same-origin",
        ]
        let shown = #""collection":"notes","pk":"42","digest":"d""#
        let bodies = [
            #"{"action":"retry",\#(shown)}"#, #"{"action":"restore","entry":7,\#(shown)}"#,
            #"{"action":"hold","on":true}"#,
            #"{"action":"resolve",\#(shown),"answers":[{"path":"/a","take":"server"},{"path":"/b","value":"1.10"}]}"#,
        ]
        for body in bodies { #expect(await self.answer("/api/act", headers, body: body).status == 200, "\(body)") }
        let record = InspectorAction.Shown(collection: "notes", pk: "42", digest: "d")
        #expect(
            self.source.acts.withLock(\.self) == [
                .retry(record), .restore(record, entry: 7), .hold(true),
                .resolve(record, ["/a": .server, "/b": .value(try JSON(parsing: Array("1.10".utf8)))]),
            ])
    }

    @Test(arguments: [
        "", "[]", "{}", #"{"action":"drop"}"#, #"{"action":"retry","collection":"notes","pk":"42"}"#,
        #"{"action":"resolve","collection":"n","pk":"1","digest":"d","answers":[{"path":"a","take":"server"}]}"#,
        #"{"action":"resolve","collection":"n","pk":"1","digest":"d","answers":[{"path":"/a","take":"both"}]}"#,
        #"{"action":"resolve","collection":"n","pk":"1","digest":"d","answers":[{"path":"/a","value":"milk"}]}"#,
        #"{"action":"restore","collection":"n","pk":"1","digest":"d"}"#, #"{"action":"sync"}"#,
    ])
    func `a body that is no action is refused with a reason`(body: String) async throws {
        let bearer = ["authorization": "Bearer \(try await self.token())"]
        let answer = await self.answer("/api/act", bearer, body: body)
        #expect(answer.status == 409)
        #expect(try JSON(parsing: answer.body)["message"]?.string?.isEmpty == false)
        #expect(self.source.acts.withLock(\.count) == 0)
    }
}

@Suite struct `A loopback responder` {
    /// A connection to a port of 127.0.0.1 that has sent some bytes.
    private final class Connection: Sendable {
        private let descriptor = socket(AF_INET, tidemark_stream_socket(), 0)

        init(_ text: String, to port: UInt16) throws {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            let size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let result = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(self.descriptor, $0, size) }
            }
            try #require(result == 0)
            let bytes = Array(text.utf8)
            try #require(write(self.descriptor, bytes, bytes.count) == bytes.count)
        }

        deinit { close(self.descriptor) }

        /// Reads until the other side closes the connection, on a thread outside of Swift's pool, which has to answer meanwhile.
        func answer() async -> String {
            await withCheckedContinuation { continuation in
                DispatchQueue.global().async { continuation.resume(returning: self.read()) }
            }
        }

        private func read() -> String {
            var answer: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = recv(self.descriptor, &buffer, buffer.count, 0)
                guard count > 0 else { return String(decoding: answer, as: UTF8.self) }
                answer += buffer[..<count]
            }
        }
    }

    private func send(_ text: String, to port: UInt16) async throws -> String {
        try await Connection(text, to: port).answer()
    }

    @Test func `answers one request for each connection, with fields that keep other sites out`() async throws {
        let responder = try LoopbackResponder { _ in
            { request in LoopbackResponse(200, Array("\"\(request.path)\"".utf8)) }
        }
        let answer = try await self.send("GET /a HTTP/1.1\r\nHost: h\r\n\r\n", to: responder.port)
        #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n") && answer.hasSuffix("\r\n\r\n\"/a\""))
        for field in [
            "Connection: close", "Cache-Control: no-store", "X-Content-Type-Options: nosniff", "X-Frame-Options: DENY",
            "Content-Security-Policy: default-src 'none'; ", "frame-ancestors 'none'", "require-trusted-types-for",
        ] { #expect(answer.contains(field), "\(field)") }
        for field in ["Access-Control", "Set-Cookie"] { #expect(!answer.contains(field)) }
        #expect(try await self.send("OPTIONS / HTTP/1.1\r\n\r\n", to: responder.port).hasPrefix("HTTP/1.1 405 "))
        responder.stop()
    }

    @Test func `gives the place of a connection without a request to the next one`() async throws {
        let responder = try LoopbackResponder { _ in { _ in LoopbackResponse(204) } }
        let port = responder.port
        let idle = try (0..<LoopbackResponder.connectionLimit).map { _ in try Connection("GET /", to: port) }
        #expect(try await self.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n", to: port).hasPrefix("HTTP/1.1 204 "))
        for connection in idle { #expect(await connection.answer() == "") }
        responder.stop()
    }

    @Test func `says that its port is taken`() throws {
        let first = try LoopbackResponder { _ in { _ in LoopbackResponse(204) } }
        let error = #expect(throws: LoopbackError.self) {
            _ = try LoopbackResponder(port: first.port) { _ in { _ in LoopbackResponse(204) } }
        }
        #expect(error?.message.contains("127.0.0.1:\(first.port) can't be listened on") == true)
    }
}
