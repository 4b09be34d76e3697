/// One request as received over a connection.
package struct CannedRequest: Sendable {
    /// Method and target, such as `GET /v1/notes?limit=1`.
    package let line: String
    package let headers: [(name: String, value: String)]
    package let body: [UInt8]

    /// Reads a request to its end; nil if the connection ends in its middle.
    init?(reading descriptor: Int32) {
        var bytes: [UInt8] = []
        var head: Range<Int>?
        while head == nil {
            guard let more = CannedSocket.read(descriptor) else { return nil }
            bytes += more
            // The first byte of a TLS handshake (RFC 8446 §5.1), which this server does not support.
            guard bytes[0] != 0x16 else { return nil }
            head = bytes.firstRange(of: Array("\r\n\r\n".utf8))
        }
        guard let end = head else { return nil }
        let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
        let headers = lines.dropFirst().map { line in
            let parts = line.split(separator: ":", maxSplits: 1)
            return (name: parts[0].lowercased(), value: parts.count > 1 ? String(parts[1].drop { $0 == " " }) : "")
        }
        var body = Array(bytes[end.upperBound...])
        let length = headers.first { $0.name == "content-length" }.flatMap { Int($0.value) } ?? 0
        while body.count < length {
            guard let more = CannedSocket.read(descriptor) else { return nil }
            body += more
        }
        self.line = lines[0].split(separator: " ").prefix(2).joined(separator: " ")
        self.headers = headers
        self.body = body
    }

    package func header(_ name: String) -> String? {
        self.headers.first { $0.name == name.lowercased() }?.value
    }
}
