import CSystem
import Foundation

/// The system calls that a canned server needs.
package enum CannedSocket {
    /// A socket that listens on a free port of this machine.
    package static func listening() throws -> Int32 {
        let descriptor = socket(AF_INET, tidemark_stream_socket(), 0)
        try Self.require(descriptor >= 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) == 0 }
        }
        try Self.require(isBound)
        try Self.require(listen(descriptor, 64) == 0)
        return descriptor
    }

    private static func require(_ condition: Bool) throws {
        guard condition else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    }

    package static func port(of descriptor: Int32) throws -> UInt16 {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isKnown = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) == 0 }
        }
        try Self.require(isKnown)
        return UInt16(bigEndian: address.sin_port)
    }

    /// Makes `accept` fail from now on, on any thread.
    ///
    /// The accepting thread closes the socket then. If this function closed it, another server's socket could have its number
    /// when that thread calls `accept` again, and the thread would accept a connection of that server.
    package static func endListening(_ descriptor: Int32) {
        #if !canImport(Darwin)
            _ = shutdown(descriptor, Int32(SHUT_RDWR))
        #else
            // On this system, only this call wakes the thread.
            _ = close(descriptor)
        #endif
    }

    /// Closes a socket whose `accept` failed after ``endListening(_:)``.
    package static func closeListening(_ descriptor: Int32) {
        #if !canImport(Darwin)
            _ = close(descriptor)
        #endif
    }

    /// Writes all bytes, or as many as the other side reads; returns whether it read all.
    @discardableResult
    package static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var start = 0
        while start < bytes.count {
            let count = bytes[start...].withUnsafeBytes { tidemark_send(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { return false }
            start += count
        }
        return true
    }

    /// Closes without waiting until the written bytes are read, so that the other side gets a reset.
    package static func reset(_ descriptor: Int32) {
        var timeout = linger(l_onoff: 1, l_linger: 0)
        _ = setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &timeout, socklen_t(MemoryLayout<linger>.size))
        _ = close(descriptor)
    }

    /// The received bytes, at most 65,536; nil at the end.
    package static func read(_ descriptor: Int32) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = bytes.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
        return count > 0 ? Array(bytes.prefix(count)) : nil
    }
}
