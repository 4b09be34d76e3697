public import TidemarkJSON
public import TidemarkRules

/// The rules of collections, for conflicts, indexes and references, written as a file (Contract §8, "Rules file").
///
/// ```json
/// {"collections": {"notes": {"tactic": "autoMerge", "editDelete": "editWins", "deleteEdit": "ask",
///                            "fields": {"/tags": "union", "/count": "sum", "/lines": {"keyed": "id"},
///                                       "/body": {"latest": "/typed_at"}, "/price": "ask"},
///                            "indexes": [["/done", "/due"], ["/tags/*"]], "references": {"/list": "lists"}}}}
/// ```
///
/// A collection without a `tactic` has the given tactic; with a delete policy and without a tactic it merges.
/// Of `fields` the first pattern that matches decides.
public struct RulesFile: Sendable {
    /// The rules of each collection that the file names.
    public var collections: [CodePointString: CollectionRules]

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - bytes: The whole text.
    ///   - tactic: The tactic of a collection that names none.
    /// - Throws: `JSONError` with line and column of the error, and the name that was probably meant.
    public init(parsing bytes: [UInt8], tactic: any Tactic = .autoMerge) throws(JSONError) {
        let reader = RulesReader(bytes)
        let file = try reader.object(try JSON(parsing: bytes), at: .root)
        try reader.check(file, at: .root, known: ["collections"])
        self.collections = [:]
        guard let named = file["collections"] else { return }
        let path = JSONPointer.root.appending("collections")
        for (name, rules) in try reader.object(named, at: path) {
            self.collections[CodePointString(name)] = try reader.rules(rules, at: path.appending(name), tactic: tactic)
        }
    }

    /// Reads the inner object `fields` alone.
    ///
    /// - Throws: `JSONError` with line and column of the error, and the name that was probably meant.
    public static func fields(parsing bytes: [UInt8]) throws(JSONError) -> FieldRules {
        try RulesReader(bytes).fields(try JSON(parsing: bytes), at: .root)
    }
}
