public import TidemarkJSON
import TidemarkRules

/// Reads the parts of a rules file, and knows the position of each in the text.
struct RulesReader {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    private static let parts = ["tactic", "editDelete", "deleteEdit", "fields", "indexes", "references"]

    /// The rules of one collection.
    func rules(_ json: JSON, at path: JSONPointer, tactic: any Tactic) throws(JSONError) -> CollectionRules {
        let members = try self.object(json, at: path)
        try self.check(members, at: path, known: Self.parts)
        var rules = CollectionRules(tactic: try self.tactic(of: members, at: path) ?? tactic)
        if let fields = members["fields"] { rules.fields = try self.fields(fields, at: path.appending("fields")) }
        if let indexes = members["indexes"] { rules.indexes = try self.indexes(indexes, of: path) }
        if let references = members["references"] { rules.references = try self.references(references, of: path) }
        return rules
    }

    /// The references of a collection.
    private func references(_ json: JSON, of collection: JSONPointer) throws(JSONError) -> [String: String] {
        let path = collection.appending("references")
        var references: [String: String] = [:]
        for (pointer, target) in try self.object(json, at: path) {
            guard let name = target.string else {
                throw self.fault(
                    "the value is the name of a collection, as in {\"references\":{\"/list\":\"lists\"}}",
                    atValue: path.appending(pointer))
            }
            references[pointer] = name
            try self.check(at: path.appending(pointer)) { () throws(TidemarkError) in
                _ = try CollectionReferences([pointer: name], of: collection.lastToken ?? "")
            }
        }
        return references
    }

    /// The patterns and their rules, in their order.
    func fields(_ json: JSON, at path: JSONPointer) throws(JSONError) -> FieldRules {
        var rules = FieldRules()
        for (text, rule) in try self.object(json, at: path) {
            let pattern: PointerPattern
            do throws(TidemarkError) {
                pattern = try PointerPattern(text)
            } catch {
                throw self.fault(error.message, atKey: path.appending(text))
            }
            let field = FieldRules.Entry(pattern: pattern, rule: try self.rule(rule, at: path.appending(text)))
            rules.entries.append(field)
        }
        return rules
    }

    /// The indexes of a collection.
    private func indexes(_ json: JSON, of collection: JSONPointer) throws(JSONError) -> [RecordIndex] {
        let path = collection.appending("indexes")
        let shape = "as in {\"indexes\":[[\"/done\",\"/due\"],[\"/title\"]]}"
        guard let arrays = json.array else {
            throw self.fault("the indexes are an array of arrays, \(shape)", atValue: path)
        }
        var indexes: [RecordIndex] = []
        for (number, array) in arrays.enumerated() {
            let place = path.appending(String(number))
            guard let names = array.array, case let paths = names.compactMap(\.string), paths.count == names.count
            else {
                throw self.fault("an index is an array of JSON pointers, \(shape)", atValue: place)
            }
            for (step, text) in paths.enumerated() {
                try self.check(at: place.appending(String(step))) { () throws(TidemarkError) in
                    _ = try QueryPath(text, in: "The index")
                }
            }
            indexes.append(RecordIndex(paths))
            try self.check(at: place) { () throws(TidemarkError) in
                _ = try IndexKeys(indexes, of: collection.lastToken ?? "")
            }
        }
        return indexes
    }

    /// Adds the position of a value to the error of a check.
    private func check(at path: JSONPointer, _ check: () throws(TidemarkError) -> Void) throws(JSONError) {
        do throws(TidemarkError) { try check() } catch { throw self.fault(error.message, atValue: path) }
    }

    /// The members of a value that has to be an object.
    func object(_ json: JSON, at path: JSONPointer) throws(JSONError) -> JSONObject {
        guard let object = json.object else {
            let what = path.isRoot ? "the rules" : "“\(path.lastToken ?? "")”"
            throw self.fault("\(what) must be an object, as in {\"collections\":{\"notes\":{}}}", atValue: path)
        }
        return object
    }

    /// Refuses a member that is not known.
    func check(_ object: JSONObject, at path: JSONPointer, known: [String]) throws(JSONError) {
        for (name, _) in object where !known.contains(where: { CodePointString($0) == CodePointString(name) }) {
            throw self.fault(
                "“\(name)” is not known here; \(NearestName.hint(for: name, among: known))",
                atKey: path.appending(name))
        }
    }

    func fault(_ message: String, atKey path: JSONPointer) -> JSONError {
        JSONError(.rules, message, at: TextPlaces(of: self.bytes).key(path), of: self.bytes)
    }

    func fault(_ message: String, atValue path: JSONPointer) -> JSONError {
        JSONError(.rules, message, at: TextPlaces(of: self.bytes).value(path), of: self.bytes)
    }
}

extension JSONError.Code {
    /// A rules file has an unknown or invalid part.
    public static let rules = JSONError.Code("rules")
}
