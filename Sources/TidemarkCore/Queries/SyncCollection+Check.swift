import TidemarkJSON
public import TidemarkRules

extension SyncCollection where Value: Encodable {
    /// Compares the rules and the indexes of the collection, and the paths of its queries, with the type. A path with a typo compiles,
    /// and does nothing: call this in a unit test.
    ///
    /// ```swift
    /// try await notes.check(Note(title: "Milk", done: true), fields: [Field.done.path])
    /// ```
    ///
    /// - Parameters:
    ///   - example: A value with all members: each optional has a value, and each array an element.
    ///   - fields: The paths of queries.
    /// - Throws: ``TidemarkError/Code/invalidName``, with each path that the example does not have, and its place;
    ///   ``TidemarkError/Code/invalidContent`` if the example does not become a JSON object, or if the type can't read it.
    public func check(_ example: Value, fields: [String] = []) async throws(TidemarkError) {
        let content = try JSON.content(encoding: example, dates: self.dates)
        _ = try content.content(as: Value.self, dates: self.dates)
        let rules = try await self.client.rules(of: self.name)
        var declared = rules.fields.entries.map { ("the rule", $0.pattern.description) }
        declared += rules.indexes.flatMap(\.paths).map { ("the index", $0) }
        declared += fields.map { ("the query", $0) }
        var missing: [String] = []
        for (what, path) in declared {
            let pattern = try PointerPattern(path)
            if !pattern.matches(aValueOf: content) { missing.append("\(what) \(path)") }
        }
        guard !missing.isEmpty else { return }
        throw TidemarkError(
            .invalidName,
            """
            The example of \(self.name), a \(Value.self), has no value for \(missing.joined(separator: ", ")): correct the path, or \
            give the example a value there.
            """)
    }
}
