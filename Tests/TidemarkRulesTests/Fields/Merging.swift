import TidemarkCore
import TidemarkJSON
import TidemarkRules

/// The outcome of a rule for the field `/f`: its value, and the paths that clash.
struct Merging: Equatable, CustomStringConvertible {
    let value: JSON?
    let clashes: [String]

    init(_ value: JSON?, clashes: [String] = []) {
        self.value = value
        self.clashes = clashes
    }

    var description: String { "\(self.value?.text ?? "nothing"), clashes \(self.clashes)" }
}

/// Merges a record with one field `/f` by the rules for the field and for the places inside of it.
func merging(
    _ rule: any FieldRule, inside: [(String, any FieldRule)] = [], base: JSON?, server: JSON?, client: JSON?
) throws -> Merging {
    let merge = try mergeOfRecord(rule, inside: inside, base: base, server: server, client: client)
    return Merging(merge.merged?["f"], clashes: merge.clashes.map(\.path.text))
}

func mergeOfRecord(
    _ rule: any FieldRule, inside: [(String, any FieldRule)] = [], base: JSON?, server: JSON?, client: JSON?
) throws -> JSONMerge {
    let rules = try FieldRules([("/f", rule)] + inside.map { ("/f" + $0.0, $0.1) })
    return rules.merge(base: record(base), server: record(server), client: record(client))
}

private func record(_ value: JSON?) -> JSON {
    var object: JSONObject = ["other": true]
    object["f"] = value
    return .object(object)
}
