/// Names of values in messages.
extension JSON {
    /// The type of the value with the article, for example "a string".
    package var kind: String {
        switch self.kindOfValue {
        case .null: "null"
        case .bool: "a boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }

    /// The beginning of its text, short enough for a message; for arrays and objects only the size.
    var excerpt: String {
        switch self.kindOfValue {
        case .null, .bool: return self.text
        case .number: return self.text.beginning
        case .string: return "\"\((self.string ?? "").beginning)\""
        case .array: return "an array of \(self.childCount)"
        case .object: return "an object of \(self.childCount)"
        }
    }
}

extension String {
    /// The beginning of the text, short enough for a message: a sender of megabytes does not get them back.
    var beginning: String {
        let beginning = self.unicodeScalars.prefix(40)
        return beginning.endIndex == self.endIndex ? self : String(beginning) + "…"
    }
}
