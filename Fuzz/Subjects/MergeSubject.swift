import TidemarkRules
import TidemarkJSON
import TidemarkRulesFile

/// The rules of fields, the base, the server's document and the client's, one on a line (Contract §4, R12). A line that is no
/// JSON is "there is no record"; rules that are none leave everything to the client.
enum MergeSubject {
    static func examine(_ input: [UInt8]) {
        let lines = input.lines
        guard lines.count >= 4 else { return }
        let rules = (try? RulesFile.fields(parsing: Array(lines[0]))) ?? FieldRules()
        let documents = lines[1...3].map { try? JSON(parsing: $0) }
        self.examine(rules, base: documents[0], server: documents[1], client: documents[2])
    }

    private static func examine(_ rules: FieldRules, base: JSON?, server: JSON?, client: JSON?) {
        let merge = rules.merge(base: base, server: server, client: client)
        law("a merge comes out the same again") {
            rules.merge(base: base, server: server, client: client) == merge
        }
        law("the patch that is left to send turns the server's document into the merged one") {
            try merge.patch.apply(to: server) == merge.merged
        }
        law("where the client changed nothing, the server's document stands") {
            rules.merge(base: base, server: server, client: base).merged == server
        }
        law("where the server changed nothing, the client's document stands") {
            rules.merge(base: base, server: base, client: client).merged == client
        }
        // Of a sum, equal changes are two changes.
        if !rules.entries.contains(where: { $0.rule.isAdditive }) {
            law("two equal sides are merged to what they are, without a clash") {
                let equal = rules.merge(base: base, server: client, client: client)
                return equal.merged == client && equal.clashes.isEmpty
            }
        }
    }
}
