extension Tape {
    /// The object at a place with a member set, or removed by a value of nil; nil where it is quicker to take it apart.
    ///
    /// An object that is set many members one after the other must not be copied for each of them. So it is copied only while it
    /// is small, and what a person edits is: a record that stays a tape has not to be laid onto one to be compared.
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
    /// Whether copying it costs no more than taking it apart.
    fileprivate func isSmall(_ place: Int) -> Bool { self[place].length <= 1_024 && self.size(place) <= 128 }
}

extension JSON {
    /// The same of a value that is put in. What is no scalar and on no tape is not looked through for it.
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
