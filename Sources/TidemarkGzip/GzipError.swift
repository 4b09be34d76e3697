/// What was wrong with a gzip body, in words for a person.
public struct GzipError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure; open, so that a later version can add to it.
    public struct Code: Sendable, Hashable {
        /// The name of the kind, as it is shown.
        public let name: String

        /// A kind of failure with this name.
        public init(_ name: String) {
            self.name = name
        }

        /// The bytes are not gzip, or were changed on the way.
        public static let corrupt = Code("corrupt")
        /// The bytes stop before the end of the gzip member.
        public static let truncated = Code("truncated")
        /// Unpacked, the bytes are more than the limit allows.
        public static let tooLarge = Code("tooLarge")
        /// zlib got no memory.
        public static let outOfMemory = Code("outOfMemory")
        /// The level of compression is not one of gzip's.
        public static let level = Code("level")
    }

    /// The kind of failure.
    public let code: Code
    /// What was wrong and what to do.
    public let message: String

    /// An error of this kind with this message.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { self.message }
}
