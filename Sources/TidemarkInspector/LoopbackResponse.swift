/// An answer of ``LoopbackResponder``, after which the connection is closed.
package struct LoopbackResponse: Hashable, Sendable {
    package var status: Int
    package var type = "application/json"
    package var body: [UInt8] = []

    package init(_ status: Int, type: String = "application/json", _ body: [UInt8] = []) {
        self.status = status
        self.type = type
        self.body = body
    }

    /// The answer as bytes. No field allows another site to read it, to frame it, or to keep it.
    var bytes: [UInt8] {
        var head = [
            "HTTP/1.1 \(self.status) \(Self.reasons[self.status] ?? "Error")",
            "Connection: close", "Cache-Control: no-store",
            "X-Content-Type-Options: nosniff", "X-Frame-Options: DENY", "Referrer-Policy: no-referrer",
            "Cross-Origin-Opener-Policy: same-origin", "Cross-Origin-Resource-Policy: same-origin",
            "Content-Security-Policy: \(InspectorText.livePolicy); frame-ancestors 'none'",
        ]
        // RFC 9110 §8.6: none in a 204.
        if self.status != 204 { head.append("Content-Length: \(self.body.count)") }
        if !self.body.isEmpty { head.append("Content-Type: \(self.type); charset=utf-8") }
        if self.status == 405 { head.append("Allow: GET, POST") }
        return Array((head.joined(separator: "\r\n") + "\r\n\r\n").utf8) + self.body
    }

    private static let reasons = [
        200: "OK", 204: "No Content", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found",
        405: "Method Not Allowed", 409: "Conflict", 413: "Content Too Large",
        415: "Unsupported Media Type",
        421: "Misdirected Request", 431: "Request Header Fields Too Large", 500: "Internal Server Error",
        501: "Not Implemented",
        505: "HTTP Version Not Supported",
    ]
}
