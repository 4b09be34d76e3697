/// Puts values in place of others on a copy of a tape, in one pass: what lies between them is copied as it is.
///
/// It carries out patches as they are made of a diff: members that come, go and change, none inside of another. Whatever
/// else a patch says is left to ``PatchApplication``, which also words what is wrong.
@safe struct TapeSplice: ~Copyable {
    /// Up to this many bytes a copy costs less than taking the document apart.
    static let limit = 64 * 1024

    /// One member that changes.
    private struct Edit {
        /// The object it is in.
        let object: Int
        /// The value there is; of a new member the last node of the object.
        let place: Int
        let isNew: Bool
        let operation: Int
    }

    private let view: TapeView
    private let operations: [JSONPatch.Operation]
    private var edits: [Edit] = []
    private var next = 0
    private var builder: TapeBuilder

    /// The document after the operations; nil if they are not of that kind.
    static func apply(_ operations: [JSONPatch.Operation], to tape: Tape, at root: Int) -> JSON? {
        tape.read { view in
            guard view[root].kind == TapeNode.Kind.object, view[root].length <= TapeSplice.limit else { return nil }
            return TapeBuilder.with(nodes: view.size(root) + 16, bytes: view[root].length + 64) {
                (builder: consuming TapeBuilder) in
                var splice = TapeSplice(view, operations, builder)
                guard splice.gather(root) else { return nil }
                splice.copy(root)
                return JSON(storage: .tape(splice.builder.tape, 0))
            }
        }
    }

    private init(_ view: TapeView, _ operations: [JSONPatch.Operation], _ builder: consuming TapeBuilder) {
        self.view = view
        self.operations = operations
        self.builder = builder
        self.edits.reserveCapacity(operations.count)
    }

    // MARK: Where the edits are

    private mutating func gather(_ root: Int) -> Bool {
        for (index, operation) in self.operations.enumerated() {
            guard let edit = self.edit(operation, index, root) else { return false }
            self.edits.append(edit)
        }
        self.edits.sort { left, right in
            if left.place != right.place { return left.place < right.place }
            if left.isNew != right.isNew { return right.isNew }
            // Of two objects that end together the inner one ends first.
            return left.object == right.object ? left.operation < right.operation : left.object > right.object
        }
        return self.areApart
    }

    private func edit(_ operation: JSONPatch.Operation, _ index: Int, _ root: Int) -> Edit? {
        let path: JSONPointer
        let mayBeNew: Bool
        switch operation {
        case .add(let place, _): (path, mayBeNew) = (place, true)
        case .replace(let place, _), .remove(let place): (path, mayBeNew) = (place, false)
        case .move, .copy, .test: return nil
        }
        guard let (object, value) = self.find(path, from: root) else { return nil }
        if let value { return Edit(object: object, place: value, isNew: false, operation: index) }
        guard mayBeNew else { return nil }
        return Edit(
            object: object, place: object + self.view.size(object) - 1, isNew: true, operation: index)
    }

    /// The object that a path's last step is in, and the value there, if all of it are names of members.
    private func find(_ path: JSONPointer, from root: Int) -> (object: Int, value: Int?)? {
        var text = path.text
        return text.withUTF8 { text in
            guard !text.isEmpty, unsafe !text.contains(UInt8(ascii: "~")) else { return nil }
            var object = root
            var start = 1
            while true {
                guard self.view[object].kind == TapeNode.Kind.object else { return nil }
                let end = unsafe text[start...].firstIndex(of: UInt8(ascii: "/")) ?? text.count
                let value = unsafe self.view.member(
                    named: UnsafeBufferPointer(rebasing: text[start..<end]), of: object)
                guard end < text.count else { return (object, value) }
                guard let value else { return nil }
                object = value
                start = end + 1
            }
        }
    }

    /// Whether no edit is inside of another's value, and no name is added twice.
    private var areApart: Bool {
        var replaced = 0..<0
        var added: [JSONPointer] = []
        for edit in self.edits {
            guard !replaced.contains(edit.isNew ? edit.object : edit.place) else { return false }
            if edit.isNew {
                let path = self.operations[edit.operation].path
                guard added.count < 16, !added.contains(path) else { return false }
                added.append(path)
            } else {
                replaced = edit.place..<edit.place + self.view.size(edit.place)
            }
        }
        return true
    }

    // MARK: The copy

    private mutating func copy(_ object: Int) {
        let open = self.builder.open(TapeNode.Kind.object)
        var count = 0
        var key = object + 1
        var unchanged = key
        for _ in 0..<self.view[object].count {
            let end = key + 1 + self.view.size(key + 1)
            guard self.isChanged(upTo: end, in: object) else {
                count += 1
                key = end
                continue
            }
            self.builder.append(members: unchanged..<key, of: object, on: self.view)
            if self.changeMember(key, of: object) { count += 1 }
            key = end
            unchanged = end
        }
        self.builder.append(members: unchanged..<key, of: object, on: self.view)
        count += self.addMembers(to: object)
        self.builder.close(open, count: count)
    }

    /// Whether the next edit is before a place; what is added to the object itself, or around it, comes behind all members.
    private func isChanged(upTo end: Int, in object: Int) -> Bool {
        guard self.next < self.edits.count else { return false }
        let edit = self.edits[self.next]
        return edit.place < end && (!edit.isNew || edit.object > object)
    }

    /// Says whether the member is still there.
    private mutating func changeMember(_ key: Int, of object: Int) -> Bool {
        let edit = self.edits[self.next]
        guard edit.object == object else {
            self.builder.append(key: key, of: self.view)
            self.copy(key + 1)
            return true
        }
        self.next += 1
        guard let value = self.operations[edit.operation].value else { return false }
        self.builder.append(key: key, of: self.view)
        self.builder.append(value)
        return true
    }

    private mutating func addMembers(to object: Int) -> Int {
        var count = 0
        while self.next < self.edits.count, self.edits[self.next].isNew, self.edits[self.next].object == object {
            let operation = self.operations[self.edits[self.next].operation]
            self.builder.append(key: JSONString(operation.path.lastToken ?? ""))
            self.builder.append(operation.value ?? .null)
            self.next += 1
            count += 1
        }
        return count
    }
}
