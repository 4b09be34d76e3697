#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// One TCP connection that is used from one thread, and whose patience ends.
final class SocketStream {
    /// Why there is no connection, or no more of it.
    enum Fault: Error, Hashable {
        /// No such host is known.
        case unknownHost

        /// Nothing answers there.
        case refused

        /// Nothing happened for too long.
        case silent

        /// The other side broke the connection.
        case broken

        /// Whoever waits for it does not any more.
        case stopped
    }

    private let descriptor: Int32
    private let silence: Duration
    private let isStopped: () -> Bool

    /// Connects to the first address of a host that answers.
    init(host: String, port: UInt16, silence: Duration, isStopped: @escaping () -> Bool) throws(Fault) {
        self.silence = silence
        self.isStopped = isStopped
        self.descriptor = try Self.connect(host, port, silence, isStopped)
    }

    deinit {
        _ = close(self.descriptor)
    }

    /// Sends bytes; returns early when the other side says something, which is then an answer before its time.
    func send(_ bytes: [UInt8]) throws(Fault) {
        var start = 0
        while start < bytes.count {
            let ready = try Self.wait(self.descriptor, POLLIN | POLLOUT, self.silence, self.isStopped)
            guard ready & POLLIN == 0 else { return }
            let count = unsafe bytes[start...].withUnsafeBytes {
                unsafe Self.sendQuietly(self.descriptor, $0.baseAddress, $0.count)
            }
            if count >= 0 {
                start += count
            } else if errno != EAGAIN && errno != EINTR {
                // It may have answered before it closed.
                return
            }
        }
    }

    /// What has come; nil at the end.
    func receive() throws(Fault) -> [UInt8]? {
        while true {
            _ = try Self.wait(self.descriptor, POLLIN, self.silence, self.isStopped)
            var count = 0
            let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, filled in
                unsafe count = recv(self.descriptor, buffer.baseAddress, buffer.count, 0)
                filled = max(count, 0)
            }
            if count > 0 { return bytes }
            if count == 0 { return nil }
            guard errno == EAGAIN || errno == EINTR else { throw .broken }
        }
    }

    // MARK: Connecting

    private static func connect(
        _ host: String, _ port: UInt16, _ silence: Duration, _ isStopped: () -> Bool
    ) throws(Fault) -> Int32 {
        var hints = unsafe addrinfo()
        #if canImport(Glibc)
            unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
            unsafe hints.ai_socktype = SOCK_STREAM
        #endif
        var list: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(host, String(port), &hints, &list) == 0, let first = unsafe list else {
            throw .unknownHost
        }
        defer { unsafe freeaddrinfo(first) }
        var fault = Fault.refused
        var next = unsafe list
        while let address = unsafe next {
            do throws(Fault) {
                return try unsafe Self.connect(to: address.pointee, silence, isStopped)
            } catch {
                fault = error
            }
            unsafe next = address.pointee.ai_next
        }
        throw fault
    }

    private static func connect(
        to address: addrinfo, _ silence: Duration, _ isStopped: () -> Bool
    ) throws(Fault) -> Int32 {
        let descriptor = unsafe socket(address.ai_family, address.ai_socktype, address.ai_protocol)
        guard descriptor >= 0 else { throw .refused }
        do throws(Fault) {
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
            #if canImport(Darwin)
                var one: Int32 = 1
                _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &one, socklen_t(MemoryLayout<Int32>.size))
            #endif
            let isConnected = unsafe systemConnect(descriptor, address.ai_addr, address.ai_addrlen) == 0
            guard isConnected || errno == EINPROGRESS else { throw .refused }
            _ = try Self.wait(descriptor, POLLOUT, silence, isStopped)
            var code: Int32 = 0
            var size = socklen_t(MemoryLayout<Int32>.size)
            guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) == 0, code == 0 else {
                throw .refused
            }
            return descriptor
        } catch {
            _ = close(descriptor)
            throw error
        }
    }

    // MARK: Waiting

    /// How often it is asked whether anyone still waits.
    private static let slice: Duration = .milliseconds(200)

    private static func wait(
        _ descriptor: Int32, _ events: Int32, _ silence: Duration, _ isStopped: () -> Bool
    ) throws(Fault) -> Int32 {
        let end = ContinuousClock.now + silence
        while true {
            if isStopped() { throw .stopped }
            let left = min(ContinuousClock.now.duration(to: end), Self.slice)
            guard left > .zero else { throw .silent }
            var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
            if unsafe poll(&entry, 1, Int32(max(1, left / .milliseconds(1)))) > 0 {
                return Int32(entry.revents)
            }
        }
    }

    private static func sendQuietly(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
        #if canImport(Darwin)
            unsafe systemSend(descriptor, bytes, count, 0)
        #else
            // A broken connection is an error here, not a signal that ends the process.
            unsafe systemSend(descriptor, bytes, count, Int32(MSG_NOSIGNAL))
        #endif
    }
}

/// The system's `connect`, which has a namesake in the class.
private func systemConnect(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>?, _ size: socklen_t) -> Int32 {
    unsafe connect(descriptor, address, size)
}

/// The system's `send`, which has a namesake in the class.
private func systemSend(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ flags: Int32) -> Int {
    unsafe send(descriptor, bytes, count, flags)
}
