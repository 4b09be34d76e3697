import CannedHTTP
import Foundation
import Synchronization

import CSystem

/// A connection over loopback that costs very little, so that a benchmark measures the server.
final class LoopbackConnection: Sendable {
    private let socket: Int32

    /// The buffer for answers.
    private let buffer = Mutex([UInt8](repeating: 0, count: 16 << 10))

    init(port: UInt16) throws {
        self.socket = try Self.connected(to: port)
    }

    deinit { close(self.socket) }

    /// Sends a POST, and reads its answer to the end; false when it is not 200.
    func post(_ target: String, _ body: [UInt8]) -> Bool {
        let head = """
            POST \(target) HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
            Content-Length: \(body.count)\r\n\r\n
            """
        return self.ask(Array(head.utf8) + body)
    }

    /// Sends a GET, and reads its answer to the end; false when it is not 200.
    func get(_ target: String) -> Bool {
        self.ask(Array("GET \(target) HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
    }

    private func ask(_ request: [UInt8]) -> Bool {
        CannedSocket.write(request, to: self.socket)
        return self.buffer.withLock { buffer in
            var count = 0
            while true {
                if count == buffer.count { buffer += [UInt8](repeating: 0, count: buffer.count) }
                let more = unsafe buffer.withUnsafeMutableBytes { bytes in
                    unsafe recv(self.socket, bytes.baseAddress.map { unsafe $0 + count }, bytes.count - count, 0)
                }
                guard more > 0 else { return false }
                count += more
                if let size = AnswerHead.size(of: buffer[..<count]), count >= size {
                    return buffer.starts(with: AnswerHead.success)
                }
            }
        }
    }

    static func connected(to port: UInt16) throws -> Int32 {
        let descriptor = CSystem.socket(AF_INET, tidemark_stream_socket(), 0)
        guard descriptor >= 0 else { throw Unavailable("no more sockets are available: \(Self.reason)") }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = unsafe withUnsafePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe connect(descriptor, $0, size) }
        }
        guard status == 0 else {
            let reason = Self.reason
            close(descriptor)
            throw Unavailable("the server can't be reached: \(reason)")
        }
        return descriptor
    }

    private static var reason: String { unsafe String(cString: strerror(errno)) }
}

/// The size of an answer according to its head.
private enum AnswerHead {
    static let success = Array("HTTP/1.1 200".utf8)
    private static let field = Array("content-length:".utf8)

    /// The size of an answer with its head; nil if the head is incomplete.
    static func size(of bytes: ArraySlice<UInt8>) -> Int? {
        var length = 0
        var lineStart = 0
        for place in bytes.indices where bytes[place] == UInt8(ascii: "\n") {
            // An empty line.
            if place - lineStart <= 1 { return place + 1 + length }
            if Self.isLength(bytes[lineStart..<place]) {
                for byte in bytes[(lineStart + Self.field.count)..<place] where byte >= UInt8(ascii: "0") {
                    length = 10 * length + Int(byte - UInt8(ascii: "0"))
                }
            }
            lineStart = place + 1
        }
        return nil
    }

    private static func isLength(_ line: ArraySlice<UInt8>) -> Bool {
        line.count >= Self.field.count && zip(line, Self.field).allSatisfy { $0 | 0x20 == $1 | 0x20 }
    }
}

/// Many clients at once, each a thread that waits for the answer to its last POST.
enum LoopbackPosts {
    /// Posts one edit at a time over each connection, and returns when all are answered.
    static func run(_ connections: [LoopbackConnection], bodies: [[[UInt8]]]) throws {
        let failures = Mutex(0)
        let group = DispatchGroup()
        for (connection, bodies) in zip(connections, bodies) {
            group.enter()
            Thread {
                for body in bodies where !connection.post("/v1/tasks?limit=1", body) {
                    failures.withLock { $0 += 1 }
                }
                group.leave()
            }.start()
        }
        group.wait()
        let count = failures.withLock { $0 }
        guard count == 0 else { throw Unavailable("\(count) POSTs were not answered with 200") }
    }
}
