/// How messages speak of a value.
extension JSON {
    /// Its type with the article, for example "a string".
    var kind: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }

    /// The beginning of its text, short enough for a message; of arrays and objects only the size.
    var excerpt: String {
        switch self {
        case .null, .bool: return self.text
        case .number(let number): return JSON.shortened(number.text)
        case .string(let string): return "\"\(JSON.shortened(string.value))\""
        case .array(let elements): return "an array of \(elements.count)"
        case .object(let members): return "an object of \(members.count)"
        }
    }

    private static func shortened(_ text: String) -> String {
        let beginning = text.prefix(40)
        return beginning.endIndex == text.endIndex ? text : beginning + "…"
    }
}
