import TidemarkJSON
import TidemarkRules

/// Which collections refer to which, as a configuration declares it.
struct ReferenceGraph: Sendable {
    private var references: [CodePointString: CollectionReferences] = [:]

    /// The collections that refer to one, in their order.
    private var referring: [CodePointString: [CodePointString]] = [:]

    /// The declaration, as a text that is compared.
    let text: String

    /// - Parameter stored: The ``text`` of another declaration, which is used if the configuration has none; nil for none.
    /// - Throws: ``TidemarkError/Code/invalidQuery``.
    init(_ configuration: SyncConfiguration, orStored stored: String?) throws(TidemarkError) {
        guard configuration.rules.references.isEmpty else {
            throw TidemarkError(
                .invalidQuery,
                "The rules for all collections have references. Declare them for one collection: "
                    + "configuration[\"todos\"].references = [\"/list\": \"lists\"].")
        }
        var declared = configuration.collections.mapValues(\.references).filter { !$0.value.isEmpty }
        if declared.isEmpty, let stored { declared = Self.declaration(stored) }
        var text = JSONObject()
        for (name, members) in declared.sorted(by: { $0.key < $1.key }) {
            let references = try CollectionReferences(members, of: name.value)
            self.references[name] = references
            for target in references.targets { self.referring[target, default: []].append(name) }
            let sorted = members.sorted { CodePointString($0.key) < CodePointString($1.key) }
            text[name.value] = .object(JSONObject(sorted.map { ($0.key, JSON($0.value)) }))
        }
        self.text = declared.isEmpty ? "" : JSON.object(text).text
    }

    private static func declaration(_ text: String) -> [CodePointString: [String: String]] {
        guard let collections = (try? JSON(parsing: text))?.object else { return [:] }
        return collections.reduce(into: [:]) { declared, collection in
            for (pointer, target) in collection.1.object ?? JSONObject() {
                declared[CodePointString(collection.0), default: [:]][pointer] = target.string
            }
        }
    }

    var isEmpty: Bool { self.references.isEmpty }

    /// The collections that refer to another one, or to which one refers, in their order.
    var collections: [CodePointString] { Set(self.references.keys).union(self.referring.keys).sorted() }

    /// The references of a collection; nil if it has none.
    subscript(collection: CodePointString) -> CollectionReferences? { self.references[collection] }

    /// The collections that refer to one.
    func referring(to collection: CodePointString) -> [CodePointString] { self.referring[collection] ?? [] }

    /// Whether records of a collection name others, or are named.
    func involves(_ collection: CodePointString) -> Bool {
        self.references[collection] != nil || self.referring[collection] != nil
    }

    /// The names with each collection after those that it refers to; otherwise in their order, also in a ring.
    func parentsFirst(_ names: [String]) -> [String] {
        guard !self.isEmpty else { return names }
        let given = Dictionary(names.map { (CodePointString($0), $0) }, uniquingKeysWith: { first, _ in first })
        var (ordered, visited) = ([String](), Set<CodePointString>())
        // The number of collections is small, and each is visited once, so the depth is, too.
        func visit(_ name: CodePointString) {
            guard visited.insert(name).inserted else { return }
            for target in (self.references[name]?.targets ?? []).sorted() { visit(target) }
            if let text = given[name] { ordered.append(text) }
        }
        for name in names { visit(CodePointString(name)) }
        return ordered
    }
}
