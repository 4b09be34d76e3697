import TidemarkJSON

/// A value that can be ordered: numbers by their exact value, strings by code point. A number and a string have no order
/// between them.
enum Rank {
    case number(JSONNumber)
    case string(CodePointString)

    /// Makes the rank of a value; nil for a value that can't be ordered.
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
