extension JSON {
    /// A warning about a text that a strict reader accepts: a key occurs twice in one object.
    public struct Warning: Sendable, Hashable, CustomStringConvertible {
        /// How many repeated keys of a text are described; one more warning gives the number of the others.
        public static let described = 10

        /// The error and how it was handled, in words.
        public let message: String

        /// The JSON Pointer of the member; nil for the warning about all others.
        public let pointer: String?

        /// The start of the member's key in the text, in bytes from 0.
        public let byteOffset: Int

        /// The line, from 1.
        public let line: Int

        /// The column, in bytes from 1.
        public let column: Int

        init(message: String, pointer: String?, at byteOffset: Int, _ place: TextPlace) {
            self.message = message
            self.pointer = pointer
            self.byteOffset = byteOffset
            self.line = place.line
            self.column = place.column
        }

        /// Such as `line 1, column 8: the key "a" comes twice; the last value counts`.
        public var description: String {
            "line \(self.line), column \(self.column): \(self.message)"
        }
    }
}
