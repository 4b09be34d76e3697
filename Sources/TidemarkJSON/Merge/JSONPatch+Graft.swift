extension JSONPatch {
    /// Returns the document after this canonical patch, which was made for this document: no operation can fail.
    func grafted(onto document: JSON?) -> JSON? {
        if !self.isEmpty, case .tape(let tape, let place) = document?.storage,
            let merged = self.spliced(into: tape, at: Int(place))
        {
            return merged
        }
        var document = document
        for operation in self.operations {
            let path = operation.path.tokens[...]
            if path.isEmpty {
                document = operation.value
            } else {
                document?.graft(operation.value, at: path)
            }
        }
        return document
    }
}

extension JSON {
    /// Sets `value` at the end of the path, or removes the value there if it is nil; in place, see `edit`.
    fileprivate mutating func graft(_ value: JSON?, at path: ArraySlice<String>) {
        guard var members = self.members, let token = path.first else { return }
        self = .null
        if path.count == 1 {
            members[token] = value
        } else if var child = members[token] {
            members[token] = JSON.null
            child.graft(value, at: path.dropFirst())
            members[token] = child
        }
        self = JSON(storage: .members(members))
    }
}
