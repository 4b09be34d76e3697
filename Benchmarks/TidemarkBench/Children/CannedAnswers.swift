import CannedHTTP
import Foundation

import CSystem

/// Answers requests of one client at a time over loopback, and keeps the connection: what is measured is the client.
final class CannedAnswers: Sendable {
    let port: UInt16

    /// - Parameter body: What to answer to a request with this target.
    init(_ body: @escaping @Sendable (String) -> [UInt8]) throws {
        let socket = try CannedSocket.listening()
        self.port = try CannedSocket.port(of: socket)
        Thread {
            while true {
                let connection = accept(socket, nil, nil)
                guard connection >= 0 else { return }
                Thread { Self.serve(connection, body) }.start()
            }
        }.start()
    }

    private static func serve(_ connection: Int32, _ body: (String) -> [UInt8]) {
        defer { close(connection) }
        var flag: Int32 = 1
        unsafe setsockopt(connection, Int32(IPPROTO_TCP), TCP_NODELAY, &flag, socklen_t(MemoryLayout<Int32>.size))
        var bytes: [UInt8] = []
        while let target = Self.request(connection, &bytes) {
            let answer = body(target)
            let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(answer.count)\r\n\r\n"
            CannedSocket.write(Array(head.utf8) + answer, to: connection)
        }
    }

    /// Reads a request to its end; its target, or nil when the client hangs up.
    private static func request(_ connection: Int32, _ bytes: inout [UInt8]) -> String? {
        while true {
            if let head = bytes.firstRange(of: Array("\r\n\r\n".utf8)) {
                let lines = String(decoding: bytes[..<head.lowerBound], as: UTF8.self).split(separator: "\r\n")
                let length = lines.first { $0.lowercased().hasPrefix("content-length:") }
                    .flatMap { Int($0.split(separator: ":")[1].trimmingCharacters(in: .whitespaces)) }
                let end = head.upperBound + (length ?? 0)
                if bytes.count >= end {
                    bytes.removeSubrange(..<end)
                    return lines[0].split(separator: " ").dropFirst().first.map { String($0) }
                }
            }
            guard let more = CannedSocket.read(connection) else { return nil }
            bytes += more
        }
    }
}
