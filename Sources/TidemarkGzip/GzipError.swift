/// An error in a gzip body, with a message for users.
public struct GzipError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure; an open set, so that a later version can add to it.
    public struct Code: Sendable, Hashable {
        /// The name of the kind, as it is printed.
        public let name: String

        /// Makes a kind of failure.
        public init(_ name: String) {
            self.name = name
        }

        /// The bytes are not gzip, or were damaged in transit.
        public static let corrupt = Code("corrupt")
        /// The bytes end before the end of the gzip member.
        public static let truncated = Code("truncated")
        /// The decompressed bytes exceed the limit.
        public static let tooLarge = Code("tooLarge")
        /// zlib got no memory.
        public static let outOfMemory = Code("outOfMemory")
        /// The level of compression is not one of gzip's.
        public static let level = Code("level")
    }

    /// The kind of failure.
    public let code: Code
    /// The error and what to do.
    public let message: String

    /// Makes an error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { self.message }
}
