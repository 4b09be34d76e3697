import CSystem
import Foundation
import Testing

/// Gives prepared answers, one to a request, and the last one again and again.
final class ScriptedServer {
    /// An answer.
    struct Answer: Sendable {
        var bytes: [UInt8]

        init(_ status: Int, _ body: String, headers: [String] = ["Content-Type: application/json"]) {
            let lines =
                ["HTTP/1.1 \(status) Scripted", "Content-Length: \(body.utf8.count)", "Connection: close"] + headers
            self.bytes = Array("\(lines.joined(separator: "\r\n"))\r\n\r\n\(body)".utf8)
        }

        /// A page without rows.
        static let empty = Answer(
            200, #"{"items":[],"max_updated_at":"1","more":false,"epoch":"e","account":"a"}"#)
    }

    let url: String
    private let descriptor: Int32

    init(_ answers: [Answer]) throws {
        let descriptor = socket(AF_INET, tidemark_stream_socket(), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, size) == 0 && listen(descriptor, 8) == 0
                    && getsockname(descriptor, address, &size) == 0
            }
        }
        try #require(isListening)
        self.descriptor = descriptor
        self.url = "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))/v1"
        Thread.detachNewThread { Self.serve(answers, on: descriptor) }
    }

    deinit {
        shutdown(self.descriptor, Int32(SHUT_RDWR))
        close(self.descriptor)
    }

    private static func serve(_ answers: [Answer], on descriptor: Int32) {
        var number = 0
        while true {
            let client = accept(descriptor, nil, nil)
            guard client >= 0 else { return }
            var request = [UInt8](repeating: 0, count: 65_536)
            _ = recv(client, &request, request.count, 0)
            let bytes = answers[min(number, answers.count - 1)].bytes
            _ = send(client, bytes, bytes.count, 0)
            close(client)
            number += 1
        }
    }
}
