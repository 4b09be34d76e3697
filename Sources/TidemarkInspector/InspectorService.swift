import CSystem
import Synchronization
import TidemarkJSON

/// Answers the requests of one page: the page itself, and its data to a client with the token.
///
/// The page is the only thing that is served without the token, and it has no data. Its link has a code in the fragment, which a
/// browser sends nowhere; the page sends the code once and gets the token, which it keeps in a variable. There is no cookie, so no
/// other site can send a request in the user's name; `Host`, `Origin` and the type of a body are checked as well, so that a page of
/// another site, or a name that leads to this address, gets nothing to work with.
package final class InspectorService: Sendable {
    private let source: any InspectorSource
    private let port: UInt16
    private let token = Secret()
    private let code = Mutex<(secret: Secret, until: Int64)?>(nil)

    /// How long a code is valid, in milliseconds.
    package static let codeTime: Int64 = 60_000

    package init(_ source: any InspectorSource, port: UInt16) {
        self.source = source
        self.port = port
    }

    /// A link to the page, which can be opened once, within a minute. An earlier one is not valid any more.
    package func makeLink() -> String {
        let code = Secret()
        self.code.withLock { $0 = (code, tidemark_steady_milliseconds() + Self.codeTime) }
        return "http://127.0.0.1:\(self.port)/#\(code.text)"
    }

    /// Answers a request.
    package func answer(_ request: LoopbackRequest) async -> LoopbackResponse {
        if let refusal = self.refusal(of: request) { return Self.refused(refusal.0, refusal.1) }
        switch (request.method, request.path) {
        case (.get, "/"): return LoopbackResponse(200, type: "text/html", InspectorPage.live)
        case (.post, "/api/session"): return self.begin(request)
        case (_, let path) where path.utf8.starts(with: "/api/".utf8):
            guard self.isAuthorized(request) else { return Self.refused(401, "This needs the token of the page.") }
            return await self.answer(api: request)
        default: return Self.refused(404, "There is nothing here.")
        }
    }

    private func refusal(of request: LoopbackRequest) -> (Int, String)? {
        // A browser leaves out the usual port.
        let host = self.port == 80 ? "127.0.0.1" : "127.0.0.1:\(self.port)"
        guard request.headers["host"] == host else {
            return (421, "This is 127.0.0.1:\(self.port), and answers to no other name.")
        }
        // The page alone has no data, and a link to it may be opened from anywhere.
        guard request.path != "/" else { return nil }
        if let origin = request.headers["origin"], origin != "http://\(host)" {
            return (403, "Another site can't send requests here.")
        }
        if let site = request.headers["sec-fetch-site"], site != "same-origin", site != "none" {
            return (403, "Another site can't send requests here.")
        }
        let type = request.headers["content-type"] ?? ""
        guard request.method == .get || type.utf8.starts(with: "application/json".utf8) else {
            return (415, "A body has to be application/json.")
        }
        return nil
    }

    private func begin(_ request: LoopbackRequest) -> LoopbackResponse {
        let given = (try? JSON(parsing: request.body))?["code"]?.string ?? ""
        let isRight = self.code.withLock { code in
            guard let (secret, until) = code, secret.equals(given) else { return false }
            code = nil
            return tidemark_steady_milliseconds() < until
        }
        guard isRight else {
            return Self.refused(401, "This link was used already, or is too old. Ask for another one.")
        }
        return LoopbackResponse(200, JSON.object(["token": .string(JSONString(self.token.text))]).bytes)
    }

    private func isAuthorized(_ request: LoopbackRequest) -> Bool {
        let prefix = "Bearer ".utf8
        guard let field = request.headers["authorization"]?.utf8, field.starts(with: prefix) else { return false }
        return self.token.equals(String(Substring(field.dropFirst(prefix.count))))
    }

    private func answer(api request: LoopbackRequest) async -> LoopbackResponse {
        do {
            switch (request.method, request.path) {
            case (.get, "/api/data"):
                let data = try await self.source.data(since: request.query["since"])
                return data.map { LoopbackResponse(200, $0.bytes) } ?? LoopbackResponse(204)
            case (.get, "/api/record"):
                let (collection, pk) = (request.query["collection"] ?? "", request.query["pk"] ?? "")
                let record = try await self.source.record(pk, in: collection)
                return record.map { LoopbackResponse(200, $0) }
                    ?? Self.refused(404, "There is no such record any more.")
            case (.post, "/api/act"):
                let message = try await self.source.act(try InspectorAction(request.body))
                return LoopbackResponse(200, Self.message(message))
            default: return Self.refused(404, "There is nothing here.")
            }
        } catch {
            return Self.refused(409, (error as? InspectorRefusal)?.message ?? "\(error)")
        }
    }

    private static func refused(_ status: Int, _ message: String) -> LoopbackResponse {
        LoopbackResponse(status, Self.message(message))
    }

    private static func message(_ text: String) -> [UInt8] {
        JSON.object(["message": .string(JSONString(text))]).bytes
    }
}

/// A random text that is hard to guess: 256 bits.
private struct Secret: Sendable {
    let text: String

    init() {
        var system = SystemRandomNumberGenerator()
        self.text = (0..<4).map { _ in
            let digits = String(system.next() as UInt64, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    /// Compares in a time that depends on neither text.
    func equals(_ other: String) -> Bool {
        let (mine, theirs) = (Array(self.text.utf8), Array(other.utf8))
        guard mine.count == theirs.count else { return false }
        return zip(mine, theirs).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
