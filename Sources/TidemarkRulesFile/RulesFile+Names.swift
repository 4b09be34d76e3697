import TidemarkJSON
import TidemarkRules

// The names that a rules file may use (Contract §4, §8).

extension RulesReader {
    private static let tactics = ["autoMerge", "takeServer", "takeClient", "askUser"]
    private static let rules = [
        "client", "server", "whole", "min", "max", "sum", "union", "list", "keyed", "text", "latest", "ask",
    ]

    /// A name of a rules file as options spell it: `take-server` for `takeServer`.
    private static func dashed(_ name: String) -> String {
        name.reduce(into: "") { $0 += $1.isUppercase ? "-\($1.lowercased())" : String($1) }
    }

    /// Returns the tactic for the members `tactic`, `editDelete` and `deleteEdit`; nil when none of them exists.
    func tactic(of members: JSONObject, at path: JSONPointer) throws(JSONError) -> (any Tactic)? {
        let name = try members["tactic"].map { (json) throws(JSONError) in
            let place = path.appending("tactic")
            // Also as the option --tactic has it, "take-server".
            if let name = json.string, let own = Self.tactics.first(where: { Self.dashed($0) == name }) { return own }
            return try self.name(json, at: place, what: "a tactic", known: Self.tactics)
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
                "“\(member)” can be used only with autoMerge; \(name) decides about deletes as about everything else",
                atKey: path.appending(member))
        case "takeServer": return TakeServer()
        case "takeClient": return TakeClient()
        case .some: return AskUser()
        }
    }

    private func policy(
        _ member: String, of members: JSONObject, at path: JSONPointer
    ) throws(JSONError) -> AutoMerge.DeletePolicy? {
        guard let json = members[member] else { return nil }
        let known = AutoMerge.DeletePolicy.allCases.map(\.rawValue)
        return AutoMerge.DeletePolicy(
            rawValue: try self.name(json, at: path.appending(member), what: "a delete policy", known: known))
    }

    /// The rule of one field.
    func rule(_ json: JSON, at path: JSONPointer) throws(JSONError) -> any FieldRule {
        guard let members = json.object else {
            return try self.rule(try self.name(json, at: path, what: "a field rule", known: Self.rules), at: path)
        }
        guard members.count == 1, let (key, argument) = Array(members).first else {
            throw self.fault(
                "a field rule is a string, such as \"sum\", or one of {\"keyed\":\"id\"} and {\"latest\":\"/seen\"}",
                atValue: path)
        }
        let inner = path.appending(key)
        switch try self.known(key, at: inner, isKey: true, what: "a field rule", known: Self.rules) {
        case "keyed":
            guard let key = argument.string else {
                throw self.fault("“keyed” takes the name of a member, as in {\"keyed\":\"id\"}", atValue: inner)
            }
            return FieldRules.Keyed(key)
        case "latest": return try self.latest(argument, at: inner)
        case let name:
            throw self.fault("“\(name)” has no argument: write it as a string, in place of the object", atKey: inner)
        }
    }

    /// The rule that a string names.
    private func rule(_ name: String, at path: JSONPointer) throws(JSONError) -> any FieldRule {
        switch name {
        case "client", "whole": return FieldRules.Client()
        case "server": return FieldRules.Server()
        case "min": return FieldRules.Extreme(.smallest)
        case "max": return FieldRules.Extreme(.largest)
        case "sum": return FieldRules.Sum()
        case "union": return FieldRules.Union()
        case "list": return FieldRules.List()
        case "text": return FieldRules.Text()
        case "ask": return FieldRules.Ask()
        case "keyed":
            throw self.fault("“keyed” needs the name of a member, as in {\"keyed\":\"id\"}", atValue: path)
        default: throw self.fault("“latest” needs a JSON pointer, as in {\"latest\":\"/seen\"}", atValue: path)
        }
    }

    private func latest(_ json: JSON, at path: JSONPointer) throws(JSONError) -> FieldRules.Latest {
        let hint = "“latest” takes a JSON pointer from the record's root, as in {\"latest\":\"/seen\"}"
        guard let text = json.string else { throw self.fault(hint, atValue: path) }
        let rule = FieldRules.Latest(by: text)
        guard rule.pointer != nil else { throw self.fault("“\(text)” is not a JSON pointer; \(hint)", atValue: path) }
        return rule
    }

    /// Reads a string that has to be one of some names.
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
        let message = "“\(name)” is not \(what); \(NearestName.hint(for: name, among: known))"
        throw isKey ? self.fault(message, atKey: path) : self.fault(message, atValue: path)
    }
}
