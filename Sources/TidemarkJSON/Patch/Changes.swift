/// The changes between two documents, the outer ones before the inner ones.
final class Changes: Sendable {
    /// A value on a tape, or none.
    struct Side: Sendable {
        let tape: Tape
        let place: Int32

        init(_ json: JSON?) {
            guard let json else {
                (self.tape, self.place) = (.ofNothing, Change.nothing)
                return
            }
            let (tape, place) = json.onTape
            (self.tape, self.place) = (tape, Int32(truncatingIfNeeded: place))
        }

        /// Whether there is a value.
        var isThere: Bool { self.place != Change.nothing }

        /// A value of the same tape, or nil where there is none.
        func value(_ place: Int32) -> JSON? {
            place == Change.nothing ? nil : self.tape.read { JSON(self.tape, $0, Int(place)) }
        }
    }

    /// How many bytes the paths of the changes may have together.
    static let pathBytes = 16 * 1024 * 1024

    /// So large a document may be, text and nodes, that changes which are kept hold in memory.
    private static let keptBytes = 16 * 1024

    let before: Side
    let after: Side
    let list: [Change]

    /// The changes from one value to the other; a value of nil is no value.
    ///
    /// The values lie at a path; where the paths of what changed inside would be longer together than ``pathBytes``, an
    /// object is one value as well. Below a key of a megabyte each of a thousand members would repeat it.
    static func between(_ before: JSON?, _ after: JSON?, at path: JSONPointer) -> Changes {
        Changes(Side(before), Side(after), prefix: path.text.utf8.count, limit: Changes.pathBytes)
    }

    /// The changes from one value to the other where no paths are written, and objects are always compared key by key.
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

    /// Whether the changes may be kept in place of what is made of them: they hold both documents in memory.
    var mayBeKept: Bool {
        self.before.tape.byteCount <= Changes.keptBytes
            && self.after.tape.byteCount <= Changes.keptBytes
    }

    /// Lets `body` look at the changes, and no longer than that.
    @inline(__always)
    func read<Result>(_ body: (ChangesView) -> Result) -> Result {
        self.before.tape.read { before in
            self.after.tape.read { after in body(ChangesView(list: self.list, before: before, after: after)) }
        }
    }

    /// The places in the list of the changes of an object's members.
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

    /// The path of the member that changed; that of the root is the path itself.
    func path(of change: Change, below path: JSONPointer) -> JSONPointer {
        guard change.key != Change.nothing else { return path }
        return self.sideOfKey(change).tape.read { path.appending(key: $0[Int(change.key)], of: $0) }
    }

    private func sideOfKey(_ change: Change) -> Side {
        change.before == Change.nothing ? self.after : self.before
    }
}
