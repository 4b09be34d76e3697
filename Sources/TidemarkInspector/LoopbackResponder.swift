import CSystem
import Dispatch
import Synchronization

/// Answers requests on 127.0.0.1, for one page: HTTP/1.1, one request for each connection.
///
/// It is no server for anything else: a few connections at a time, each with a deadline and a thread, and no TLS. It listens on the
/// address 127.0.0.1 alone, never on a name, which another user of the machine could bind first.
package final class LoopbackResponder: Sendable {
    /// What answers a request; several can be answered at a time.
    package typealias Handler = @Sendable (LoopbackRequest) async -> LoopbackResponse

    /// The port.
    package let port: UInt16

    private let isStopped = Mutex(false)

    /// How many connections are served at a time; others wait in the system's queue.
    package static let connectionLimit = 8

    /// How long a head may take to arrive, in milliseconds: connections without a request can't hold all places for long.
    package static let headTime: Int64 = 2_000

    /// How long a body may take to arrive after that, in milliseconds.
    package static let bodyTime: Int64 = 2_000

    /// How long a reader may take for an answer, in seconds.
    private static let sendTime: Int32 = 10

    /// How long the end of a responder may take, in milliseconds.
    private static let stopTime: Int64 = 200

    /// Listens.
    ///
    /// - Parameters:
    ///   - port: The port; 0 for a free one.
    ///   - makeHandler: Makes the handler, once the port is known.
    /// - Throws: ``LoopbackError`` if the port is taken.
    package init(port: UInt16 = 0, _ makeHandler: (_ port: UInt16) -> Handler) throws(LoopbackError) {
        var bound: UInt16 = 0
        let socket = unsafe tidemark_listen_on_loopback(port, &bound)
        guard socket >= 0 else {
            let reason = unsafe String(cString: strerror(tidemark_errno()))
            throw LoopbackError(
                message: "127.0.0.1:\(port) can't be listened on: \(reason). Name another port, or none.")
        }
        self.port = bound
        let handler = makeHandler(bound)
        let queue = DispatchQueue(label: "tidemark.loopback", attributes: .concurrent)
        let places = DispatchSemaphore(value: Self.connectionLimit)
        queue.async { [weak self] in
            while let self, !self.isStopped.withLock(\.self) {
                let state = tidemark_await_bytes(socket, tidemark_steady_milliseconds() + Self.stopTime)
                let connection = state == 1 ? tidemark_accept_local(socket, Self.sendTime) : -1
                guard connection >= 0 else {
                    // Without a pause, a process that has no descriptors left would try all the time.
                    if state != 0 { usleep(10_000) }
                    continue
                }
                places.wait()
                queue.async {
                    Self.serve(connection, handler)
                    tidemark_close(connection)
                    places.signal()
                }
            }
            tidemark_close(socket)
        }
    }

    deinit { self.stop() }

    /// Ends; a request that is being answered is answered.
    package func stop() { self.isStopped.withLock { $0 = true } }

    private static func serve(_ connection: Int32, _ handler: @escaping Handler) {
        do throws(LoopbackRequest.Refusal) {
            guard let request = try Self.request(from: connection) else { return }
            let answer = Answer()
            Task {
                answer.give(await handler(request))
            }
            Self.send(answer.wait(), to: connection)
        } catch {
            Self.send(LoopbackResponse(error.rawValue), to: connection)
        }
    }

    /// Reads the request of a connection; nil if it ends, or takes too long.
    private static func request(from connection: Int32) throws(LoopbackRequest.Refusal) -> LoopbackRequest? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        let begin = tidemark_steady_milliseconds()
        while true {
            let deadline = begin + Self.headTime + (LoopbackRequest.endOfHead(bytes) == nil ? 0 : Self.bodyTime)
            let count = unsafe tidemark_receive_until(connection, &buffer, Int32(buffer.count), deadline)
            guard count > 0 else { return nil }
            bytes += buffer[..<count]
            if let request = try LoopbackRequest.read(bytes) { return request }
        }
    }

    private static func send(_ response: LoopbackResponse, to connection: Int32) {
        var rest = response.bytes[...]
        let deadline = tidemark_steady_milliseconds() + Int64(Self.sendTime) * 1_000
        while !rest.isEmpty, tidemark_steady_milliseconds() < deadline {
            let sent = unsafe rest.withUnsafeBytes { unsafe tidemark_send(connection, $0.baseAddress, $0.count) }
            if sent < 0, tidemark_errno() == EINTR { continue }
            guard sent > 0 else { return }
            rest = rest.dropFirst(sent)
        }
        _ = tidemark_shut_down(connection)
    }

    /// The answer of a task, for which a thread waits.
    private final class Answer: Sendable {
        private let response = Mutex<LoopbackResponse?>(nil)
        private let isGiven = DispatchSemaphore(value: 0)

        func give(_ response: LoopbackResponse) {
            self.response.withLock { $0 = response }
            self.isGiven.signal()
        }

        func wait() -> LoopbackResponse {
            self.isGiven.wait()
            return self.response.withLock(\.self) ?? LoopbackResponse(500)
        }
    }
}

/// Why a port can't be listened on.
package struct LoopbackError: Error, Hashable, CustomStringConvertible {
    package let message: String

    package var description: String { self.message }
}
