public import TidemarkJSON

/// The values of a text that a ``JSONStreamReader`` returns as elements.
public struct JSONStreamContent: Hashable, Sendable {
    enum Kind: Hashable {
        case automatic
        case values
        case array(JSONPointer)
        case members(JSONPointer)
        case nothing
    }

    let kind: Kind

    /// The elements of the array if the text begins with `[`; otherwise its values, as ``values``. The default.
    public static let automatic = JSONStreamContent(kind: .automatic)

    /// A sequence of values, separated by white space: one per line (NDJSON, JSON Lines), or indented ones.
    public static let values = JSONStreamContent(kind: .values)

    /// The elements of the array at a pointer of the text's only value. Everything else is checked and skipped.
    ///
    /// ```swift
    /// let reader = JSONStreamReader(.array(at: try JSONPointer(parsing: "/data/records")))
    /// ```
    public static func array(at pointer: JSONPointer) -> JSONStreamContent {
        JSONStreamContent(kind: .array(pointer))
    }

    /// The values of the members of the object at a pointer of the text's only value, each with its ``JSONStreamElement/key``.
    /// Everything else is checked and skipped. A key that comes twice gives two elements.
    ///
    /// ```swift
    /// let reader = JSONStreamReader(.members(at: try JSONPointer(parsing: "/data/byID")))
    /// ```
    public static func members(at pointer: JSONPointer) -> JSONStreamContent {
        JSONStreamContent(kind: .members(pointer))
    }

    /// No element: the text's only value is checked, whatever its size.
    package static let nothing = JSONStreamContent(kind: .nothing)
}
