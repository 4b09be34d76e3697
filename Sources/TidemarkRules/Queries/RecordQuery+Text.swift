import TidemarkJSON
import TidemarkMachine

// Conditions and orders as text, for a command line and for a search field of experts.
//
//     condition   = conjunction *( "or" conjunction )
//     conjunction = term *( "and" term )
//     term        = "not" term / "(" condition ")" / "pending" / "held" / "state" STATE / "all" / path comparison
//     comparison  = ( "=" / "!=" / "<" / "<=" / ">" / ">=" / "contains" / "containsIgnoringCase" ) JSON
//                 / "in" JSON-array / "startsWith" JSON-string / "exists" / "missing"
//     path        = JSON pointer up to a space, or within a JSON string

extension RecordQuery.Condition {
    /// Reads a condition as text.
    ///
    /// ```swift
    /// let open = try RecordQuery.Condition(parsing: #"/done = false and (/price > 2 or /tags/* = "home")"#)
    /// ```
    ///
    /// - Throws: ``TidemarkError/Code/invalidQuery`` with the column of the error and what to do. The cause is a `JSONError`,
    ///   which has line and column as numbers, unless the path is invalid or the text is too long.
    public init(parsing text: String) throws(TidemarkError) {
        var reader = ConditionReader(text)
        self.init(try reader.condition())
    }

    /// The condition as text, which ``init(parsing:)`` reads.
    public var text: String { self.node.text }
}

extension RecordQuery.Order {
    /// Reads one part of an order: a JSON pointer, with `-` before it for larger values first.
    ///
    /// ```swift
    /// let order = try RecordQuery.Order(parsing: "-/price")
    /// ```
    ///
    /// - Throws: ``TidemarkError/Code/invalidQuery``.
    public init(parsing text: String) throws(TidemarkError) {
        let isDescending = text.utf8.first == UInt8(ascii: "-")
        let path = isDescending ? String(Substring(text.utf8.dropFirst())) : text
        guard path.utf8.first == UInt8(ascii: "/") else {
            throw TidemarkError(
                .invalidQuery,
                "The order “\(ConditionReader.shown(text))” is not a path: write /due, or -/due for larger values first."
            )
        }
        self = isDescending ? .descending(path) : .ascending(path)
        _ = try CheckedQuery(RecordQuery(order: [self]))
    }

    /// The part as text, which ``init(parsing:)`` reads.
    public var text: String { (self.isDescending ? "-" : "") + self.path }
}

extension RecordQuery.Condition.Node {
    fileprivate var text: String {
        switch self {
        case .compare(let path, let comparison, let value): "\(Self.text(path)) \(comparison.rawValue) \(value.text)"
        case .not(.compare(let path, .equal, let value)): "\(Self.text(path)) != \(value.text)"
        case .isIn(let path, let values): "\(Self.text(path)) in \(JSON.array(values).text)"
        case .startsWith(let path, let text): "\(Self.text(path)) startsWith \(JSON(text).text)"
        case .contains(let path, let value, let ignoringCase):
            "\(Self.text(path)) \(ignoringCase ? "containsIgnoringCase" : "contains") \(value.text)"
        case .exists(let path): "\(Self.text(path)) exists"
        case .not(.exists(let path)): "\(Self.text(path)) missing"
        case .states(let states) where states.count > 1 && RecordQuery.Condition(self) == .pending: "pending"
        case .states(let states):
            Self.list(
                states.map { "state \($0.rawValue)" }.sorted(), by: "or", none: "not all", isInner: states.count > 1)
        case .held: "held"
        case .and(let parts): Self.list(parts.map { $0.part(in: self) }, by: "and", none: "all", isInner: false)
        case .or(let parts): Self.list(parts.map { $0.part(in: self) }, by: "or", none: "not all", isInner: false)
        case .not(let part): "not \(part.part(in: self))"
        }
    }

    /// The text as a part of another condition, in parentheses if it needs them.
    private func part(in outer: Self) -> String {
        switch (self, outer) {
        case (.and([]), _), (.or([]), .or): self.text
        case (.and(let parts), .not), (.or(let parts), .not):
            parts.count == 1 ? parts[0].part(in: outer) : "(\(self.text))"
        case (.or(let parts), .and): parts.count == 1 ? parts[0].part(in: outer) : "(\(self.text))"
        default: self.text
        }
    }

    private static func list(_ texts: [String], by word: String, none: String, isInner: Bool) -> String {
        let text = texts.isEmpty ? none : texts.joined(separator: " \(word) ")
        return isInner ? "(\(text))" : text
    }

    /// A path, within a JSON string if it is not all of one word.
    private static func text(_ path: String) -> String {
        let isBare = path.utf8.first == UInt8(ascii: "/") && path.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }
        return isBare ? path : JSON(path).text
    }
}
