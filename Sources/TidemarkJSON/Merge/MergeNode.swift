/// One path of a three-way merge: its three values, and what each side changed at or below it.
struct MergeNode {
    let path: JSONPointer
    let base: JSON?
    let server: JSON?
    let client: JSON?
    let theirs: Change?
    let ours: Change?

    /// The node of the values at `path`, compared.
    init(path: JSONPointer = .root, base: JSON?, server: JSON?, client: JSON?) {
        self.init(
            path: path, base: base, server: server, client: client,
            theirs: .between(base, server, at: path), ours: .between(base, client, at: path))
    }

    private init(path: JSONPointer, base: JSON?, server: JSON?, client: JSON?, theirs: Change?, ours: Change?) {
        self.path = path
        self.base = base
        self.server = server
        self.client = client
        self.theirs = theirs
        self.ours = ours
    }

    var sides: FieldSides { FieldSides(path: self.path, base: self.base, server: self.server, client: self.client) }

    /// Whether both sides added an object where the base has nothing.
    var bothAddAnObject: Bool { self.base == nil && self.server?.object != nil && self.client?.object != nil }

    /// The same node with the empty object in place of the base that is not there.
    var overTheEmptyObject: MergeNode {
        MergeNode(path: self.path, base: .object([:]), server: self.server, client: self.client)
    }

    /// The members that changed on a side, if the object stayed an object on both; nil otherwise.
    var members: [MergeNode]? {
        guard case .members(let theirs) = self.theirs, case .members(let ours) = self.ours else { return nil }
        var theirChange: [CodePointString: Change] = [:]
        for (key, change) in theirs { theirChange[CodePointString(key)] = change }
        var nodes: [MergeNode] = []
        for (key, change) in ours {
            nodes.append(self.member(key, theirs: theirChange.removeValue(forKey: CodePointString(key)), ours: change))
        }
        for (key, change) in theirs where theirChange[CodePointString(key)] != nil {
            nodes.append(self.member(key, theirs: change, ours: nil))
        }
        return nodes
    }

    private func member(_ key: String, theirs: Change?, ours: Change?) -> MergeNode {
        MergeNode(
            path: self.path.appending(key), base: self.base?.child(key), server: self.server?.child(key),
            client: self.client?.child(key), theirs: theirs, ours: ours)
    }
}
