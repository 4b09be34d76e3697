/// A JSON value (RFC 8259) that keeps the sender's text: number text, string escapes and the order of keys.
///
/// Equality and hashing are by *value* (Contract §4): numbers by their exact decimal value (`1.0 == 1`), strings by code point,
/// objects without regard to the order of their keys.
///
/// ```swift
/// var note: JSON = ["title": "Milk", "tags": ["home"]]
/// note.title = "Oat milk"
/// note.text   // {"title":"Oat milk","tags":["home"]}
/// ```
///
/// A member accepts a Swift value directly. In a literal a variable is written as `JSON(variable)`, since Swift accepts only
/// literals there:
///
/// ```swift
/// let text: String = field.text
/// var note: JSON = ["title": JSON(text), "done": false]
/// note.title = text
/// note.tags = ["home", text]
/// ```
///
/// A parsed value is one block of memory: the text and the positions of its values. Members and elements are found in it when
/// they are accessed, and a change copies only the containers on its path. An array, an object or a text of more than 15 bytes
/// that is read from a parsed value keeps all of that value in memory; ``detached`` copies it to separate memory.
@dynamicMemberLookup
public struct JSON: Sendable {
    /// The representation of the value.
    enum Storage: Sendable {
        case null
        case bool(Bool)
        case number(JSONNumber)
        case string(JSONString)
        case array([JSON])
        case members(JSONMembers)
        /// A position on a tape.
        case tape(Tape, UInt32)
    }

    var storage: Storage

    @inline(__always)
    init(storage: Storage) {
        self.storage = storage
    }
}

extension JSON {
    /// The value `null`, which is a value: a missing member is a Swift `nil`.
    public static var null: JSON { JSON(storage: .null) }

    /// `true` or `false`.
    public static func bool(_ value: Bool) -> JSON { JSON(storage: .bool(value)) }

    /// A number with its text.
    public static func number(_ number: JSONNumber) -> JSON { JSON(storage: .number(number)) }

    /// A string with its escapes as they were written.
    public static func string(_ string: JSONString) -> JSON { JSON(storage: .string(string)) }

    /// A string, the same as `JSON(text)`.
    @_disfavoredOverload
    public static func string(_ text: String) -> JSON { .string(JSONString(text)) }

    /// The elements in order.
    public static func array(_ elements: [JSON]) -> JSON { JSON(storage: .array(elements)) }

    /// The members in the order in which they were written.
    public static func object(_ members: JSONObject) -> JSON { members.json }

    /// This value in separate memory, without the text that contained it.
    public var detached: JSON {
        guard case .tape(let tape, let place) = self.storage else { return self }
        return tape.read { view in
            if let scalar = JSON(scalar: view[Int(place)], of: view) { return scalar }
            return TapeBuilder.with(nodes: view.size(Int(place)), bytes: view[Int(place)].length) {
                (builder: consuming TapeBuilder) in
                builder.append(view, Int(place))
                return JSON(storage: .tape(builder.tape, 0))
            }
        }
    }
}

extension JSON: CustomStringConvertible {
    /// The compact text, the same as ``text``.
    public var description: String { self.text }
}
