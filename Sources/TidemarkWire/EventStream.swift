/// Parses a stream of server-sent events in pieces of any size (HTML Living Standard §9.2).
///
/// Lines end with CR LF, LF or CR; a byte order mark at the beginning is skipped. Unknown fields, and also `id` and `retry`,
/// are ignored: a connection begins with the present state of all collections, and the client has its own back-off.
///
/// ```
/// var stream = EventStream()
/// try stream.take(Array("event: changed\ndata: {}\n\n".utf8)) { print($0) }      // event("changed", …)
/// ```
package struct EventStream {
    /// An item of the stream.
    package enum Item: Hashable, Sendable {
        /// A comment line: a heartbeat.
        case comment
        /// An event, with its type and the bytes of its data.
        case event(String, [UInt8])
    }

    /// The size limits.
    package struct Limits: Hashable, Sendable {
        /// The maximum size of a line, in bytes.
        package var line = 64 << 10
        /// The maximum size of the data of an event, over all its lines, in bytes.
        package var event = 256 << 10

        package init() {}
    }

    /// A line or event exceeds a limit. The rest of the stream can't be parsed.
    package struct TooLong: Error, Hashable {
        /// A sentence without its full stop.
        package let reason: String
    }

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    private let limits: Limits
    private var line: [UInt8] = []
    private var type: [UInt8] = []
    private var data: [UInt8] = []
    private var hasData = false
    private var isFirstLine = true
    /// True after a CR, whose LF may be in the next piece.
    private var isAfterCR = false

    /// Makes a stream at its beginning.
    package init(_ limits: Limits = Limits()) {
        self.limits = limits
    }

    /// Parses the next piece; `receive` gets the items that end in it. An unfinished item at the end of the stream is not an
    /// event.
    package mutating func take(_ piece: some Sequence<UInt8>, _ receive: (Item) -> Void) throws(TooLong) {
        for byte in piece {
            let isSecondHalf = self.isAfterCR && byte == UInt8(ascii: "\n")
            self.isAfterCR = byte == UInt8(ascii: "\r")
            switch byte {
            case _ where isSecondHalf: continue
            case UInt8(ascii: "\r"), UInt8(ascii: "\n"): try self.endLine(receive)
            default:
                guard self.line.count < self.limits.line else {
                    throw TooLong(reason: "a line of its events has more than \(self.limits.line) bytes")
                }
                self.line.append(byte)
            }
        }
    }

    private mutating func endLine(_ receive: (Item) -> Void) throws(TooLong) {
        var line = self.line[...]
        if self.isFirstLine, line.starts(with: Self.byteOrderMark) { line = line.dropFirst(3) }
        self.isFirstLine = false
        defer { self.line.removeAll(keepingCapacity: self.line.count <= 1_024) }
        guard let first = line.first else { return self.dispatch(receive) }
        guard first != UInt8(ascii: ":") else { return receive(.comment) }
        let name = line.prefix { $0 != UInt8(ascii: ":") }
        var value = line.dropFirst(name.count + 1)
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        if name.elementsEqual("event".utf8) {
            self.type = Array(value)
        } else if name.elementsEqual("data".utf8) {
            guard self.data.count + value.count < self.limits.event else {
                throw TooLong(reason: "the data of an event has more than \(self.limits.event) bytes")
            }
            if self.hasData { self.data.append(UInt8(ascii: "\n")) }
            self.data += value
            self.hasData = true
        }
    }

    private mutating func dispatch(_ receive: (Item) -> Void) {
        // An event without data is ignored.
        if self.hasData {
            receive(.event(self.type.isEmpty ? "message" : String(decoding: self.type, as: UTF8.self), self.data))
        }
        (self.type, self.data, self.hasData) = ([], [], false)
    }
}
