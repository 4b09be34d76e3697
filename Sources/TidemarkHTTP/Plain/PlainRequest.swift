internal import Foundation

/// A request as bytes, and whom to send it to.
struct PlainRequest: Hashable, Sendable {
    let host: String
    let port: UInt16
    let bytes: [UInt8]

    /// Writes a request (RFC 9112 section 3); nil when the URL is not one of `http://`.
    init?(_ method: String, _ url: URL, headers: [(name: String, value: String)], body: [UInt8]?) {
        guard let components = URLComponents(url: url, resolvingAgainstBaseURL: false),
            components.scheme?.lowercased() == "http", let host = components.host, !host.isEmpty,
            let port = UInt16(exactly: components.port ?? 80)
        else { return nil }
        self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        self.port = port
        let name = self.host.contains(":") ? "[\(self.host)]" : self.host
        let query = components.percentEncodedQuery.map { "?\($0)" } ?? ""
        var lines = [
            "\(method) \(components.percentEncodedPath)\(query) HTTP/1.1", "Host: \(name):\(port)", "Connection: close",
            "Accept-Encoding: gzip",
        ]
        lines += headers.map { "\($0.name): \($0.value)" }
        if let body {
            lines.append("Content-Length: \(body.count)")
        }
        self.bytes = Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + (body ?? [])
    }
}
