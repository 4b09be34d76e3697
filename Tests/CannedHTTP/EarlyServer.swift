import CSystem
import Foundation

/// A server that answers the first connection before it has read anything, and reads nothing.
package final class EarlyServer: Sendable {
    package let port: UInt16
    private let socket: Int32

    package var url: String { "http://127.0.0.1:\(self.port)/v1" }

    package init(_ answer: String) throws {
        self.socket = try CannedSocket.listening()
        self.port = try CannedSocket.port(of: self.socket)
        let thread = Thread { [socket] in
            let connection = accept(socket, nil, nil)
            defer { CannedSocket.closeListening(socket) }
            guard connection >= 0 else { return }
            CannedSocket.write(Array(answer.utf8), to: connection)
            // Waits for the test to end, so that the connection is not reset before its answer was read.
            _ = accept(socket, nil, nil)
            _ = close(connection)
        }
        thread.start()
    }

    deinit { CannedSocket.endListening(self.socket) }
}
