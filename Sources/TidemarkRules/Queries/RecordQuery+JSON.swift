package import TidemarkJSON
import TidemarkMachine

// A query as JSON: {"where":["and",["=","/done",false],[">","/price",2]],"order":[["/due","ascending"]]}. It is stored by apps,
// so its form does not change.

extension RecordQuery {
    /// The query as JSON.
    ///
    /// - Parameter value: How a value of a comparison is written.
    package func json(_ value: (JSON) -> JSON = { $0 }) -> JSON {
        let order = self.order.map { JSON.array([JSON($0.path), $0.isDescending ? "descending" : "ascending"]) }
        return ["where": self.condition.node.json(value), "order": .array(order)]
    }

    /// Reads a query.
    package init(_ json: JSON) throws(TidemarkError) {
        let object = json.object
        var query = RecordQuery()
        if let condition = object?["where"] { query.condition = Condition(try Condition.Node(condition)) }
        for part in object?["order"]?.array ?? [] {
            guard let path = part[0]?.string, let direction = part[1]?.string,
                direction == "ascending" || direction == "descending"
            else { throw .notAQuery(part, "an order is [\"/due\",\"ascending\"] or [\"/due\",\"descending\"]") }
            query.order.append(Order(path: path, isDescending: direction == "descending"))
        }
        guard object != nil else { throw .notAQuery(json, "a query is {\"where\":…,\"order\":…}") }
        self = query
    }
}

extension RecordQuery.Condition.Node {
    fileprivate func json(_ value: (JSON) -> JSON) -> JSON {
        switch self {
        case .compare(let path, let comparison, let other): [JSON(comparison.rawValue), JSON(path), value(other)]
        case .isIn(let path, let values): ["in", JSON(path), .array(values.map(value))]
        case .startsWith(let path, let text): ["startsWith", JSON(path), JSON(text)]
        case .contains(let path, let part, let ignoringCase):
            [ignoringCase ? "containsIgnoringCase" : "contains", JSON(path), value(part)]
        case .exists(let path): ["exists", JSON(path)]
        case .states(let states): .array(["state"] + states.map(\.rawValue).sorted().map { JSON($0) })
        case .held: ["held"]
        case .and(let nodes): .array(["and"] + nodes.map { $0.json(value) })
        case .or(let nodes): .array(["or"] + nodes.map { $0.json(value) })
        case .not(let node): ["not", node.json(value)]
        }
    }

    fileprivate init(_ json: JSON) throws(TidemarkError) {
        guard let parts = json.array, let name = parts.first?.string else {
            throw .notAQuery(json, "a condition is an array that begins with its name")
        }
        let arguments = Array(parts.dropFirst())
        switch name {
        case "and": self = .and(try Self.nodes(arguments))
        case "or": self = .or(try Self.nodes(arguments))
        case "not" where arguments.count == 1: self = .not(try Self(arguments[0]))
        case "held" where arguments.isEmpty: self = .held
        case "state":
            var states: Set<SyncState> = []
            for argument in arguments {
                guard let state = argument.string.flatMap({ SyncState(rawValue: $0) }) else {
                    throw .notAQuery(json, "a state is SYNCD, EDITED, CREATED or DELETED")
                }
                states.insert(state)
            }
            self = .states(states)
        case "exists" where arguments.count == 1:
            guard let path = arguments[0].string else { throw .notAQuery(json, "a path is a string") }
            self = .exists(path)
        default: self = try Self.comparison(name, arguments, json)
        }
    }

    private static func nodes(_ parts: [JSON]) throws(TidemarkError) -> [Self] {
        var nodes: [Self] = []
        for part in parts { nodes.append(try Self(part)) }
        return nodes
    }

    private static func comparison(_ name: String, _ arguments: [JSON], _ json: JSON) throws(TidemarkError) -> Self {
        guard arguments.count == 2, let path = arguments[0].string else {
            throw .notAQuery(json, "there is no such condition, or its path or value does not fit")
        }
        if let comparison = RecordQuery.Condition.Comparison(rawValue: name) {
            return .compare(path, comparison, arguments[1])
        }
        switch (name, arguments[1].array, arguments[1].string) {
        case ("in", let values?, _): return .isIn(path, values)
        case ("startsWith", _, let text?): return .startsWith(path, text)
        case ("contains", _, _): return .contains(path, arguments[1], ignoringCase: false)
        case ("containsIgnoringCase", _, _): return .contains(path, arguments[1], ignoringCase: true)
        default: throw .notAQuery(json, "there is no such condition, or its path or value does not fit")
        }
    }
}

extension TidemarkError {
    fileprivate static func notAQuery(_ json: JSON, _ reason: String) -> TidemarkError {
        TidemarkError(.invalidQuery, "\(json.text.prefix(200)) is not a part of a query: \(reason).")
    }
}

extension RecordQuery.Condition.Node: Hashable {
    /// Whether both are written alike: paths and texts are equal by code point, numbers by value.
    package static func == (left: Self, right: Self) -> Bool { left.json { $0 } == right.json { $0 } }

    /// Feeds the condition as it is written.
    package func hash(into hasher: inout Hasher) { hasher.combine(self.json { $0 }) }
}

extension RecordQuery: Codable {
    /// Reads a query that was written by this version or an earlier one.
    public init(from decoder: any Decoder) throws {
        try self.init(try JSON(from: decoder))
    }

    /// Writes the query.
    public func encode(to encoder: any Encoder) throws {
        try self.json().encode(to: encoder)
    }
}
