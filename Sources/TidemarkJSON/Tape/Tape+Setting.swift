extension Tape {
    /// Returns the object at a position with a member set, or removed by a value of nil; nil if it is faster to convert it to
    /// members.
    ///
    /// An object on which many members are set one after the other must not be copied for each of them. So it is copied only
    /// while it is small, as most records that users edit are: a record that is still a tape need not be copied to one to be
    /// compared.
    func setting(_ key: String, to value: JSON?, of object: Int) -> JSON? {
        guard value?.isSmall ?? true else { return nil }
        return self.read { view in
            guard view[object].kind == TapeNode.Kind.object, view.isSmall(object) else { return nil }
            return TapeSplice.apply(MemberEdit(key: key, value: value), to: view, at: object, nestingDepth: .max)
        }
    }
}

/// One member that an app sets.
private struct MemberEdit: TapeEdits {
    let key: String
    let value: JSON?

    func edits(of view: TapeView, at root: Int, nestingDepth: Int) -> [TapeEdit]? {
        TapeEdit(0, of: root, on: view, value: view.member(self.key, of: root), mayBeNew: self.value != nil).map {
            [$0]
        }
    }

    func hasValue(_ number: Int) -> Bool { self.value != nil }

    func appendKey(_ number: Int, to builder: inout TapeBuilder) {
        builder.append(key: JSONString(self.key))
    }

    func appendValue(_ number: Int, to builder: inout TapeBuilder) {
        if let value = self.value { builder.append(value) }
    }
}

extension TapeView {
    /// Whether a copy costs no more than a conversion to members.
    fileprivate func isSmall(_ place: Int) -> Bool { self[place].length <= 1_024 && self.size(place) <= 128 }
}

extension JSON {
    /// Whether a copy of the new value costs little. A container that is not on a tape counts as large, since it would
    /// have to be searched.
    fileprivate var isSmall: Bool {
        switch self.storage {
        case .null, .bool: true
        case .number(let number): number.text.utf8.count <= 1_024
        case .string(let string): string.source.utf8.count <= 1_024
        case .array, .members: false
        case .tape(let tape, let place): tape.read { $0.isSmall(Int(place)) }
        }
    }
}
