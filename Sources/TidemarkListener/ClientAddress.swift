#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// From where a client comes: an IPv4 address, or the network part of an IPv6 one, which is what one subscriber has.
struct ClientAddress: Hashable, Sendable {
    private let bytes: [UInt8]

    /// The other end of a socket; the same for all whose address cannot be had.
    init(of socket: CInt) {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe getpeername(socket, pointer, &length)
            }
        }
        guard result == 0 else {
            self.bytes = []
            return
        }
        // Port and flow information stand before the address: 4 bytes in IPv4, 8 in IPv6.
        let range = CInt(address.ss_family) == AF_INET6 ? 8..<16 : 4..<8
        self.bytes = unsafe withUnsafeBytes(of: &address) { unsafe Array($0[range]) }
    }
}
