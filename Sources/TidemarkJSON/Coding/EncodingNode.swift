/// One value that is being encoded. Containers are returned before they are filled, so they refer to a shared node.
final class EncodingNode {
    private enum State {
        case empty
        case value(JSON)
        case array([EncodingNode])
        case object([(key: String, node: EncodingNode)], places: [CodePointString: Int])
    }

    private var state = State.empty

    /// The finished value, or nil if nothing was encoded. A child that encoded nothing is an empty object, as in the standard
    /// encoders.
    var json: JSON? {
        switch self.state {
        case .empty: nil
        case .value(let value): value
        case .array(let nodes): .array(nodes.map { $0.json ?? [:] })
        case .object(let members, _): .object(JSONObject(members.map { ($0.key, $0.node.json ?? [:]) }))
        }
    }

    /// The number of elements of an array.
    var count: Int {
        if case .array(let nodes) = self.state { nodes.count } else { 0 }
    }

    func set(_ value: JSON) {
        self.state = .value(value)
    }

    func becomeArray() {
        if case .array = self.state { return }
        self.state = .array([])
    }

    func becomeObject() {
        if case .object = self.state { return }
        self.state = .object([], places: [:])
    }

    /// A new element of an array.
    func append() -> EncodingNode {
        guard case .array(var nodes) = self.state else { return EncodingNode() }
        self.state = .empty
        let node = EncodingNode()
        nodes.append(node)
        self.state = .array(nodes)
        return node
    }

    /// The member of an object with this key, new or known.
    func member(_ key: String) -> EncodingNode {
        guard case .object(var members, var places) = self.state else { return EncodingNode() }
        if let place = places[CodePointString(key)] {
            return members[place].node
        }
        self.state = .empty
        let node = EncodingNode()
        places[CodePointString(key)] = members.count
        members.append((key, node))
        self.state = .object(members, places: places)
        return node
    }
}
