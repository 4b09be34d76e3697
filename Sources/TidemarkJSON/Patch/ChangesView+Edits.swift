extension ChangesView: TapeEdits {
    func edits(of view: TapeView, at root: Int, nestingDepth: Int) -> [TapeEdit]? {
        var edits: [TapeEdit] = []
        edits.reserveCapacity(self.list.count)
        guard self.gather(0, of: view, at: root, nestingDepth: nestingDepth, to: &edits) else { return nil }
        guard edits.count > ChangeOrder.few else {
            edits.sort { self.precedes($0, $1) }
            return edits
        }
        let places = self.placesOfNew(edits)
        edits.sort { left, right in
            guard let place = places[left], let other = places[right] else { return self.precedes(left, right) }
            return place < other
        }
        return edits
    }

    /// The rank of each added member among those added to the same object, by its number: computed once, and not at each
    /// comparison.
    private func placesOfNew(_ edits: [TapeEdit]) -> [Int: Int] {
        var places: [Int: Int] = [:]
        for new in Dictionary(grouping: edits.lazy.filter(\.isNew), by: \.object).values {
            for (place, number) in self.sorted(new.map(\.number)).enumerated() { places[number] = place }
        }
        return places
    }

    func hasValue(_ number: Int) -> Bool { self.list[number].after != Change.nothing }

    func appendKey(_ number: Int, to builder: inout TapeBuilder) {
        let key = Int(self.list[number].key)
        if self.after[key].has(TapeNode.Flag.escapes) {
            // Escaped as in a pointer.
            builder.append(key: JSONString(self.after.string(self.after[key])))
        } else {
            builder.append(key: key, of: self.after)
        }
    }

    func appendValue(_ number: Int, to builder: inout TapeBuilder) {
        builder.append(self.after, Int(self.list[number].after))
    }

    /// Collects the changed members of an object. Their keys are distinct, so that no edit is inside another edit's value.
    private func gather(
        _ number: Int, of view: TapeView, at object: Int, nestingDepth: Int, to edits: inout [TapeEdit]
    ) -> Bool {
        guard !self.list[number].isWhole, view[object].kind == TapeNode.Kind.object else { return false }
        let end = Int(self.list[number].end)
        var next = number + 1
        while next < end {
            let change = self.list[next]
            let value = view.key(Int(change.key), of: self.sideOfKey(change), in: object).map { $0 + 1 }
            if change.isWhole {
                guard self.nests(change, atMost: nestingDepth - 1),
                    let edit = TapeEdit(
                        next, of: object, on: view, value: value, mayBeNew: change.before == Change.nothing)
                else { return false }
                edits.append(edit)
            } else {
                guard let value, self.gather(next, of: view, at: value, nestingDepth: nestingDepth - 1, to: &edits)
                else { return false }
            }
            next = Int(change.end)
        }
        return true
    }

    private func nests(_ change: Change, atMost depth: Int) -> Bool {
        change.after == Change.nothing || self.after.nests(Int(change.after), atMost: depth)
    }
}
