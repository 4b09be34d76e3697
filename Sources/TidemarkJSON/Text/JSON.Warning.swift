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

        init(message: String, pointer: String?, at place: TextPlace) {
            self.message = message
            self.pointer = pointer
            self.byteOffset = place.byteOffset
            self.line = place.line
            self.column = place.column
        }

        /// A key that occurs twice.
        package init(ofKey name: String, pointer: String?, at place: TextPlace) {
            self.init(
                message:
                    "the key “\(name.beginning)” comes twice in one object; the last value counts",
                pointer: pointer, at: place)
        }

        /// `count` more repeated keys, from a place on.
        init(ofOthers count: Int, at place: TextPlace) {
            self.init(
                message: "and \(count) more, from here on: a key comes twice in one object", pointer: nil, at: place)
        }

        /// This warning, for `count` more keys from this place on.
        package func standing(forOthers count: Int) -> JSON.Warning {
            JSON.Warning(
                ofOthers: count, at: TextPlace(byteOffset: self.byteOffset, line: self.line, column: self.column))
        }

        /// This warning in a longer text, in which the parsed text is at `start`.
        package func moved(to start: TextPlace) -> JSON.Warning {
            let place = TextPlace(byteOffset: self.byteOffset, line: self.line, column: self.column)
            return JSON.Warning(message: self.message, pointer: self.pointer, at: place.moved(to: start))
        }

        /// Such as `line 1, column 8: the key "a" comes twice; the last value counts`.
        public var description: String {
            "line \(self.line), column \(self.column): \(self.message)"
        }
    }
}
