import TidemarkJSON

// The names that a rules file may use (SPEC §4, §8).

extension RulesReader {
    private static let tactics = ["autoMerge", "takeServer", "takeClient", "askUser"]
    private static let rules = [
        "client", "server", "min", "max", "sum", "union", "list", "keyed", "text", "latest", "ask",
    ]

    /// What the members `tactic`, `editDelete` and `deleteEdit` say; nil when none of them is there.
    func tactic(of members: JSONObject, at path: JSONPointer) throws(JSONError) -> (any Tactic)? {
        let name = try members["tactic"].map { (json) throws(JSONError) in
            try self.name(json, at: path.appending("tactic"), what: "a tactic", known: Self.tactics)
        }
        let editDelete = try self.policy("editDelete", of: members, at: path)
        let deleteEdit = try self.policy("deleteEdit", of: members, at: path)
        let hasPolicy = editDelete != nil || deleteEdit != nil
        switch name {
        case nil where !hasPolicy: return nil
        case nil, "autoMerge":
            return AutoMerge(editDelete: editDelete ?? .editWins, deleteEdit: deleteEdit ?? .editWins)
        case .some(let name) where hasPolicy:
            let member = editDelete == nil ? "deleteEdit" : "editDelete"
            throw self.fault(
                "\"\(member)\" belongs to autoMerge; \(name) decides about deletes as about everything else",
                atKey: path.appending(member))
        case "takeServer": return TakeServer()
        case "takeClient": return TakeClient()
        case .some: return AskUser()
        }
    }

    private func policy(
        _ member: String, of members: JSONObject, at path: JSONPointer
    ) throws(JSONError) -> DeletePolicy? {
        guard let json = members[member] else { return nil }
        let known = DeletePolicy.allCases.map(\.rawValue)
        return DeletePolicy(
            rawValue: try self.name(json, at: path.appending(member), what: "a delete policy", known: known))
    }

    /// The rule of one field.
    func rule(_ json: JSON, at path: JSONPointer) throws(JSONError) -> any FieldRule {
        let name: String
        if let (key, _) = json.object.flatMap({ $0.count == 1 ? Array($0).first : nil }) {
            name = try self.known(key, at: path.appending(key), isKey: true, what: "a field rule", known: Self.rules)
        } else {
            name = try self.name(json, at: path, what: "a field rule", known: Self.rules)
        }
        switch (name, json.object == nil) {
        case ("client", true): return ClientFieldRule()
        case ("server", true): return ServerFieldRule()
        case ("client", false), ("server", false):
            throw self.fault("\"\(name)\" is written as a string, \"\(name)\"", atValue: path)
        default:
            throw self.fault(
                "the field rule \"\(name)\" is not available in this version; \"client\" and \"server\" are",
                atValue: path)
        }
    }

    /// A string that has to be one of some names.
    private func name(
        _ json: JSON, at path: JSONPointer, what: String, known: [String]
    ) throws(JSONError) -> String {
        guard let name = json.string else {
            throw self.fault("\(what) is a string: \(known.joined(separator: ", "))", atValue: path)
        }
        return try self.known(name, at: path, isKey: false, what: what, known: known)
    }

    private func known(
        _ name: String, at path: JSONPointer, isKey: Bool, what: String, known: [String]
    ) throws(JSONError) -> String {
        if let match = known.first(where: { CodePointString($0) == CodePointString(name) }) { return match }
        let message = "\"\(name)\" is not \(what); \(NearestName.hint(for: name, among: known))"
        throw isKey ? self.fault(message, atKey: path) : self.fault(message, atValue: path)
    }
}
