import CMicrohttpd
import TidemarkServer

/// The C functions that libmicrohttpd calls, all on its thread. They only convert; the service decides.
enum DaemonCallbacks {
    /// The type of the callback for the first line, which the C header leaves unnamed.
    typealias TargetCallback =
        @convention(c) (
            UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?
        ) -> UnsafeMutableRawPointer?

    /// The first line arrived. The target is copied here because the library later unescapes it and removes its query.
    static let began: TargetCallback = { me, target, connection in
        if let service = unsafe Self.service(me), let connection = unsafe connection, let target = unsafe target {
            // The address of the target is needed again when the whole head has arrived: see DaemonHead.
            let place = unsafe DaemonHead.Place(target)
            service.table.began(unsafe Self.id(connection), target: place.text, place: place.addresses)
        }
        return nil
    }

    /// A request was answered or abandoned.
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

    /// The head arrived, then parts of the body, then its end.
    static let access: MHD_AccessHandlerCallback = { me, connection, _, method, version, upload, size, _ in
        guard let service = unsafe Self.service(me), let connection = unsafe connection, let size = unsafe size
        else { return .NO }
        let id = unsafe Self.id(connection)
        if let target = service.targetOfAwaitedHead(id) {
            let head = unsafe DaemonHead.read(connection, method: method, version: version, target: target)
            let reaction = service.receivedHead(id, head)
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

    /// Resumes a suspended connection: `access` is called for it again. From any thread.
    static let resume: @Sendable (UInt) -> Void = { id in
        if let connection = unsafe OpaquePointer(bitPattern: id) {
            unsafe MHD_resume_connection(connection)
        }
    }

    /// The library requests more bytes of a stream.
    static let read: MHD_ContentReaderCallback = { stream, _, buffer, size in
        guard let stream = unsafe stream, let buffer = unsafe buffer else { return -1 }
        let room = unsafe UnsafeMutableRawBufferPointer(start: buffer, count: size)
        let reading = unsafe Unmanaged<WatchStream>.fromOpaque(stream).takeUnretainedValue().read(into: room) { id in
            if let connection = unsafe OpaquePointer(bitPattern: id) {
                unsafe MHD_suspend_connection(connection)
            }
        }
        return switch reading {
        case .bytes(let count): count
        case .rest: 0
        case .left: MHD_CONTENT_READER_END_WITH_ERROR
        case .end: MHD_CONTENT_READER_END_OF_STREAM
        }
    }

    /// The library no longer needs a stream.
    static let release: MHD_ContentReaderFreeCallback = { stream in
        if let stream = unsafe stream { unsafe Unmanaged<WatchStream>.fromOpaque(stream).release() }
    }

    private static func service(_ me: UnsafeMutableRawPointer?) -> HTTPService? {
        unsafe me.map { unsafe Unmanaged<HTTPService>.fromOpaque($0).takeUnretainedValue() }
    }

    private static func id(_ connection: OpaquePointer) -> UInt {
        UInt(bitPattern: connection)
    }
}
