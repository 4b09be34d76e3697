import CSystem
import Foundation
import Tidemark

/// A server on a free port of this machine that begins each answer and then resets the connection, as one does that is killed.
///
/// What becomes of that in the real transport is what a lost request is to a device: no one knows whether it arrived, and nothing was
/// said (SPEC §3.5).
final class BreakingServer: Sendable {
    let port: UInt16
    private let socket: Int32

    init() throws {
        let socket = CSystem.socket(AF_INET, tidemark_stream_socket(), 0)
        guard socket >= 0 else { throw Self.failure("A socket can't be opened") }
        self.socket = socket
        guard let port = Self.listen(socket) else {
            tidemark_close(socket)
            throw Self.failure("A socket can't listen on 127.0.0.1")
        }
        self.port = port
        Thread {
            while true {
                let connection = accept(socket, nil, nil)
                // Whoever made it has gone.
                guard connection >= 0 else { return tidemark_close(socket) }
                Self.breakOff(connection)
            }
        }.start()
    }

    deinit { _ = shutdown(self.socket, Int32(SHUT_RDWR)) }

    /// Why it can't begin.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private static func failure(_ what: String) -> Failure {
        Failure(description: "\(what): \(unsafe String(cString: strerror(tidemark_errno()))).")
    }

    private static func listen(_ socket: Int32) -> UInt16? {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe bind(socket, address, size) == 0 && tidemark_listen(socket) == 0
                    && getsockname(socket, address, &size) == 0
            }
        }
        return isBound ? UInt16(bigEndian: address.sin_port) : nil
    }

    private static let head = Array(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n{".utf8)

    private static func breakOff(_ connection: Int32) {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        _ = unsafe bytes.withUnsafeMutableBytes { unsafe recv(connection, $0.baseAddress, $0.count, 0) }
        _ = unsafe Self.head.withUnsafeBytes { unsafe tidemark_send(connection, $0.baseAddress, $0.count) }
        // Without waiting for what was written to be read.
        var patience = linger(l_onoff: 1, l_linger: 0)
        _ = unsafe setsockopt(connection, SOL_SOCKET, SO_LINGER, &patience, socklen_t(MemoryLayout<linger>.size))
        tidemark_close(connection)
    }
}
