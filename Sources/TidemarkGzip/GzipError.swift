/// An error in a gzip body, with a message for users.
public struct GzipError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure.
    public enum Code: Sendable {
        /// The bytes are not gzip, or were damaged in transit.
        case corrupt
        /// The bytes end before the end of the gzip member.
        case truncated
        /// The decompressed bytes exceed the limit.
        case tooLarge
        /// zlib got no memory.
        case outOfMemory
        /// The level of compression is not one of gzip's.
        case level
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
