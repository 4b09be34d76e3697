import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A server on a free port of this machine that answers with bytes a test gave it, however wrong they are.
final class CannedServer: Sendable {
    enum Reply: Sendable {
        /// These bytes, and then the connection is closed.
        case bytes([UInt8])

        /// These bytes, and then nothing more, with the connection left open.
        case stall([UInt8])

        static func text(_ text: String) -> Reply { .bytes(Array(text.utf8)) }

        /// A whole HTTP answer.
        static func http(_ status: String, _ headers: [String] = [], body: String = "") -> Reply {
            let head = ["HTTP/1.1 \(status)", "Content-Length: \(body.utf8.count)", "Connection: close"] + headers
            return .text(head.joined(separator: "\r\n") + "\r\n\r\n" + body)
        }
    }

    private struct State {
        var replies: [Reply]
        var requests: [CannedRequest] = []
        var open: [Int32] = []
        var isStopped = false
        var tests: [CheckedContinuation<Void, Never>] = []
    }

    let port: UInt16
    private let socket: Int32
    private let state: Mutex<State>

    var url: String { "http://127.0.0.1:\(self.port)/v1" }

    /// What came, in order.
    var requests: [CannedRequest] { self.state.withLock(\.requests) }

    /// Listens. The first request gets the first reply; the last reply is given for ever.
    init(_ replies: Reply...) throws {
        self.socket = try CannedSocket.listening()
        self.port = try CannedSocket.port(of: self.socket)
        self.state = Mutex(State(replies: replies))
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

    /// Returns when a request has come.
    func requestCame() async {
        await withCheckedContinuation { continuation in
            let hasCome = self.state.withLock { state in
                if state.requests.isEmpty {
                    state.tests.append(continuation)
                }
                return !state.requests.isEmpty
            }
            if hasCome {
                continuation.resume()
            }
        }
    }

    func stop() {
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
        let (reply, tests) = self.state.withLock { state in
            state.requests.append(request)
            defer { state.tests = [] }
            return (state.replies.count > 1 ? state.replies.removeFirst() : state.replies[0], state.tests)
        }
        for test in tests {
            test.resume()
        }
        switch reply {
        case .bytes(let bytes):
            CannedSocket.write(bytes, to: connection)
            _ = close(connection)
        case .stall(let bytes):
            CannedSocket.write(bytes, to: connection)
            self.state.withLock { $0.open.append(connection) }
        }
    }
}
