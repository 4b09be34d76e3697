/// One member of an object on a tape that changes.
struct TapeEdit {
    /// The object that contains it.
    let object: Int

    /// The index of the present value; for a new member that of the last node of the object.
    let place: Int

    /// Whether it has to be added.
    let isNew: Bool

    /// The number of this edit in the source of the edits.
    let number: Int

    /// Replaces a value, or adds a member to an object if it has none and one may be added.
    init?(_ number: Int, of object: Int, on view: TapeView, value: Int?, mayBeNew: Bool) {
        guard value != nil || mayBeNew else { return nil }
        self.object = object
        self.place = value ?? object + view.size(object) - 1
        self.isNew = value == nil
        self.number = number
    }
}

/// A source of edits for ``TapeSplice``.
protocol TapeEdits {
    /// Returns the edits of the object at an index, in the order of the document, none inside another's value; nil if the
    /// change has another form, or nests values deeper than the limit.
    func edits(of view: TapeView, at root: Int, nestingDepth: Int) -> [TapeEdit]?

    /// Whether there is a value after an edit; if not, the member is removed.
    func hasValue(_ number: Int) -> Bool

    /// Appends the key of a member that is added.
    func appendKey(_ number: Int, to builder: inout TapeBuilder)

    /// Appends the value after an edit.
    func appendValue(_ number: Int, to builder: inout TapeBuilder)
}

extension [TapeEdit] {
    /// Sorts the edits in the order of the document; the new members of an object are sorted by `isBefore`.
    mutating func sort(newOnes isBefore: (Int, Int) -> Bool) {
        func precedes(_ left: TapeEdit, _ right: TapeEdit) -> Bool {
            if left.place != right.place { return left.place < right.place }
            if left.isNew != right.isNew { return right.isNew }
            // Of two objects that end at the same position the inner one ends first.
            return left.object == right.object ? isBefore(left.number, right.number) : left.object > right.object
        }
        var place = 1
        while place < self.count, !precedes(self[place], self[place - 1]) { place += 1 }
        if place < self.count { self.sort(by: precedes) }
    }
}
