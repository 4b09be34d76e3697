/// What is different between two values at one path.
///
/// Objects are compared key by key; anything else, arrays too, is one value (SPEC §4). Both the canonical patch and the
/// merge read these changes, so that they can't differ about what a change is.
struct Change {
    /// Stands where there is no value, and for the key of the root.
    static let nothing: Int32 = -1

    /// The place of the key: on the tape before if there was a value, else on the tape after.
    let key: Int32

    /// The place of the value before, or ``nothing``.
    let before: Int32

    /// The place of the value after, or ``nothing``.
    let after: Int32

    /// Whether the value came, went, or was put in place of another; if not, an object stayed an object, and the changes of
    /// its members follow.
    var isWhole: Bool

    /// Behind the changes of its members, in the list that both are in.
    var end: Int32
}

/// The changes between two documents, the outer ones before the inner ones.
struct Changes {
    /// A value on a tape.
    struct Side {
        let tape: Tape
        let place: Int

        init?(_ json: JSON?) {
            guard let json else { return nil }
            (self.tape, self.place) = json.onTape
        }

        /// A value of the same tape, or nil where there is none.
        func value(_ place: Int32) -> JSON? {
            place == Change.nothing ? nil : self.tape.read { JSON(self.tape, $0, Int(place)) }
        }
    }

    /// How many bytes the paths of the changes may have together.
    static let pathBytes = 16 * 1024 * 1024

    let before: Side?
    let after: Side?
    private(set) var list: [Change] = []

    /// The changes from one value to the other; a value of nil is no value.
    ///
    /// The values lie at a path; where the paths of what changed inside would be longer together than ``pathBytes``, an
    /// object is one value as well. Below a key of a megabyte each of a thousand members would repeat it.
    static func between(_ before: JSON?, _ after: JSON?, at path: JSONPointer) -> Changes {
        Changes(before, after, prefix: path.text.utf8.count, limit: Changes.pathBytes)
    }

    /// The changes from one value to the other where no paths are written, and objects are always compared key by key.
    static func nested(_ before: JSON?, _ after: JSON?) -> Changes {
        Changes(before, after, prefix: 0, limit: .max)
    }

    private init(_ before: JSON?, _ after: JSON?, prefix: Int, limit: Int) {
        self.before = Side(before)
        self.after = Side(after)
        guard let old = self.before, let new = self.after else {
            if self.before != nil || self.after != nil {
                let (left, right) = (
                    self.before.map { Int32($0.place) } ?? Change.nothing,
                    self.after.map { Int32($0.place) } ?? Change.nothing
                )
                self.list = [Change(key: Change.nothing, before: left, after: right, isWhole: true, end: 1)]
            }
            return
        }
        self.list = old.tape.read { before in
            new.tape.read { after in
                var walk = ChangeWalk(before: before, after: after, limit: limit)
                _ = walk.visit(old.place, new.place, key: Int(Change.nothing), prefix: prefix)
                return walk.list
            }
        }
    }

    /// Whether nothing changed.
    var isEmpty: Bool { self.list.isEmpty }

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
    func valueBefore(_ change: Change) -> JSON? { self.before?.value(change.before) }

    /// The value after a change.
    func valueAfter(_ change: Change) -> JSON? { self.after?.value(change.after) }

    /// The name of the member that changed.
    func key(_ change: Change) -> String {
        let side = change.before == Change.nothing ? self.after : self.before
        return side?.tape.read { $0.string($0[Int(change.key)]) } ?? ""
    }

    /// The path of the member that changed.
    func path(of change: Change, below path: JSONPointer) -> JSONPointer {
        let side = change.before == Change.nothing ? self.after : self.before
        return side?.tape.read { path.appending(key: $0[Int(change.key)], of: $0) } ?? path
    }

    /// Appends the paths of a change: the outermost ones.
    func appendPaths(of place: Int, below path: JSONPointer, to paths: inout [JSONPointer]) {
        guard !self.list[place].isWhole else {
            paths.append(path)
            return
        }
        var next = place + 1
        while next < self.list[place].end {
            self.appendPaths(of: next, below: self.path(of: self.list[next], below: path), to: &paths)
            next = Int(self.list[next].end)
        }
    }

    /// Appends the operations that make what is after of what was before.
    func appendOperations(of place: Int, at path: JSONPointer, to operations: inout [JSONPatch.Operation]) {
        let change = self.list[place]
        guard !change.isWhole else {
            operations.append(self.operation(change, at: path))
            return
        }
        var next = place + 1
        while next < change.end {
            self.appendOperations(of: next, at: self.path(of: self.list[next], below: path), to: &operations)
            next = Int(self.list[next].end)
        }
    }

    private func operation(_ change: Change, at path: JSONPointer) -> JSONPatch.Operation {
        guard let after = self.valueAfter(change) else { return .remove(path) }
        return change.before == Change.nothing ? .add(path, after) : .replace(path, after)
    }
}
