/// One path of a three-way merge: the changes of each side at or below it, by their index in its list.
struct MergeNode {
    /// The index for no change.
    static let unchanged = -1

    let path: JSONPointer
    let sides: MergeChanges
    let theirs: Int
    let ours: Int

    /// Makes the node of the values at `path`, compared.
    init(_ sides: MergeChanges, at path: JSONPointer = .root) {
        self.init(
            path: path, sides: sides, theirs: sides.theirs.isEmpty ? MergeNode.unchanged : 0,
            ours: sides.ours.isEmpty ? MergeNode.unchanged : 0)
    }

    private init(path: JSONPointer, sides: MergeChanges, theirs: Int, ours: Int) {
        self.path = path
        self.sides = sides
        self.theirs = theirs
        self.ours = ours
    }

    // If both sides changed something, each change knows its value before and after.

    private var theirChange: Change { self.sides.theirs.list[self.theirs] }

    private var ourChange: Change { self.sides.ours.list[self.ours] }

    var base: JSON? { self.sides.ours.valueBefore(self.ourChange) }

    var server: JSON? { self.sides.theirs.valueAfter(self.theirChange) }

    var client: JSON? { self.sides.ours.valueAfter(self.ourChange) }

    var fieldSides: JSONMerge.Sides {
        JSONMerge.Sides(path: self.path, base: self.base, server: self.server, client: self.client)
    }

    /// Whether both sides have the same value now.
    var isAgreed: Bool { self.server == self.client }

    /// Whether both sides added an object at a path that the base lacks.
    var bothAddAnObject: Bool {
        self.ourChange.before == Change.nothing && self.server?.kindOfValue == .object
            && self.client?.kindOfValue == .object
    }

    /// Whether a side changed the case of a union, so that the object is one value (Contract §4).
    ///
    /// A union is an object with one member, whose name is the case and whose value is the payload, as Swift writes an enum.
    /// Merged member by member, two changes of the case would give an object with two cases, which no device can read. If the
    /// base lacks the object, both sides have added one, with different names and objects as payloads. An object that is empty
    /// in the base, or has more members on a side, is no union, but a dictionary or a type with members.
    var isAnotherCase: Bool {
        guard let server = self.server, let client = self.client else { return false }
        if let base = self.base {
            return base.isAnotherCase(than: server) && client.isSingleMember
                || base.isAnotherCase(than: client) && server.isSingleMember
        }
        return server.isAnotherCase(than: client) && server.hasOneObject && client.hasOneObject
    }

    /// The same node with the empty object as the base.
    var overTheEmptyObject: MergeNode {
        let sides = MergeChanges(base: .object([:]), server: self.server, client: self.client, at: self.path)
        return MergeNode(sides, at: self.path)
    }

    /// The members that changed on a side, if the object stayed an object on both; nil otherwise.
    var members: [(theirs: Int, ours: Int)]? {
        guard !self.theirChange.isWhole, !self.ourChange.isWhole else { return nil }
        return self.sides.members(theirs: self.theirs, ours: self.ours)
    }

    /// One of the members.
    func member(_ member: (theirs: Int, ours: Int)) -> MergeNode {
        let (theirs, ours) = (self.sides.theirs, self.sides.ours)
        let path =
            member.ours == MergeNode.unchanged
            ? theirs.path(of: theirs.list[member.theirs], below: self.path)
            : ours.path(of: ours.list[member.ours], below: self.path)
        return MergeNode(path: path, sides: self.sides, theirs: member.theirs, ours: member.ours)
    }
}

extension JSON {
    /// Whether this is an object with one member.
    fileprivate var isSingleMember: Bool { self.kindOfValue == .object && self.childCount == 1 }

    /// Whether this is an object with one member, and that is an object.
    fileprivate var hasOneObject: Bool {
        self.isSingleMember && self.object?.first { _ in true }?.value.kindOfValue == .object
    }

    /// Whether both are objects with one member each, and the names of the members differ, as when the case of an enum with a
    /// payload changes.
    package func isAnotherCase(than other: JSON) -> Bool {
        guard self.isSingleMember, other.isSingleMember, let key = self.object?.keys.first else { return false }
        let same: JSON? = other[key]
        return same == nil
    }
}
