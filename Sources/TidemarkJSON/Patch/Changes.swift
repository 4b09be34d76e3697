/// The changes between two documents, the outer ones before the inner ones.
final class Changes: Sendable {
    /// A value on a tape, or no value.
    struct Side: Sendable {
        let tape: Tape
        let place: Int32

        init(_ json: JSON?) {
            guard let json else {
                (self.tape, self.place) = (.empty, Change.nothing)
                return
            }
            let (tape, place) = json.onTape
            (self.tape, self.place) = (tape, Int32(truncatingIfNeeded: place))
        }

        /// Whether there is a value.
        var isThere: Bool { self.place != Change.nothing }

        /// A value of the same tape; nil for ``Change/nothing``.
        func value(_ place: Int32) -> JSON? {
            place == Change.nothing ? nil : self.tape.read { JSON(self.tape, $0, Int(place)) }
        }
    }

    /// The maximum number of bytes of the paths of all changes.
    static let pathBytes = 16 * 1024 * 1024

    /// The maximum size of a document, text and nodes, that stored changes keep in memory.
    private static let keptBytes = 16 * 1024

    let before: Side
    let after: Side
    let list: [Change]

    /// Returns the changes from one value to the other; nil is no value.
    ///
    /// The values are at a path; if the paths of the changes inside an object would have more than ``pathBytes`` in total, the
    /// object is one value as well. Otherwise a thousand members below a key of a megabyte would each repeat the key.
    static func between(_ before: JSON?, _ after: JSON?, at path: JSONPointer) -> Changes {
        Changes(Side(before), Side(after), prefix: path.text.utf8.count, limit: Changes.pathBytes)
    }

    /// Returns the changes from one value to the other without paths; objects are always compared key by key.
    static func nested(_ before: JSON?, _ after: JSON?) -> Changes {
        Changes(Side(before), Side(after), prefix: 0, limit: .max)
    }

    private init(_ before: Side, _ after: Side, prefix: Int, limit: Int) {
        self.before = before
        self.after = after
        self.list = Changes.list(before, after, prefix: prefix, limit: limit)
    }

    private static func list(_ before: Side, _ after: Side, prefix: Int, limit: Int) -> [Change] {
        guard before.isThere, after.isThere else {
            let whole = Change(
                key: Change.nothing, before: before.place, after: after.place, isWhole: true, end: 1)
            return before.isThere || after.isThere ? [whole] : []
        }
        return before.tape.read { old in
            after.tape.read { new in
                var walk = ChangeWalk(before: old, after: new, limit: limit)
                _ = walk.visit(Int(before.place), Int(after.place), key: Int(Change.nothing), prefix: prefix)
                return walk.list
            }
        }
    }

    /// Whether nothing changed.
    var isEmpty: Bool { self.list.isEmpty }

    /// Whether anything was removed.
    var hasRemovals: Bool { self.list.contains { $0.isWhole && $0.after == Change.nothing } }

    /// Whether the changes may be stored instead of their result: they keep both documents in memory.
    var mayBeKept: Bool {
        self.before.tape.byteCount <= Changes.keptBytes
            && self.after.tape.byteCount <= Changes.keptBytes
    }

    /// Passes a view of the changes to `body`, valid only during the call.
    @inline(__always)
    func read<Result>(_ body: (ChangesView) -> Result) -> Result {
        self.before.tape.read { before in
            self.after.tape.read { after in body(ChangesView(list: self.list, before: before, after: after)) }
        }
    }

    /// The indexes in the list of the changes of an object's members.
    func members(of place: Int) -> [Int] {
        var members: [Int] = []
        var next = place + 1
        while next < self.list[place].end {
            members.append(next)
            next = Int(self.list[next].end)
        }
        return members
    }

    /// The value before a change.
    func valueBefore(_ change: Change) -> JSON? { self.before.value(change.before) }

    /// The value after a change.
    func valueAfter(_ change: Change) -> JSON? { self.after.value(change.after) }

    /// The name of the member that changed.
    func key(_ change: Change) -> String {
        self.sideOfKey(change).tape.read { $0.string($0[Int(change.key)]) }
    }

    /// The path of the member that changed; for the root the path itself.
    func path(of change: Change, below path: JSONPointer) -> JSONPointer {
        guard change.key != Change.nothing else { return path }
        return self.sideOfKey(change).tape.read { path.appending(key: $0[Int(change.key)], of: $0) }
    }

    private func sideOfKey(_ change: Change) -> Side {
        change.before == Change.nothing ? self.after : self.before
    }
}
