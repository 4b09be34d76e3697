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
    public func apply(to document: JSON?, limits: JSONLimits = .default) throws(JSONError) -> JSON? {
        if let document = self.spliced(into: document, limits: limits) { return document }
        var application = PatchApplication(document: document, limits: limits)
        for (index, operation) in self.operations.enumerated() {
            do {
                try application.carryOut(operation)
            } catch {
                throw error.error(of: operation, number: index + 1, count: self.operations.count)
            }
        }
        return application.document
    }

    /// The document after all operations, where that is done in one pass over it; nil where it has to be done one by one.
    private func spliced(into document: JSON?, limits: JSONLimits) -> JSON? {
        guard !self.isEmpty, case .tape(let tape, let place) = document?.storage else { return nil }
        let fits = self.operations.allSatisfy { operation in
            operation.value?.nests(atMost: limits.nestingDepth - operation.path.depth) ?? true
        }
        return fits ? TapeSplice.apply(self.operations, to: tape, at: Int(place)) : nil
    }
}
