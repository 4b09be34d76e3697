import CSystem

/// A listening socket; made here because libmicrohttpd would not report why it failed.
struct ListeningSocket {
    let descriptor: CInt
    let port: UInt16

    init(address: String, port: UInt16) throws(ListenerError) {
        var hints = unsafe addrinfo()
        unsafe hints.ai_flags = AI_PASSIVE
        // Names like localhost have several addresses; IPv4 is the one that all clients can reach.
        unsafe hints.ai_family = address.utf8.contains(UInt8(ascii: ":")) ? AF_INET6 : AF_INET
        unsafe hints.ai_socktype = tidemark_stream_socket()
        var list: UnsafeMutablePointer<addrinfo>?
        let result = unsafe getaddrinfo(address, String(port), &hints, &list)
        guard result == 0, let first = unsafe list else {
            let reason = unsafe String(cString: gai_strerror(result))
            throw ListenerError(
                .address, "the address “\(address)” is malformed (\(reason)); use one like 127.0.0.1 or ::1")
        }
        defer { unsafe freeaddrinfo(first) }
        let place = "\(address):\(port)"
        self.descriptor = try unsafe Self.listen(on: first.pointee, place: place)
        self.port = try Self.port(of: self.descriptor, place: place)
    }

    private static func listen(on info: addrinfo, place: String) throws(ListenerError) -> CInt {
        let descriptor = unsafe socket(info.ai_family, info.ai_socktype, info.ai_protocol)
        guard descriptor >= 0 else { throw Self.error(place) }
        var yes: CInt = 1
        // A restarted server must not wait until the system has forgotten the connections of the previous one.
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<CInt>.size))
        guard unsafe bind(descriptor, info.ai_addr, info.ai_addrlen) == 0,
            tidemark_listen(descriptor) == 0,
            tidemark_do_not_wait(descriptor) == 0
        else {
            let error = Self.error(place)
            close(descriptor)
            throw error
        }
        return descriptor
    }

    private static func port(of descriptor: CInt, place: String) throws(ListenerError) -> UInt16 {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe getsockname(descriptor, pointer, &length)
            }
        }
        guard result == 0 else {
            let error = Self.error(place)
            close(descriptor)
            throw error
        }
        // The port is at the same place in both families, most significant byte first.
        return unsafe withUnsafeBytes(of: &address) { bytes in
            unsafe UInt16(bytes[2]) << 8 | UInt16(bytes[3])
        }
    }

    private static func error(_ place: String) -> ListenerError {
        let number = tidemark_errno()
        let reason = unsafe String(cString: strerror(number))
        switch number {
        case EADDRINUSE:
            return ListenerError(
                .portInUse, "\(place) is in use by another program; stop it there, or choose another port")
        case EADDRNOTAVAIL:
            return ListenerError(
                .address, "\(place) is not an address of this machine; 127.0.0.1 and 0.0.0.0 always work")
        case EACCES, EPERM:
            return ListenerError(.notAllowed, "\(place): \(reason); choose a port above 1023")
        default:
            return ListenerError(.failed, "\(place): \(reason)")
        }
    }
}
