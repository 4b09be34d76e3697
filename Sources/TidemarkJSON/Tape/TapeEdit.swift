/// One member of an object on a tape that changes.
struct TapeEdit {
    /// The object it is in.
    let object: Int

    /// The value there is; of a new member the last node of the object.
    let place: Int

    /// Whether it has to be added.
    let isNew: Bool

    /// The number that its source knows it by.
    let number: Int

    /// Puts a value in place of one, or adds a member to an object where there is none and one may be added.
    init?(_ number: Int, of object: Int, on view: TapeView, value: Int?, mayBeNew: Bool) {
        guard value != nil || mayBeNew else { return nil }
        self.object = object
        self.place = value ?? object + view.size(object) - 1
        self.isNew = value == nil
        self.number = number
    }
}

/// What tells ``TapeSplice`` what to change.
protocol TapeEdits {
    /// The edits of the object at a place, in the order of the document, none inside of another's value; nil if what there
    /// is to do is not of that kind, or nests values deeper than so.
    func edits(of view: TapeView, at root: Int, nestingDepth: Int) -> [TapeEdit]?

    /// Whether there is a value after an edit; if not, the member goes.
    func hasValue(_ number: Int) -> Bool

    /// Lays down the key of a member that is added.
    func appendKey(_ number: Int, to builder: inout TapeBuilder)

    /// Lays down the value after an edit.
    func appendValue(_ number: Int, to builder: inout TapeBuilder)
}

extension [TapeEdit] {
    /// Puts the edits in the order of the document; what is new in an object comes in an order of its own.
    mutating func sort(newOnes isBefore: (Int, Int) -> Bool) {
        func precedes(_ left: TapeEdit, _ right: TapeEdit) -> Bool {
            if left.place != right.place { return left.place < right.place }
            if left.isNew != right.isNew { return right.isNew }
            // Of two objects that end together the inner one ends first.
            return left.object == right.object ? isBefore(left.number, right.number) : left.object > right.object
        }
        var place = 1
        while place < self.count, !precedes(self[place], self[place - 1]) { place += 1 }
        if place < self.count { self.sort(by: precedes) }
    }
}
