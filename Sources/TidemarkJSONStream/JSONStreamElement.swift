public import TidemarkJSON

/// One element of a text that arrives in pieces, with its place in the whole text.
public struct JSONStreamElement: Sendable {
    /// The key of the value, decoded, with ``JSONStreamContent/members(at:)``; otherwise nil.
    public let key: String?

    /// The value. Of a repeated key the last value counts.
    public let value: JSON

    /// The text as it was written, with its numbers, escapes, white space and repeated keys.
    ///
    /// It shares the memory of the chunk: copy it if you keep it.
    public let text: ArraySlice<UInt8>

    /// The repeated keys, with their places in the whole text.
    public let warnings: [JSON.Warning]

    /// The start in the whole text, in bytes from 0.
    public let byteOffset: Int

    /// The line of the start, from 1.
    public let line: Int

    /// The column of the start, in bytes from 1.
    public let column: Int

    init(
        _ value: JSON, key: String?, _ text: ArraySlice<UInt8>, _ warnings: [JSON.Warning], at place: TextPlace
    ) {
        self.key = key
        self.value = value
        self.text = text
        self.warnings = warnings
        (self.byteOffset, self.line, self.column) = (place.byteOffset, place.line, place.column)
    }
}
