/// The changes of two sides to the same base.
final class MergeChanges: Sendable {
    /// The changes of the server.
    let theirs: Changes

    /// The changes of the client.
    let ours: Changes

    /// Compares both sides' values at a path with the base's.
    init(base: JSON?, server: JSON?, client: JSON?, at path: JSONPointer) {
        // Both lists refer to the same tape.
        let base = base.map { base in
            let (tape, place) = base.onTape
            return JSON(storage: .tape(tape, UInt32(place)))
        }
        self.theirs = .between(base, server, at: path)
        self.ours = .between(base, client, at: path)
    }

    /// Whether this may be stored instead of its result: it keeps all three documents in memory.
    var mayBeKept: Bool { self.theirs.mayBeKept && self.ours.mayBeKept }

    /// Whether both sides changed only members, and no member is the same; if both changed something in an object with a rule,
    /// the rule has to be called.
    func areApart(_ rule: (JSONPointer) -> JSONMerge.FieldDecision?) -> Bool {
        self.theirs.isEmpty || self.ours.isEmpty || self.areApart(theirs: 0, ours: 0, at: .root, rule)
    }

    private func areApart(
        theirs: Int, ours: Int, at path: JSONPointer, _ rule: (JSONPointer) -> JSONMerge.FieldDecision?
    ) -> Bool {
        guard !self.theirs.list[theirs].isWhole, !self.ours.list[ours].isWhole, rule(path) == nil else { return false }
        var (their, our, added) = (theirs + 1, ours + 1, [Int]?.none)
        while our < self.ours.list[ours].end {
            let change = self.ours.list[our]
            if let match = self.match(of: change, from: &their, &added, in: theirs) {
                let path = self.ours.path(of: change, below: path)
                guard self.areApart(theirs: match, ours: our, at: path, rule) else { return false }
            }
            our = Int(change.end)
        }
        return true
    }

    /// The server's change for the key of a client's change. The server's additions to the object are found once, and only if
    /// the client added something.
    private func match(of change: Change, from their: inout Int, _ added: inout [Int]?, in theirs: Int) -> Int? {
        guard change.before == Change.nothing else {
            return self.theirs.change(ofKey: change.key, from: &their, in: theirs)
        }
        let additions = added ?? self.additions(in: theirs)
        added = additions
        return self.addition(ofKey: change.key, among: additions, in: theirs)
    }

    /// The changes of an object's members, each with the change of the other side for the same key: first those of the client,
    /// then those of the server only. ``MergeNode/unchanged`` is the index for a side without a change.
    ///
    /// Members of the base have the order of the base on both sides, so that the two lists are read side by side; additions
    /// follow them, and are looked up.
    func members(theirs: Int, ours: Int) -> [(theirs: Int, ours: Int)] {
        var members: [(theirs: Int, ours: Int)] = []
        members.reserveCapacity(8)
        var (their, added) = (theirs + 1, [Int]?.none)
        self.ours.forEachMember(of: ours) { place, change in
            let match = self.match(of: change, from: &their, &added, in: theirs)
            members.append((match ?? MergeNode.unchanged, place))
        }
        var our = ours + 1
        self.theirs.forEachMember(of: theirs) { place, change in
            let isInBase = change.before != Change.nothing
            let isTaken =
                isInBase
                ? self.ours.change(ofKey: change.key, from: &our, in: ours) != nil
                : self.clientHas(serverKey: change.key, in: ours)
            if !isTaken { members.append((place, MergeNode.unchanged)) }
        }
        return members
    }

    /// The server's addition for the key at an index of the client's tape.
    private func addition(ofKey key: Int32, among changes: [Int], in theirs: Int) -> Int? {
        let (server, client) = (self.theirs.after.tape, self.ours.after.tape)
        let object = Int(self.theirs.list[theirs].after)
        let found = server.read { server in client.read { server.key(Int(key), of: $0, in: object) } }
        guard let found else { return nil }
        var (low, high) = (0, changes.count)
        while low < high {
            let middle = (low + high) / 2
            if self.theirs.list[changes[middle]].key < found { low = middle + 1 } else { high = middle }
        }
        return low < changes.count && self.theirs.list[changes[low]].key == found ? changes[low] : nil
    }

    /// Sorted by the index of the key on the server's tape.
    private func additions(in theirs: Int) -> [Int] {
        var changes: [Int] = []
        self.theirs.forEachMember(of: theirs) { place, change in
            if change.before == Change.nothing { changes.append(place) }
        }
        return changes
    }

    private func clientHas(serverKey key: Int32, in ours: Int) -> Bool {
        let (server, client) = (self.theirs.after.tape, self.ours.after.tape)
        let object = Int(self.ours.list[ours].after)
        return client.read { client in server.read { client.key(Int(key), of: $0, in: object) } } != nil
    }
}

extension Changes {
    /// Visits the changes of an object's members.
    @inline(__always)
    fileprivate func forEachMember(of place: Int, _ body: (Int, Change) -> Void) {
        var next = place + 1
        while next < self.list[place].end {
            let change = self.list[next]
            body(next, change)
            next = Int(change.end)
        }
    }

    /// The change of the base's member with a key, searched from the last one that was found.
    fileprivate func change(ofKey key: Int32, from next: inout Int, in place: Int) -> Int? {
        while next < self.list[place].end, self.list[next].before != Change.nothing {
            let change = self.list[next]
            guard change.key < key else { return change.key == key ? next : nil }
            next = Int(change.end)
        }
        return nil
    }
}
