import CMicrohttpd
import CSystem
import TidemarkServer

/// Hands answers to libmicrohttpd, or around it where it has no way to send one.
enum DaemonAnswer {
    /// - Parameter isBodyDue: True when the head was just read, and nothing of the body.
    static func carryOut(
        _ reaction: IncomingRequest.Reaction, on connection: OpaquePointer, isBodyDue: Bool, service: HTTPService
    ) -> MHD_Result {
        switch reaction {
        case .read:
            return .YES
        case .ask(let request):
            // Before it is asked: the answer may be there at once, and who does not rest yet can't be woken.
            unsafe MHD_suspend_connection(connection)
            service.ask(request, UInt(bitPattern: connection))
            return .YES
        case .answer(let response):
            return unsafe Self.queue(response, on: connection)
        case .stream(let stream, let beginning):
            return unsafe Self.queue(stream, beginning, on: connection)
        case .refuse(let response):
            guard service.settings.identity == nil else {
                // Nobody may read or write past TLS: who is in the middle of a body is hung up on.
                return isBodyDue ? unsafe Self.queue(response, on: connection) : .NO
            }
            let socket = unsafe tidemark_socket_of(connection)
            LingeringClose.begin(socket, patience: service.settings.clientTimeout)
            guard isBodyDue else {
                // In the middle of a body libmicrohttpd takes no answer, so this one goes past it.
                Self.send(response, on: socket)
                return .NO
            }
            return unsafe Self.queue(response, on: connection)
        }
    }

    /// Answers before libmicrohttpd does, which then finds the socket shut.
    static func sendFirst(_ refusal: ServerResponse, on connection: OpaquePointer, service: HTTPService) {
        let socket = unsafe tidemark_socket_of(connection)
        LingeringClose.begin(socket, patience: service.settings.clientTimeout)
        Self.send(refusal, on: socket)
        shutdown(socket, CInt(SHUT_WR))
    }

    private static func queue(_ answer: ServerResponse, on connection: OpaquePointer) -> MHD_Result {
        let response = unsafe answer.body.withUnsafeBytes { body in
            unsafe MHD_create_response_from_buffer(
                body.count, UnsafeMutableRawPointer(mutating: body.baseAddress), .RESPMEM_MUST_COPY)
        }
        guard let response = unsafe response else { return .NO }
        defer { unsafe MHD_destroy_response(response) }
        for (name, value) in answer.headers {
            unsafe MHD_add_response_header(response, name, value)
        }
        return unsafe MHD_queue_response(connection, UInt32(answer.status), response)
    }

    /// The library reads it bit by bit, and sends what it has got at once; it keeps the stream until the connection ends.
    private static func queue(
        _ stream: WatchStream, _ beginning: ServerResponse, on connection: OpaquePointer
    ) -> MHD_Result {
        let owned = unsafe Unmanaged.passRetained(stream).toOpaque()
        let response = unsafe MHD_create_response_from_callback(
            UInt64.max, Self.streamBuffer, DaemonCallbacks.read, owned, DaemonCallbacks.release)
        guard let response = unsafe response else {
            unsafe Unmanaged<WatchStream>.fromOpaque(owned).release()
            return .NO
        }
        defer { unsafe MHD_destroy_response(response) }
        for (name, value) in beginning.headers {
            unsafe MHD_add_response_header(response, name, value)
        }
        return unsafe MHD_queue_response(connection, UInt32(beginning.status), response)
    }

    /// How many bytes the library keeps for a stream where it can't send it in chunks.
    private static let streamBuffer = 1_024

    private static func send(_ answer: ServerResponse, on socket: CInt) {
        var text = "HTTP/1.1 \(answer.status) Refused\r\nContent-Length: \(answer.body.count)\r\n"
        for (name, value) in answer.headers {
            text += "\(name): \(value)\r\n"
        }
        let bytes = Array("\(text)\r\n".utf8) + answer.body
        // A few hundred bytes fit into the socket's buffer; where they do not, the client is not listening anyway.
        _ = unsafe bytes.withUnsafeBytes { bytes in
            unsafe tidemark_send(socket, bytes.baseAddress, bytes.count)
        }
    }
}
