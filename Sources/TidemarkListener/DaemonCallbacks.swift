internal import CMicrohttpd
internal import TidemarkServer

/// The C functions that libmicrohttpd calls, all on its own thread. They translate; the service decides.
enum DaemonCallbacks {
    /// The type of the callback for the first line, which the C header leaves unnamed.
    typealias TargetCallback =
        @convention(c) (
            UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?
        ) -> UnsafeMutableRawPointer?

    /// The first line came in. The target is taken here because later it comes without its escapes and its query.
    static let began: TargetCallback = { me, target, connection in
        if let service = unsafe Self.service(me), let connection = unsafe connection, let target = unsafe target {
            service.table.began(unsafe Self.id(connection), target: unsafe String(cString: target))
        }
        return nil
    }

    /// A request was answered, or given up.
    static let completed: MHD_RequestCompletedCallback = { me, connection, _, _ in
        if let service = unsafe Self.service(me), let connection = unsafe connection {
            service.table.completed(unsafe Self.id(connection))
        }
    }

    /// A connection was opened, or is about to be closed.
    static let connection: MHD_NotifyConnectionCallback = { me, connection, _, event in
        guard let service = unsafe Self.service(me), let connection = unsafe connection else { return }
        let id = unsafe Self.id(connection)
        switch event {
        case .CONNECTION_NOTIFY_STARTED: service.table.opened(id, socket: unsafe tidemark_socket_of(connection))
        case .CONNECTION_NOTIFY_CLOSED: service.table.closed(id)
        }
    }

    /// The head came in, then parts of the body, then its end.
    static let access: MHD_AccessHandlerCallback = { me, connection, _, method, _, upload, size, _ in
        guard let service = unsafe Self.service(me), let connection = unsafe connection, let size = unsafe size
        else { return .NO }
        let id = unsafe Self.id(connection)
        if service.awaitsHead(id) {
            let name = unsafe method.map { unsafe String(cString: $0) } ?? ""
            let reaction = service.receivedHead(id, method: name, headers: unsafe Self.headers(of: connection))
            return unsafe DaemonAnswer.carryOut(reaction, on: connection, isBodyDue: true, service: service)
        }
        guard unsafe size.pointee > 0, let upload = unsafe upload else {
            return unsafe DaemonAnswer.carryOut(
                service.ended(id), on: connection, isBodyDue: false, service: service)
        }
        let bytes = unsafe UnsafeRawBufferPointer(start: upload, count: size.pointee)
        let reaction = unsafe service.received(id, bytes)
        unsafe size.pointee = 0
        return unsafe DaemonAnswer.carryOut(reaction, on: connection, isBodyDue: false, service: service)
    }

    private static func service(_ me: UnsafeMutableRawPointer?) -> HTTPService? {
        unsafe me.map { unsafe Unmanaged<HTTPService>.fromOpaque($0).takeUnretainedValue() }
    }

    private static func id(_ connection: OpaquePointer) -> UInt {
        UInt(bitPattern: connection)
    }

    private static func headers(of connection: OpaquePointer) -> [(String, String)] {
        var headers: [(String, String)] = []
        unsafe withUnsafeMutablePointer(to: &headers) { list in
            _ = unsafe MHD_get_connection_values(
                connection, .HEADER_KIND,
                { list, _, name, value in
                    if let list = unsafe list?.assumingMemoryBound(to: [(String, String)].self), let name = unsafe name
                    {
                        let text = unsafe value.map { unsafe String(cString: $0) } ?? ""
                        unsafe list.pointee.append((String(cString: name), text))
                    }
                    return .YES
                }, list)
        }
        return headers
    }
}
