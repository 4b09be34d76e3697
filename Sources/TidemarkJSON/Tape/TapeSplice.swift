/// Replaces values on a copy of a tape, in one pass: the bytes between them are copied unchanged.
///
/// It applies patches as a diff makes them: members that are added, removed and changed, none inside another. Any other patch
/// is left to ``PatchApplication``, which also describes errors.
@safe struct TapeSplice<Source: TapeEdits>: ~Copyable {
    private let view: TapeView
    private let source: Source
    private let edits: [TapeEdit]
    private var next = 0
    private var builder: TapeBuilder

    /// The document after the edits; nil if the change has another form, or nests values deeper than the limit.
    static func apply(_ source: Source, to view: TapeView, at root: Int, nestingDepth: Int) -> JSON? {
        guard let edits = source.edits(of: view, at: root, nestingDepth: nestingDepth) else { return nil }
        return TapeBuilder.with(nodes: view.size(root) + 16, bytes: view[root].length + 64) {
            (builder: consuming TapeBuilder) in
            var splice = TapeSplice(view, source, edits, builder)
            splice.copy(root)
            return JSON(storage: .tape(splice.builder.tape, 0))
        }
    }

    private init(_ view: TapeView, _ source: Source, _ edits: [TapeEdit], _ builder: consuming TapeBuilder) {
        self.view = view
        self.source = source
        self.edits = edits
        self.builder = builder
    }

    private mutating func copy(_ object: Int) {
        let open = self.builder.open(TapeNode.Kind.object)
        var count = self.view[object].count
        var unchanged = object + 1
        while let key = self.nextKey(in: object, from: unchanged) {
            self.builder.append(members: unchanged..<key, of: object, on: self.view)
            if !self.changeMember(key, of: object) { count -= 1 }
            unchanged = key + 1 + self.view.size(key + 1)
        }
        self.builder.append(members: unchanged..<self.view.childrenEnd(object), of: object, on: self.view)
        count += self.addMembers(to: object)
        self.builder.close(open, count: count)
    }

    /// The key of the next member that changes, or nil; additions to the object itself follow all its members.
    private func nextKey(in object: Int, from first: Int) -> Int? {
        guard self.next < self.edits.count else { return nil }
        let edit = self.edits[self.next]
        if edit.object == object { return edit.isNew ? nil : edit.place - 1 }
        guard edit.object > object, edit.place < object + self.view.size(object) else { return nil }
        var key = first
        while key + 1 + self.view.size(key + 1) <= edit.place { key += 1 + self.view.size(key + 1) }
        return key
    }

    /// Returns whether the member still exists.
    private mutating func changeMember(_ key: Int, of object: Int) -> Bool {
        let edit = self.edits[self.next]
        guard edit.object == object else {
            self.builder.append(key: key, of: self.view)
            self.copy(key + 1)
            return true
        }
        self.next += 1
        guard self.source.hasValue(edit.number) else { return false }
        self.builder.append(key: key, of: self.view)
        self.source.appendValue(edit.number, to: &self.builder)
        return true
    }

    private mutating func addMembers(to object: Int) -> Int {
        var count = 0
        while self.next < self.edits.count, self.edits[self.next].isNew, self.edits[self.next].object == object {
            let number = self.edits[self.next].number
            self.source.appendKey(number, to: &self.builder)
            self.source.appendValue(number, to: &self.builder)
            self.next += 1
            count += 1
        }
        return count
    }
}
