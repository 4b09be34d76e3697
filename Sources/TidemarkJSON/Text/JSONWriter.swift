/// Writes compact JSON directly to bytes: a value that is JSON text already is copied, and there are no temporary values.
///
/// Commas are written automatically. At the top level several values or several members are allowed, so that parts of a larger
/// text can be written.
///
/// Write `writer.object { item in item.member("pk", pk) }` for `{"pk":"42"}`.
package struct JSONWriter {
    private enum Next {
        /// The first child of its container.
        case first
        /// Another child, after a comma.
        case another
        /// The value of a member whose key is written.
        case value
    }

    /// The bytes written so far.
    package private(set) var bytes: [UInt8] = []
    private var next = Next.first

    /// Makes an empty writer, with room for `capacity` bytes.
    package init(capacity: Int = 0) {
        self.bytes.reserveCapacity(capacity)
    }

    /// Writes an object; its members are written by the closure.
    package mutating func object<Failure>(
        _ members: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) {
        try self.container(UInt8(ascii: "{"), members, UInt8(ascii: "}"))
    }

    /// Writes an array; its elements are written by the closure.
    package mutating func array<Failure>(
        _ elements: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) {
        try self.container(UInt8(ascii: "["), elements, UInt8(ascii: "]"))
    }

    private mutating func container<Failure>(
        _ opening: UInt8, _ body: (inout JSONWriter) throws(Failure) -> Void, _ closing: UInt8
    ) throws(Failure) {
        self.begin(opening)
        try body(&self)
        self.end(closing)
    }

    private mutating func begin(_ opening: UInt8) {
        self.separate()
        self.bytes.append(opening)
        self.next = .first
    }

    private mutating func end(_ closing: UInt8) {
        self.bytes.append(closing)
        self.next = .another
    }

    /// Writes a key; its value comes next.
    package mutating func key(_ name: String) {
        self.separate()
        self.quote(name)
        self.bytes.append(UInt8(ascii: ":"))
        self.next = .value
    }

    /// Writes a string, with no more escapes than RFC 8259 §7 requires.
    package mutating func string(_ text: String) {
        self.separate()
        self.quote(text)
    }

    /// Writes JSON text unchanged; nothing if it is empty.
    package mutating func json(_ text: some Collection<UInt8>) {
        guard !text.isEmpty else { return }
        self.separate()
        self.bytes.append(contentsOf: text)
    }

    /// Writes JSON text unchanged; nothing if it is empty. An array is copied as one block.
    package mutating func json(_ text: [UInt8]) {
        guard !text.isEmpty else { return }
        self.separate()
        self.bytes += text
    }

    /// Begins a value that is written in pieces, of which this is the first; a comma is written before it if needed.
    package mutating func begin(with piece: StaticString) {
        self.separate()
        self.piece(json: piece)
    }

    /// Writes a piece of a value that is JSON text and a compile-time constant.
    package mutating func piece(json text: StaticString) {
        unsafe self.bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Writes a piece of a value that is JSON text.
    package mutating func piece(json text: Span<UInt8>) {
        unsafe text.withUnsafeBufferPointer { text in unsafe self.bytes.append(contentsOf: text) }
    }

    /// Writes a piece of a value that is a string, from its UTF-8.
    package mutating func piece(utf8 text: Span<UInt8>) {
        self.bytes.append(UInt8(ascii: "\""))
        unsafe text.withUnsafeBufferPointer { text in unsafe JSONString.writeEscaped(text, to: &self.bytes) }
        self.bytes.append(UInt8(ascii: "\""))
    }

    /// Writes a piece of a value that is a whole number.
    package mutating func piece(_ value: Int64) {
        // The longest is -9223372036854775808.
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { room in
            var start = 20
            var rest = value.magnitude
            repeat {
                start -= 1
                unsafe room.initializeElement(at: start, to: UInt8(ascii: "0") + UInt8(rest % 10))
                rest /= 10
            } while rest > 0
            if value < 0 {
                start -= 1
                unsafe room.initializeElement(at: start, to: UInt8(ascii: "-"))
            }
            unsafe self.bytes.append(contentsOf: UnsafeBufferPointer(rebasing: room[start...]))
        }
    }

    private mutating func separate() {
        if self.next == .another { self.bytes.append(UInt8(ascii: ",")) }
        self.next = .another
    }

    private mutating func quote(_ text: String) {
        self.bytes.append(UInt8(ascii: "\""))
        JSONString.writeEscaped(text, to: &self.bytes)
        self.bytes.append(UInt8(ascii: "\""))
    }
}

extension JSONWriter {
    /// Writes a member whose value is a string.
    package mutating func member(_ name: String, _ value: String) {
        self.key(name)
        self.string(value)
    }

    /// Writes a member whose value is a whole number.
    package mutating func member(_ name: String, _ value: some BinaryInteger) {
        self.key(name)
        self.json(String(value).utf8)
    }

    /// Writes a member whose value is a whole number, without an intermediate string.
    package mutating func member(_ name: String, _ value: Int64) {
        self.key(name)
        self.separate()
        self.piece(value)
    }

    /// Writes a member whose value is `true` or `false`.
    package mutating func member(_ name: String, _ value: Bool) {
        self.key(name)
        self.json(value ? Self.yes : Self.no)
    }

    private static let yes = Array("true".utf8)
    private static let no = Array("false".utf8)

    /// Writes a member whose value is JSON text; null if it is empty. An array is copied as one block.
    package mutating func member(_ name: String, json value: [UInt8]) {
        self.key(name)
        self.json(value.isEmpty ? Self.nothing : value)
    }

    private static let nothing = Array("null".utf8)

    /// Writes a member whose value is JSON text already; null for nil or an empty text.
    package mutating func member(_ name: String, json value: (some Collection<UInt8>)?) {
        self.key(name)
        if let value, !value.isEmpty {
            self.json(value)
        } else {
            self.json("null".utf8)
        }
    }
}
