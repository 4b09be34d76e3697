import CannedHTTP
import Foundation

import CSystem

/// Answers requests over loopback and keeps each connection, so that the client does nearly all of the work.
final class CannedAnswers: Sendable {
    let port: UInt16

    /// - Parameter body: Returns the body of the answer to a request with this target and this body.
    init(_ body: @escaping @Sendable (String, [UInt8]) -> [UInt8]) throws {
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

    private static func serve(_ connection: Int32, _ body: (String, [UInt8]) -> [UInt8]) {
        defer { close(connection) }
        var flag: Int32 = 1
        unsafe setsockopt(connection, Int32(IPPROTO_TCP), TCP_NODELAY, &flag, socklen_t(MemoryLayout<Int32>.size))
        var bytes: [UInt8] = []
        while let request = Self.request(connection, &bytes) {
            let answer = body(request.target, request.body)
            let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(answer.count)\r\n\r\n"
            CannedSocket.write(Array(head.utf8) + answer, to: connection)
        }
    }

    /// Reads a request to its end; nil when the client closes the connection.
    private static func request(_ connection: Int32, _ bytes: inout [UInt8]) -> (target: String, body: [UInt8])? {
        while true {
            if let head = bytes.firstRange(of: Array("\r\n\r\n".utf8)) {
                let lines = String(decoding: bytes[..<head.lowerBound], as: UTF8.self).split(separator: "\r\n")
                let length = lines.first { $0.lowercased().hasPrefix("content-length:") }
                    .flatMap { Int($0.split(separator: ":")[1].trimmingCharacters(in: .whitespaces)) }
                let end = head.upperBound + (length ?? 0)
                if bytes.count >= end {
                    let body = Array(bytes[head.upperBound..<end])
                    bytes.removeSubrange(..<end)
                    return lines[0].split(separator: " ").dropFirst().first.map { (String($0), body) }
                }
            }
            guard let more = CannedSocket.read(connection) else { return nil }
            bytes += more
        }
    }
}
