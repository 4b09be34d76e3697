/// Reads a stream of server-sent events piece by piece, wherever the pieces are cut (HTML Living Standard §9.2).
///
/// Lines end with CR LF, LF or CR; a byte order mark at the beginning is skipped. What a field says that is not known, `id` and
/// `retry` among them, is skipped: a watch needs neither, as it hears at its beginning how all stands, and the client has waits
/// of its own.
///
/// ```
/// var stream = EventStream()
/// try stream.take(Array("event: changed\ndata: {}\n\n".utf8)) { print($0) }      // event("changed", …)
/// ```
package struct EventStream {
    /// What was read.
    package enum Item: Hashable, Sendable {
        /// A line for nobody: a heartbeat.
        case comment
        /// An event, with its type and the bytes of its data.
        case event(String, [UInt8])
    }

    /// How large something may be.
    package struct Limits: Hashable, Sendable {
        /// How many bytes a line may have.
        package var line = 64 << 10
        /// How many bytes the data of an event may have, over all its lines.
        package var event = 256 << 10

        package init() {}
    }

    /// More came without an end than a limit allows. What is read after it makes no sense.
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
    /// True behind a CR, whose LF may be in the next piece.
    private var isAfterCR = false

    /// A stream of which nothing has come.
    package init(_ limits: Limits = Limits()) {
        self.limits = limits
    }

    /// Takes the next piece; `hear` gets what ended in it. What has not ended when the stream does is no event.
    package mutating func take(_ piece: some Sequence<UInt8>, _ hear: (Item) -> Void) throws(TooLong) {
        for byte in piece {
            let isSecondHalf = self.isAfterCR && byte == UInt8(ascii: "\n")
            self.isAfterCR = byte == UInt8(ascii: "\r")
            switch byte {
            case _ where isSecondHalf: continue
            case UInt8(ascii: "\r"), UInt8(ascii: "\n"): try self.endLine(hear)
            default:
                guard self.line.count < self.limits.line else {
                    throw TooLong(reason: "a line of its events has more than \(self.limits.line) bytes")
                }
                self.line.append(byte)
            }
        }
    }

    private mutating func endLine(_ hear: (Item) -> Void) throws(TooLong) {
        var line = self.line[...]
        if self.isFirstLine, line.starts(with: Self.byteOrderMark) { line = line.dropFirst(3) }
        self.isFirstLine = false
        defer { self.line.removeAll(keepingCapacity: self.line.count <= 1_024) }
        guard let first = line.first else { return self.dispatch(hear) }
        guard first != UInt8(ascii: ":") else { return hear(.comment) }
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

    private mutating func dispatch(_ hear: (Item) -> Void) {
        // One without data is none.
        if self.hasData {
            hear(.event(self.type.isEmpty ? "message" : String(decoding: self.type, as: UTF8.self), self.data))
        }
        (self.type, self.data, self.hasData) = ([], [], false)
    }
}
