extension JSONPatch {
    /// Returns the document after all operations, in their order (RFC 6902 §5). If one fails, none is applied and an error is
    /// thrown.
    ///
    /// A document of nil means that there is no record: only an `add` at the root creates one, and a `remove` at the root
    /// returns nil. Members that the patch does not name keep their position and their text; new members go to the end.
    ///
    /// Copied values count against `limits.bytes` and nesting against `limits.nestingDepth`, so that a few `copy` operations
    /// can't fill the memory.
    ///
    /// - Throws: `JSONError` with the code `.patch`, `.testFailed`, `.nesting` or `.tooLarge`, and the number (from 1) and name
    ///   of the operation, its pointer and the reason.
    public func apply(to document: JSON?, limits: JSON.Limits = .default) throws(JSONError) -> JSON? {
        if let document = self.spliced(into: document, limits: limits) { return document }
        var application = PatchApplication(document: document, limits: limits)
        let operations = self.operations
        for (index, operation) in operations.enumerated() {
            do {
                try application.carryOut(operation)
            } catch {
                throw error.error(of: operation, number: index + 1, count: operations.count)
            }
        }
        return application.document
    }

    /// The document after all operations if one pass over it can apply them; nil if they have to be applied one by one.
    private func spliced(into document: JSON?, limits: JSON.Limits) -> JSON? {
        guard !self.isEmpty, case .tape(let tape, let place) = document?.storage else { return nil }
        return self.spliced(into: tape, at: Int(place), nestingDepth: limits.nestingDepth)
    }

    /// A copy of the document costs less than splitting it into containers if it has this many bytes for each operation, and for
    /// eight more.
    private static let splicedBytes = 8 * 1024

    /// The object on a tape after all operations; nil if they have to be applied one by one.
    func spliced(into tape: Tape, at root: Int, nestingDepth: Int = .max) -> JSON? {
        tape.read { view in
            let count = view[root].length / Self.splicedBytes - 8
            guard view[root].kind == TapeNode.Kind.object else { return nil }
            switch self.storage {
            case .operations(let operations):
                guard operations.count >= count else { return nil }
                return TapeSplice.apply(
                    OperationEdits(operations: operations), to: view, at: root, nestingDepth: nestingDepth)
            case .changes(let changes):
                guard changes.list.count >= count else { return nil }
                return changes.read { TapeSplice.apply($0, to: view, at: root, nestingDepth: nestingDepth) }
            }
        }
    }
}
