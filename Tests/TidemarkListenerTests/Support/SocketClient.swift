import CSystem
import Foundation
import Testing

/// A client that sends exactly the given bytes, over TCP.
final class SocketClient {
    private let socket: CInt
    private var unread: [UInt8] = []

    /// Connects to a port of this machine; reads time out, so that a failed test ends.
    init(port: UInt16, receiveBuffer: CInt? = nil) throws {
        self.socket = Foundation.socket(AF_INET, tidemark_stream_socket(), 0)
        try #require(self.socket >= 0)
        var timeout = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(self.socket, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(self.socket, SOL_SOCKET, SO_SNDTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        if var receiveBuffer {
            setsockopt(self.socket, SOL_SOCKET, SO_RCVBUF, &receiveBuffer, socklen_t(MemoryLayout<CInt>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                connect(self.socket, pointer, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw Refused() }
    }

    /// The connection was refused.
    struct Refused: Error {}

    /// The connection ended before the answer did.
    struct Ended: Error {
        let after: [UInt8]
    }

    deinit {
        close(self.socket)
    }

    /// Sends bytes; false if the other side has closed the connection.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                tidemark_send(self.socket, $0.baseAddress, $0.count)
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    /// Sends text, with the line ends of HTTP.
    @discardableResult
    func send(_ text: String) -> Bool {
        self.send(Array(text.replacing("\n", with: "\r\n").utf8))
    }

    /// Closes the sending side; answers can still be read.
    func finishSending() {
        shutdown(self.socket, CInt(SHUT_WR))
    }

    /// Waits at most this long for more bytes; true if there are some, or if the connection has ended.
    func waitsForBytes(milliseconds: CInt) -> Bool {
        var entry = pollfd(fd: self.socket, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, milliseconds) > 0
    }

    /// Whether the other side ends the connection; bytes that it still sends are discarded.
    func isHungUp() -> Bool {
        while true {
            do {
                guard try self.readMore() else { return true }
            } catch {
                return false
            }
        }
    }

    /// Reads one answer to its end.
    func answer(isToHead: Bool = false) throws -> SocketAnswer {
        let end = Array("\r\n\r\n".utf8)
        while self.unread.firstRange(of: end) == nil {
            guard try self.readMore() else { throw Ended(after: self.unread) }
        }
        guard let range = self.unread.firstRange(of: end) else { throw Ended(after: self.unread) }
        var answer = SocketAnswer(head: String(decoding: self.unread[..<range.lowerBound], as: UTF8.self))
        self.unread.removeSubrange(..<range.upperBound)
        let length = isToHead || answer.status == 100 ? 0 : Int(answer["content-length"] ?? "0") ?? 0
        while self.unread.count < length {
            guard try self.readMore() else { throw Ended(after: self.unread) }
        }
        answer.body = Array(self.unread.prefix(length))
        self.unread.removeFirst(length)
        return answer
    }

    /// Reads until a text has arrived, and returns everything up to its end: for an answer without an end.
    func text(until mark: String) throws -> String {
        while self.unread.firstRange(of: Array(mark.utf8)) == nil {
            guard try self.readMore() else { throw Ended(after: self.unread) }
        }
        guard let range = self.unread.firstRange(of: Array(mark.utf8)) else { throw Ended(after: self.unread) }
        defer { self.unread.removeSubrange(..<range.upperBound) }
        return String(decoding: self.unread[..<range.upperBound], as: UTF8.self)
    }

    private struct TimedOut: Error {}

    private func readMore() throws -> Bool {
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        let count = recv(self.socket, &chunk, chunk.count, 0)
        if count < 0 {
            guard errno == ECONNRESET else { throw TimedOut() }
            return false
        }
        self.unread += chunk.prefix(count)
        return count > 0
    }
}

/// An answer with its bytes.
struct SocketAnswer {
    let head: String
    var body: [UInt8] = []

    init(head: String) {
        self.head = head
    }

    var status: Int { self.head.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0 }
    var text: String { String(decoding: self.body, as: UTF8.self) }

    /// A header field.
    subscript(name: String) -> String? {
        for line in self.head.split(separator: "\r\n").dropFirst() {
            let sides = line.split(separator: ":", maxSplits: 1)
            if sides.count == 2, sides[0].lowercased() == name.lowercased() {
                return sides[1].trimmingCharacters(in: .whitespaces)
            }
        }
        return nil
    }
}
