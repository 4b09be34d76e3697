/// Why a text, pointer or patch was refused: for a program the code, for a person the message and the place.
public struct JSONError: Error, Sendable, Hashable {
    /// What kind of mistake it is; an open set.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The name, as in logs.
        public let name: String

        /// A code of one's own.
        public init(_ name: String) {
            self.name = name
        }

        /// The name.
        public var description: String { self.name }

        /// The text is no JSON of RFC 8259.
        public static let syntax = Code("syntax")
        /// The text is not UTF-8, or starts with a byte order mark.
        public static let encoding = Code("encoding")
        /// Arrays and objects lie deeper in each other than the limit allows.
        public static let nesting = Code("nesting")
        /// A `\uD800`…`\uDFFF` escape stands without its other half.
        public static let surrogate = Code("surrogate")
        /// A number is malformed, or can't be what it was asked to be.
        public static let number = Code("number")
        /// The text has more bytes than the limit allows.
        public static let tooLarge = Code("tooLarge")
        /// Something follows the value.
        public static let trailing = Code("trailing")
        /// The value has another type or shape than was asked for.
        public static let shape = Code("shape")
        /// A JSON Pointer is malformed or names nothing.
        public static let pointer = Code("pointer")
        /// A patch is malformed or does not apply.
        public static let patch = Code("patch")
        /// A `test` operation of a patch found another value.
        public static let testFailed = Code("testFailed")
    }

    /// What kind of mistake it is.
    public var code: Code

    /// What was wrong and what to do, in words.
    public var message: String

    /// Where in the text, in bytes from 0.
    public var byteOffset: Int?

    /// The line in the text, from 1.
    public var line: Int?

    /// The column in the line, in bytes from 1.
    public var column: Int?

    /// Where in the document, as a JSON Pointer.
    public var pointer: String?

    /// An error without a place in a text.
    public init(_ code: Code, _ message: String, pointer: String? = nil) {
        self.code = code
        self.message = message
        self.pointer = pointer
    }

    /// An error at a byte of a text; line and column are found by reading the text up to there.
    public init(_ code: Code, _ message: String, at byteOffset: Int, of text: some Collection<UInt8>) {
        self.init(code, message)
        let place = TextPlace(byteOffset: byteOffset, in: text)
        self.byteOffset = byteOffset
        self.line = place.line
        self.column = place.column
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
