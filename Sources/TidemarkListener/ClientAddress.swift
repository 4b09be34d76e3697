import CSystem

/// The address of a client: an IPv4 address, or the network part of an IPv6 address, which one subscriber has.
struct ClientAddress: Hashable, Sendable {
    private let bytes: [UInt8]

    /// The address as text: `127.0.0.1`, or `2001:db8:0:1::/64`.
    var text: String {
        guard self.bytes.count == 8 else { return self.bytes.map { String($0) }.joined(separator: ".") }
        let groups = stride(from: 0, to: 8, by: 2).map { place in
            String(UInt16(self.bytes[place]) << 8 | UInt16(self.bytes[place + 1]), radix: 16)
        }
        return "\(groups.joined(separator: ":"))::/64"
    }

    /// The peer of a socket; one common value for all peers whose address is unavailable.
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
        let isIPv6 = CInt(address.ss_family) == AF_INET6
        self.bytes = unsafe withUnsafeBytes(of: &address) { bytes in
            // Port and flow information precede the address: 4 bytes in IPv4, 8 in IPv6.
            guard isIPv6 else { return unsafe Array(bytes[4..<8]) }
            // A dual-stack socket reports IPv4 addresses as ::ffff:a.b.c.d (RFC 4291 §2.5.5.2): the last 4 bytes distinguish
            // them.
            let isMapped = unsafe bytes[8..<20].elementsEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF])
            return unsafe Array(isMapped ? bytes[20..<24] : bytes[8..<16])
        }
    }
}
