import CSystem
import Foundation
import Synchronization

/// A server on a free port of this machine that answers with the bytes of a test, valid or not.
package final class CannedServer: Sendable {
    package enum Reply: Sendable {
        /// These bytes, and then the connection is closed.
        case bytes([UInt8])

        /// These bytes, and then the server waits for the next request on the same connection.
        case kept([UInt8])

        /// These bytes, and then nothing more, with the connection left open.
        case stall([UInt8])

        /// These bytes, and then a piece again and again, until the client closes the connection.
        case endless([UInt8], [UInt8])

        /// These bytes, and then the connection is reset, as by a server that was killed.
        case reset([UInt8])

        package static func text(_ text: String) -> Reply { .bytes(Array(text.utf8)) }

        /// A whole HTTP answer.
        package static func http(_ status: String, _ headers: [String] = [], body: String = "") -> Reply {
            let head = ["HTTP/1.1 \(status)", "Content-Length: \(body.utf8.count)", "Connection: close"] + headers
            return .text(head.joined(separator: "\r\n") + "\r\n\r\n" + body)
        }
    }

    private struct State {
        var requests: [CannedRequest] = []
        var open: [Int32] = []
        var isStopped = false
        var tests: [(count: Int, test: CheckedContinuation<Void, Never>)] = []
    }

    package let port: UInt16
    private let socket: Int32
    private let reply: @Sendable (CannedRequest, Int) -> Reply
    private let state = Mutex(State())

    package var url: String { "http://127.0.0.1:\(self.port)/v1" }

    /// The requests, in order of arrival.
    package var requests: [CannedRequest] { self.state.withLock(\.requests) }

    /// Listens. The first request gets the first reply; the last reply is repeated.
    package convenience init(_ replies: Reply...) throws {
        try self.init { _, number in replies[min(number, replies.count) - 1] }
    }

    /// Listens.
    ///
    /// - Parameter reply: The reply to a request with its number.
    package init(reply: @escaping @Sendable (CannedRequest, Int) -> Reply) throws {
        self.reply = reply
        self.socket = try CannedSocket.listening()
        self.port = try CannedSocket.port(of: self.socket)
        let thread = Thread { [weak self, socket] in
            while true {
                let connection = accept(socket, nil, nil)
                guard connection >= 0 else {
                    CannedSocket.closeListening(socket)
                    return
                }
                if let self {
                    self.serve(connection)
                } else {
                    _ = close(connection)
                }
            }
        }
        thread.start()
    }

    deinit { self.stop() }

    /// Returns when `count` requests have arrived.
    package func requestCame(_ count: Int = 1) async {
        await withCheckedContinuation { continuation in
            let hasCome = self.state.withLock { state in
                if state.requests.count < count {
                    state.tests.append((count, continuation))
                }
                return state.requests.count >= count
            }
            if hasCome {
                continuation.resume()
            }
        }
    }

    package func stop() {
        let open = self.state.withLock { state -> [Int32]? in
            guard !state.isStopped else { return nil }
            state.isStopped = true
            return state.open
        }
        guard let open else { return }
        CannedSocket.endListening(self.socket)
        for descriptor in open {
            _ = shutdown(descriptor, Int32(SHUT_RDWR))
            _ = close(descriptor)
        }
    }

    private func serve(_ connection: Int32) {
        guard let request = CannedRequest(reading: connection) else {
            _ = close(connection)
            return
        }
        let (number, tests) = self.state.withLock { state in
            state.requests.append(request)
            let count = state.requests.count
            defer { state.tests.removeAll { $0.count <= count } }
            return (count, state.tests.filter { $0.count <= count })
        }
        for (_, test) in tests {
            test.resume()
        }
        switch self.reply(request, number) {
        case .bytes(let bytes):
            CannedSocket.write(bytes, to: connection)
            _ = close(connection)
        case .kept(let bytes):
            CannedSocket.write(bytes, to: connection)
            self.serve(connection)
        case .endless(let bytes, let piece):
            CannedSocket.write(bytes, to: connection)
            while CannedSocket.write(piece, to: connection) {}
            _ = close(connection)
        case .reset(let bytes):
            CannedSocket.write(bytes, to: connection)
            CannedSocket.reset(connection)
        case .stall(let bytes):
            CannedSocket.write(bytes, to: connection)
            self.state.withLock { $0.open.append(connection) }
        }
    }
}
