import CSystem

/// The socket of a watch that has left libmicrohttpd, with the bytes that it has no room for yet.
///
/// The library keeps a buffer of 128 KiB for each connection until it closes, and visits all suspended connections whenever one
/// is resumed. So a watch leaves it after its first events: the descriptor is duplicated, and the library closes its own.
@safe struct DetachedSocket {
    /// How the end of the stream is found (RFC 9112 §6.3).
    enum Framing {
        /// By the last chunk.
        case chunks
        /// By the end of the connection: a client of HTTP/1.0 knows no chunks.
        case close
    }

    /// The outcome of sending.
    enum Sending: Equatable {
        /// The socket has accepted all bytes.
        case all
        /// The socket has no room; `progress` is true if it has accepted some bytes.
        case partial(progress: Bool)
        /// The client has disconnected.
        case failed
    }

    let descriptor: CInt
    private let framing: Framing
    private var unsent: ArraySlice<UInt8> = []

    /// Duplicates a descriptor; nil if the process may open no more files.
    init?(duplicating socket: CInt, framing: Framing) {
        let descriptor = tidemark_duplicate(socket)
        guard descriptor >= 0 else { return nil }
        self.descriptor = descriptor
        self.framing = framing
    }

    /// Whether the socket has accepted all bytes so far.
    var isDrained: Bool { self.unsent.isEmpty }

    /// Sends a part of the stream, after the bytes that are unsent; the rest is kept. It never waits.
    ///
    /// - Parameter bytes: The part; if it is empty, only unsent bytes are sent.
    mutating func send(_ bytes: [UInt8]) -> Sending {
        if !bytes.isEmpty { self.unsent += self.framed(bytes) }
        let count = self.unsent.count
        while !self.unsent.isEmpty {
            let sent = unsafe self.unsent.withUnsafeBytes { bytes in
                unsafe tidemark_send_at_once(self.descriptor, bytes.baseAddress, bytes.count)
            }
            guard sent > 0 else {
                let isFull = [EAGAIN, EINTR].contains(tidemark_errno())
                return isFull ? .partial(progress: self.unsent.count < count) : .failed
            }
            self.unsent.removeFirst(sent)
        }
        // The memory of a large burst is not kept for hours.
        self.unsent = []
        return .all
    }

    /// Ends the stream, and closes the connection. A client that has not read all before it gets no end.
    mutating func end() {
        if self.framing == .chunks, self.send([]) == .all {
            self.unsent = Self.lastChunk[...]
            _ = self.send([])
        }
        shutdown(self.descriptor, CInt(SHUT_RDWR))
        close(self.descriptor)
    }

    private static let lastChunk = Array("0\r\n\r\n".utf8)

    private func framed(_ bytes: [UInt8]) -> [UInt8] {
        switch self.framing {
        case .chunks: Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + Array("\r\n".utf8)
        case .close: bytes
        }
    }
}
