import TidemarkJSON

/// A value that has a place in an order: numbers by their exact value, strings by code point. A number and a string
/// have none between them.
enum Rank {
    case number(JSONNumber)
    case string(CodePointString)

    /// The place of a value; nil for one that has none.
    init?(_ value: JSON?) {
        switch value?.byType {
        case .number(let number): self = .number(number)
        case .string(let string): self = .string(CodePointString(string.value))
        case .null, .bool, .array, .object, nil: return nil
        }
    }

    /// Whether this comes before another; nil when the two can't be compared.
    func isSmaller(than other: Rank) -> Bool? {
        switch (self, other) {
        case (.number(let mine), .number(let theirs)): mine < theirs
        case (.string(let mine), .string(let theirs)): mine < theirs
        case (.number, .string), (.string, .number): nil
        }
    }
}
