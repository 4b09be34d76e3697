/// A document while a patch is applied to it.
///
/// The document is changed in place: on the way down each value is removed from its container and set again on the way up, so
/// that copy-on-write finds one owner and an operation costs the length of its path, not the size of the document. A fault
/// leaves an incomplete value, which the caller discards.
struct PatchApplication {
    private(set) var document: JSON?
    private var budget: PatchBudget

    init(document: JSON?, limits: JSON.Limits) {
        self.document = document
        self.budget = PatchBudget(limits: limits)
    }

    mutating func carryOut(_ operation: JSONPatch.Operation) throws(PatchFault) {
        switch operation {
        case .add(let path, let value):
            try self.budget.admit(value, at: path)
            try self.add(value, at: path)
        case .remove(let path):
            _ = try self.remove(at: path)
        case .replace(let path, let value):
            try self.budget.admit(value, at: path)
            try self.replace(with: value, at: path)
        case .move(let from, let path):
            try self.move(from: from, to: path)
        case .copy(let from, let path):
            let value = try self.value(at: from)
            try self.budget.admit(copyOf: value, at: path)
            try self.add(value, at: path)
        case .test(let path, let value):
            try self.test(value, at: path)
        }
    }

    private mutating func add(_ value: JSON, at path: JSONPointer) throws(PatchFault) {
        guard !path.isRoot else {
            self.document = value
            return
        }
        let shifted = try self.edit(path) { (container, steps) throws(PatchFault) in
            try container.add(value, at: steps)
        }
        try self.budget.admit(shifted: shifted)
    }

    private mutating func remove(at path: JSONPointer) throws(PatchFault) -> JSON {
        guard !path.isRoot else {
            let removed = try self.value(at: path)
            self.document = nil
            return removed
        }
        let (removed, shifted) = try self.edit(path) { (container, steps) throws(PatchFault) in
            try container.remove(at: steps)
        }
        try self.budget.admit(shifted: shifted)
        return removed
    }

    private mutating func replace(with value: JSON, at path: JSONPointer) throws(PatchFault) {
        guard !path.isRoot else {
            _ = try self.value(at: path)
            self.document = value
            return
        }
        try self.edit(path) { (container, steps) throws(PatchFault) in try container.replace(with: value, at: steps) }
    }

    private mutating func move(from: JSONPointer, to path: JSONPointer) throws(PatchFault) {
        let value = try self.value(at: from)
        // To remove and add it at the same path would put the member last.
        guard from != path else { return }
        guard !from.isPrefix(of: path) else { throw .mismatch("a value can't be moved into itself") }
        if path.depth > from.depth { try self.budget.admit(copyOf: value, at: path) }
        try self.add(try self.remove(at: from), at: path)
    }

    private func test(_ expected: JSON, at path: JSONPointer) throws(PatchFault) {
        let value = try self.value(at: path)
        // In this order a small operation makes little work, however long the keys of the document are.
        guard expected == value else {
            throw PatchFault(
                code: .testFailed, reason: "the value there is \(value.excerpt), not \(expected.excerpt)")
        }
    }

    private func value(at path: JSONPointer) throws(PatchFault) -> JSON {
        guard let value = self.document?[pointer: path] else { throw .nothing(at: path.tokens) }
        return value
    }

    /// Passes the container of the last step to `body`, in place.
    private mutating func edit<Result>(
        _ path: JSONPointer, _ body: (inout JSON, Steps) throws(PatchFault) -> Result
    ) throws(PatchFault) -> Result {
        guard var document = self.document else { throw .mismatch("there is no document; add it at “” first") }
        self.document = nil
        let result = try document.edit(Steps(tokens: path.tokens), body)
        self.document = document
        return result
    }
}
