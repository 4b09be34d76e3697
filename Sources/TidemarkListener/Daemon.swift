import CMicrohttpd
import CSystem

/// libmicrohttpd's daemon: a separate thread, which calls the service.
@safe final class Daemon {
    private let daemon: OpaquePointer
    private let service: HTTPService
    private let listening: CInt

    init(
        _ socket: ListeningSocket, service: HTTPService, settings: ListenerSettings
    ) throws(ListenerError) {
        let me = unsafe OpaquePointer(Unmanaged.passUnretained(service).toOpaque())
        // Not epoll: with it the library misses events if exactly as many sockets are ready as it requests at once, and it
        // forgets clients that disconnect after half a request.
        // Without “turbo” the library shuts down each connection before it closes it, even one that a watch has left. The table
        // shuts down the others. TLS needs the end that the library sends, so its watches stay.
        let kind = settings.identity == nil ? MHD_USE_TURBO.rawValue : MHD_USE_TLS.rawValue
        let flags = MHD_USE_POLL_INTERNAL_THREAD.rawValue | MHD_ALLOW_SUSPEND_RESUME.rawValue | kind
        let seconds = UInt32(min(max(settings.clientTimeout.components.seconds + 1, 1), 86_400))
        let options: [any CVarArg] = unsafe [
            MHD_OPTION.LISTEN_SOCKET.rawValue, socket.descriptor,
            // Above the settings' own limit, so that the server can refuse the surplus connections with an answer.
            MHD_OPTION.CONNECTION_LIMIT.rawValue, UInt32(settings.mostConnections + service.table.watchPlaces),
            MHD_OPTION.CONNECTION_TIMEOUT.rawValue, seconds,
            MHD_OPTION.CONNECTION_MEMORY_LIMIT.rawValue, DaemonHead.memory,
            MHD_OPTION.URI_LOG_CALLBACK.rawValue, unsafeBitCast(DaemonCallbacks.began, to: OpaquePointer.self), me,
            MHD_OPTION.NOTIFY_COMPLETED.rawValue,
            unsafeBitCast(DaemonCallbacks.completed, to: OpaquePointer.self), me,
            MHD_OPTION.NOTIFY_CONNECTION.rawValue,
            unsafeBitCast(DaemonCallbacks.connection, to: OpaquePointer.self), me,
        ]
        let started = unsafe Self.withTexts(of: settings.identity) { identity in
            let options = options + identity + [MHD_OPTION.END.rawValue]
            return unsafe withVaList(options) { list in
                unsafe MHD_start_daemon_va(
                    flags, socket.port, nil, nil, DaemonCallbacks.access, UnsafeMutableRawPointer(me), list)
            }
        }
        guard let started = unsafe started else {
            close(socket.descriptor)
            if settings.identity != nil { throw Self.tlsFailure }
            throw ListenerError(
                .failed, "the listener on port \(socket.port) could not start; the machine may be out of memory")
        }
        unsafe self.daemon = started
        self.service = service
        self.listening = socket.descriptor
    }

    /// Passes the texts of an identity as options; the library reads them only while it starts.
    private static func withTexts<Outcome>(
        of identity: ServerIdentity?, _ body: ([any CVarArg]) -> Outcome
    ) -> Outcome {
        guard let identity else { return body([]) }
        return unsafe identity.certificate.withCString { certificate in
            unsafe identity.key.withCString { key in
                unsafe Self.versionsOfTLS.withCString { versions in
                    unsafe body([
                        MHD_OPTION.HTTPS_MEM_CERT.rawValue, OpaquePointer(certificate),
                        MHD_OPTION.HTTPS_MEM_KEY.rawValue, OpaquePointer(key),
                        MHD_OPTION.HTTPS_PRIORITIES.rawValue, OpaquePointer(versions),
                    ])
                }
            }
        }
    }

    /// GnuTLS's default protocols without TLS before 1.2 (RFC 8996).
    private static let versionsOfTLS = "NORMAL:-VERS-TLS1.0:-VERS-TLS1.1"

    private static var tlsFailure: ListenerError {
        MHD_is_feature_supported(.FEATURE_TLS) == .YES
            ? ListenerError(
                .identity,
                "the certificate and the key can't be used together; give a chain in PEM, and the key of its first certificate"
            )
            : ListenerError(
                .identity,
                "libmicrohttpd was built without TLS on this machine; put a proxy with TLS in front of the server"
            )
    }

    /// How many connections the library has.
    var connections: Int { unsafe Int(tidemark_connections_of(self.daemon)) }

    /// Stops accepting connections; open connections continue.
    func letNobodyIn() {
        if unsafe MHD_quiesce_daemon(self.daemon) >= 0 {
            // Clients must not find an open port; the daemon's loop no longer uses this descriptor.
            shutdown(self.listening, CInt(SHUT_RDWR))
        }
    }

    /// Abandons the daemon without waiting for its thread, which keeps the objects that it uses.
    func leaveBehind() {
        _ = unsafe Unmanaged.passRetained(self)
    }

    /// Closes all connections and ends the thread; the daemon can't be used after this.
    func stop() {
        // Before the library frees anything: the thread that delivered the last answer may still be inside the call that
        // resumes the connection.
        self.service.finish()
        unsafe MHD_stop_daemon(self.daemon)
        close(self.listening)
    }
}
