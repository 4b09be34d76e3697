import CMicrohttpd
import CSystem
import TidemarkServer

/// Passes answers to libmicrohttpd, or sends them directly on the socket if the library can't.
enum DaemonAnswer {
    /// - Parameter isBodyDue: True if the head was just read, and none of the body.
    static func carryOut(
        _ reaction: IncomingRequest.Reaction, on connection: OpaquePointer, isBodyDue: Bool, service: HTTPService
    ) -> MHD_Result {
        switch reaction {
        case .read:
            return .YES
        case .ask(let request):
            // Suspended before the request is handed over: the answer may come at once, and only a suspended connection can be
            // resumed.
            unsafe MHD_suspend_connection(connection)
            service.ask(request, UInt(bitPattern: connection))
            return .YES
        case .answer(let response):
            return unsafe Self.queue(response, on: connection)
        case .stream(let stream, let beginning):
            return unsafe Self.queue(stream, beginning, on: connection)
        case .refuse(let response):
            guard service.settings.identity == nil else {
                // With TLS the socket can't be used directly: a connection in the middle of a body is closed without an answer.
                return isBodyDue ? unsafe Self.queue(response, on: connection) : .NO
            }
            let socket = unsafe tidemark_socket_of(connection)
            LingeringClose.begin(socket, timeout: service.settings.clientTimeout)
            guard isBodyDue else {
                // In the middle of a body libmicrohttpd accepts no answer, so this one is sent directly on the socket.
                Self.send(response, on: socket)
                return .NO
            }
            return unsafe Self.queue(response, on: connection)
        }
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

    /// Queues a stream. The library reads and sends it piece by piece, and keeps it until the connection ends.
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

    /// The size of the library's buffer for a stream that can't be sent in chunks, in bytes.
    private static let streamBuffer = 1_024

    private static func send(_ answer: ServerResponse, on socket: CInt) {
        var text = "HTTP/1.1 \(answer.status) Refused\r\nContent-Length: \(answer.body.count)\r\n"
        for (name, value) in answer.headers {
            text += "\(name): \(value)\r\n"
        }
        let bytes = Array("\(text)\r\n".utf8) + answer.body
        // A few hundred bytes fit into the socket's buffer; if they don't, the client does not read anyway.
        _ = unsafe bytes.withUnsafeBytes { bytes in
            unsafe tidemark_send(socket, bytes.baseAddress, bytes.count)
        }
    }
}
