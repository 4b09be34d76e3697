import CSystem
import Foundation
import Testing

@testable import TidemarkListener

@Suite("The socket of a watch outside of the library", .timeLimit(.minutes(10)))
struct DetachedSocketTests {
    @Test(arguments: [
        (DetachedSocket.Framing.chunks, "3\r\none\r\nc\r\ntwo and more\r\n0\r\n\r\n"),
        (.close, "onetwo and more"),
    ])
    func `the stream has a framing and an end`(framing: DetachedSocket.Framing, received: String) throws {
        let pair = try SocketPair()
        var socket = try #require(DetachedSocket(duplicating: pair.server, framing: framing))
        #expect(socket.send(Array("one".utf8)) == .all)
        #expect(socket.send(Array("two and more".utf8)) == .all)
        socket.end()
        #expect(pair.readAll() == Array(received.utf8))
    }

    @Test func `bytes without room are kept, and sent before later ones`() throws {
        let pair = try SocketPair()
        var socket = try #require(DetachedSocket(duplicating: pair.server, framing: .close))
        let first = (0..<(4 << 20)).map { UInt8(truncatingIfNeeded: $0 / 7) }
        #expect(socket.send(first) == .partial(progress: true))
        #expect(!socket.isDrained)
        #expect(socket.send([]) == .partial(progress: false))
        var received: [UInt8] = []
        while received.count < first.count {
            let bytes = pair.read()
            try #require(!bytes.isEmpty, "all bytes arrive")
            received += bytes
            _ = socket.send([])
        }
        #expect(socket.isDrained)
        #expect(socket.send([1, 2, 3]) == .all)
        socket.end()
        #expect(received + pair.readAll() == first + [1, 2, 3])
    }

    @Test func `a client that has not read all gets no last chunk`() throws {
        let pair = try SocketPair()
        var socket = try #require(DetachedSocket(duplicating: pair.server, framing: .chunks))
        let bytes = [UInt8](repeating: 0x78, count: 4 << 20)
        #expect(socket.send(bytes) == .partial(progress: true))
        socket.end()
        let received = pair.readAll()
        #expect(received.starts(with: Array("400000\r\n".utf8)))
        #expect(received.last == 0x78, "not even the end of this chunk")
    }

    @Test func `a disconnected client is a failure, and no signal`() throws {
        let pair = try SocketPair()
        var socket = try #require(DetachedSocket(duplicating: pair.server, framing: .chunks))
        pair.closeClient()
        #expect(socket.send([1]) == .failed)
        socket.end()
    }
}

/// Two connected sockets. The server's own descriptor is closed with the pair, as the library closes it.
private final class SocketPair {
    let server: CInt
    private var client: CInt

    init() throws {
        var both: [CInt] = [-1, -1]
        try #require(socketpair(AF_UNIX, tidemark_stream_socket(), 0, &both) == 0)
        (self.server, self.client) = (both[0], both[1])
        var timeout = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(self.client, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit {
        close(self.server)
        self.closeClient()
    }

    func closeClient() {
        if self.client >= 0 { close(self.client) }
        self.client = -1
    }

    /// The bytes that have arrived; empty at the end.
    func read() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        let count = recv(self.client, &bytes, bytes.count, 0)
        return Array(bytes.prefix(max(count, 0)))
    }

    /// All bytes to the end.
    func readAll() -> [UInt8] {
        var all: [UInt8] = []
        while case let bytes = self.read(), !bytes.isEmpty { all += bytes }
        return all
    }
}
