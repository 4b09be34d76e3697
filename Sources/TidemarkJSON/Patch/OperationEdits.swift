/// The operations of a patch as edits of a tape.
struct OperationEdits: TapeEdits {
    let operations: [JSONPatch.Operation]

    func edits(of view: TapeView, at root: Int, nestingDepth: Int) -> [TapeEdit]? {
        var edits: [TapeEdit] = []
        edits.reserveCapacity(self.operations.count)
        for (number, operation) in self.operations.enumerated() {
            guard operation.value?.nests(atMost: nestingDepth - operation.path.depth) ?? true,
                let edit = Self.edit(operation, number, of: view, at: root)
            else { return nil }
            edits.append(edit)
        }
        edits.sort { $0 < $1 }
        return self.areApart(edits, on: view) ? edits : nil
    }

    func hasValue(_ number: Int) -> Bool { self.operations[number].value != nil }

    func appendKey(_ number: Int, to builder: inout TapeBuilder) {
        builder.append(key: JSONString(self.operations[number].path.lastToken ?? ""))
    }

    func appendValue(_ number: Int, to builder: inout TapeBuilder) {
        builder.append(self.operations[number].value ?? .null)
    }

    private static func edit(
        _ operation: JSONPatch.Operation, _ number: Int, of view: TapeView, at root: Int
    ) -> TapeEdit? {
        let path: JSONPointer
        let mayBeNew: Bool
        switch operation {
        case .add(let place, _): (path, mayBeNew) = (place, true)
        case .replace(let place, _), .remove(let place): (path, mayBeNew) = (place, false)
        case .move, .copy, .test: return nil
        }
        guard let (object, value) = Self.find(path, on: view, from: root) else { return nil }
        return TapeEdit(number, of: object, on: view, value: value, mayBeNew: mayBeNew)
    }

    /// The object of a path's last step, and the value there, if all steps are names of members.
    private static func find(_ path: JSONPointer, on view: TapeView, from root: Int) -> (object: Int, value: Int?)? {
        var text = path.text
        return text.withUTF8 { text in
            guard !text.isEmpty, unsafe !text.contains(UInt8(ascii: "~")) else { return nil }
            var object = root
            var start = 1
            while true {
                guard view[object].kind == TapeNode.Kind.object else { return nil }
                let end = unsafe text[start...].firstIndex(of: UInt8(ascii: "/")) ?? text.count
                let value = unsafe view.member(
                    named: UnsafeBufferPointer(rebasing: text[start..<end]), of: object)
                guard end < text.count else { return (object, value) }
                guard let value else { return nil }
                object = value
                start = end + 1
            }
        }
    }

    /// Whether no edit is inside another's value, and no name is added twice.
    private func areApart(_ edits: [TapeEdit], on view: TapeView) -> Bool {
        var replaced = 0..<0
        var added: Set<JSONPointer> = []
        for edit in edits {
            guard !replaced.contains(edit.isNew ? edit.object : edit.place) else { return false }
            if edit.isNew {
                let path = self.operations[edit.number].path
                guard added.insert(path).inserted else { return false }
            } else {
                replaced = edit.place..<edit.place + view.size(edit.place)
            }
        }
        return true
    }
}
