extension JSONPatch {
    /// The document after all operations, in their order (RFC 6902 §5): all of them, or none and an error.
    ///
    /// A document of nil says that there is no record: only an `add` at the root makes one, and a `remove` at the root
    /// gives nil. Members that are not touched keep their place and their text; new members go to the end.
    ///
    /// What is copied is counted against `limits.bytes` and nesting against `limits.nestingDepth`, so that a few
    /// `copy` operations can't fill the memory.
    ///
    /// - Throws: `JSONError` with the code `.patch`, `.testFailed`, `.nesting` or `.tooLarge`, naming the operation by
    ///   number (from 1) and name, its pointer and the reason.
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

    /// The document after all operations, where that is done in one pass over it; nil where it has to be done one by one.
    private func spliced(into document: JSON?, limits: JSON.Limits) -> JSON? {
        guard !self.isEmpty, case .tape(let tape, let place) = document?.storage else { return nil }
        return self.spliced(into: tape, at: Int(place), nestingDepth: limits.nestingDepth)
    }

    /// Up to this many bytes a copy costs less than taking the document apart.
    private static let spliceLimit = 64 * 1024

    /// The same of an object on a tape.
    func spliced(into tape: Tape, at root: Int, nestingDepth: Int = .max) -> JSON? {
        tape.read { view in
            guard view[root].kind == TapeNode.Kind.object, view[root].length <= Self.spliceLimit else { return nil }
            switch self.storage {
            case .operations(let operations):
                return TapeSplice.apply(
                    OperationEdits(operations: operations), to: view, at: root, nestingDepth: nestingDepth)
            case .changes(let changes):
                return changes.read { TapeSplice.apply($0, to: view, at: root, nestingDepth: nestingDepth) }
            }
        }
    }
}
