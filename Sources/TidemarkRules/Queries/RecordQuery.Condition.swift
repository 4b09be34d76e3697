package import TidemarkJSON
public import TidemarkMachine

extension RecordQuery {
    /// A condition about one record as the app sees it; made of ``JSONField``s, `&&`, `||` and `!`.
    ///
    /// A condition is true or false, and `!` gives the opposite: `!(price > 2)` is true for a record without a price.
    public struct Condition: Hashable, Sendable {
        package var node: Node

        package init(_ node: Node) {
            self.node = node
        }

        /// True for every record.
        public static let all = Condition(.and([]))

        /// Whether the server has not confirmed all changes of the record.
        public static let pending = Condition(.states([.edited, .created, .deleted]))

        /// Whether the record is held: not sent until the app or the user acts.
        public static let held = Condition(.held)

        /// Whether the record is in this state. A record that was deleted here is in no result.
        public static func state(_ state: SyncState) -> Condition { Condition(.states([state])) }
    }
}

extension RecordQuery.Condition {
    /// The parts of a condition.
    package indirect enum Node: Sendable {
        case compare(String, Comparison, JSON)
        case isIn(String, [JSON])
        case startsWith(String, String)
        case contains(String, JSON, ignoringCase: Bool)
        case exists(String)
        case states(Set<SyncState>)
        case held

        /// True if all are, and so without parts.
        case and([Node])

        /// True if any is.
        case or([Node])
        case not(Node)
    }

    /// A comparison with a value.
    package enum Comparison: String, CaseIterable, Sendable {
        case equal = "="
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="
    }

    /// Whether both are true.
    public static func && (left: Self, right: Self) -> Self { Self(.and(left.conjuncts + right.conjuncts)) }

    /// Whether one of them is true.
    public static func || (left: Self, right: Self) -> Self { Self(.or(left.alternatives + right.alternatives)) }

    /// Whether it is not true.
    public static prefix func ! (condition: Self) -> Self {
        if case .not(let inner) = condition.node { return Self(inner) }
        return Self(.not(condition.node))
    }

    /// The parts that are all true if the condition is.
    package var conjuncts: [Node] {
        if case .and(let parts) = self.node { return parts }
        return [self.node]
    }

    private var alternatives: [Node] {
        if case .or(let parts) = self.node { return parts }
        return [self.node]
    }
}
