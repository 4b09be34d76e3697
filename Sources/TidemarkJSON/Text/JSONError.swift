/// Why a text, pointer or patch was refused: a code for programs, a message and a position for users.
public struct JSONError: Error, Sendable, Hashable {
    /// The kind of a mistake. Later versions and other modules can have more kinds.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The name, as in logs.
        public let name: String

        /// Makes a code for another module.
        public init(_ name: String) {
            self.name = name
        }

        /// The name.
        public var description: String { self.name }

        /// The text is not JSON of RFC 8259.
        public static let syntax = Code("syntax")
        /// The text is not UTF-8, or starts with a byte order mark.
        public static let encoding = Code("encoding")
        /// Arrays and objects are nested deeper than the limit allows.
        public static let nesting = Code("nesting")
        /// A `\uD800`…`\uDFFF` escape lacks its other half.
        public static let surrogate = Code("surrogate")
        /// A number is malformed, or can't have the requested type.
        public static let number = Code("number")
        /// The text has more bytes than the limit allows.
        public static let tooLarge = Code("tooLarge")
        /// Text follows the value.
        public static let trailing = Code("trailing")
        /// The value has another type or shape than the requested one.
        public static let shape = Code("shape")
        /// A JSON Pointer is malformed or leads to no value.
        public static let pointer = Code("pointer")
        /// A patch is malformed or does not apply.
        public static let patch = Code("patch")
        /// A `test` operation of a patch found another value.
        public static let testFailed = Code("testFailed")
    }

    /// The kind of the mistake.
    public var code: Code

    /// The error and what to do, in words.
    public var message: String

    /// The position in the text, in bytes from 0.
    public var byteOffset: Int?

    /// The line in the text, from 1.
    public var line: Int?

    /// The column in the line, in bytes from 1.
    public var column: Int?

    /// The position in the document, as a JSON Pointer.
    public var pointer: String?

    /// Makes an error without a position in a text.
    public init(_ code: Code, _ message: String, pointer: String? = nil) {
        self.code = code
        self.message = message
        self.pointer = pointer
    }

    /// Makes an error at a byte of a text; line and column are computed by reading the text up to it.
    public init(_ code: Code, _ message: String, at byteOffset: Int, of text: some Collection<UInt8>) {
        self.init(code, message, at: TextPlace(byteOffset: byteOffset, in: text))
    }

    package init(_ code: Code, _ message: String, at place: TextPlace) {
        self.init(code, message)
        (self.byteOffset, self.line, self.column) = (place.byteOffset, place.line, place.column)
    }

    /// This error in a longer text, in which the parsed text is at `start`.
    package func moved(to start: TextPlace) -> JSONError {
        guard let offset = self.byteOffset, let line = self.line, let column = self.column else { return self }
        let place = TextPlace(byteOffset: offset, line: line, column: column).moved(to: start)
        var error = JSONError(self.code, self.message, at: place)
        error.pointer = self.pointer
        return error
    }
}

extension JSONError: CustomStringConvertible {
    /// Such as `line 3, column 14: a comma is missing between two members; put one before "b"`.
    public var description: String {
        var place: [String] = []
        if let line = self.line, let column = self.column {
            place.append("line \(line), column \(column)")
        }
        if let pointer = self.pointer {
            place.append(pointer.isEmpty ? "at the root" : "at \(pointer)")
        }
        return place.isEmpty ? self.message : place.joined(separator: ", ") + ": " + self.message
    }
}
