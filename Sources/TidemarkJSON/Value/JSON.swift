/// A JSON value (RFC 8259) that keeps what the sender wrote: number text, string escapes and the order of keys.
///
/// Equality and hashing are by *value* (SPEC §4): numbers by their exact decimal value (`1.0 == 1`), strings by code
/// point, objects whatever the order of their keys.
///
/// ```swift
/// var note: JSON = ["title": "Milk", "tags": ["home"]]
/// note.title = "Oat milk"
/// note.text   // {"title":"Oat milk","tags":["home"]}
/// ```
@dynamicMemberLookup
public enum JSON: Sendable, Hashable {
    /// The value `null`, which is a value: a missing member is a Swift `nil`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number with its text.
    case number(JSONNumber)
    /// A string with its escapes as they were written.
    case string(JSONString)
    /// The elements in order.
    case array([JSON])
    /// The members in the order in which they were written.
    case object(JSONObject)
}

extension JSON: CustomStringConvertible {
    /// The compact text, the same as ``text``.
    public var description: String { self.text }
}
