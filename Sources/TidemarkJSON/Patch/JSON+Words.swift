/// How messages speak of a value.
extension JSON {
    /// Its type with the article, for example "a string".
    package var kind: String {
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
        case .number(let number): return number.text.beginning
        case .string(let string): return "\"\(string.value.beginning)\""
        case .array(let elements): return "an array of \(elements.count)"
        case .object(let members): return "an object of \(members.count)"
        }
    }
}

extension String {
    /// No more of it than a message needs: who sends megabytes shall not get them back.
    var beginning: String {
        let beginning = self.unicodeScalars.prefix(40)
        return beginning.endIndex == self.endIndex ? self : String(beginning) + "…"
    }
}
