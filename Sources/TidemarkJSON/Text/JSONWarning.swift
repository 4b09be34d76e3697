/// What a strict reader accepts but a person should hear of: a key that comes twice in one object.
public struct JSONWarning: Sendable, Hashable, CustomStringConvertible {
    /// What is odd and what was done about it, in words.
    public let message: String

    /// The JSON Pointer of the member.
    public let pointer: String

    /// Where in the text the member's key starts, in bytes from 0.
    public let byteOffset: Int

    /// The line, from 1.
    public let line: Int

    /// The column, in bytes from 1.
    public let column: Int

    /// Such as `line 1, column 8: the key "a" comes twice; the last value counts`.
    public var description: String {
        "line \(self.line), column \(self.column): \(self.message)"
    }
}
