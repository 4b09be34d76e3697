import Tidemark
import TidemarkRulesFile

/// `tidemark patch merge`: merges two changed versions of one document.
enum PatchMergeCommand: Command {
    static let name = "patch merge"
    static let summary = "merge a server's and a client's changes to one document"
    static let parameters = [Parameter.required("BASE", .file), .required("SERVER", .file), .required("CLIENT", .file)]
    static let options = [Self.rules]
    static let example = "tidemark patch merge base.json server.json client.json"

    private static let rules = Option(
        name: "--rules", value: "FILE", summary: #"the rule of each field: {"/count":"sum"}"#, kind: .file)

    static func run(_ input: Arguments, _ console: Console) async throws -> ExitStatus {
        let base = try InputText(try input.required(0), console).json(console)
        let server = try InputText(try input.required(1), console).json(console)
        let client = try InputText(try input.required(2), console).json(console)
        var fields = FieldRules()
        if let path = input.value(Self.rules) {
            fields = try InputText(path, console).reading { (bytes) throws(JSONError) in
                try RulesFile.fields(parsing: bytes)
            }
        }
        let merge = fields.merge(base: base, server: server, client: client)
        var line = JSONLine()
        line.add("merged", merge.merged)
        line.add("edited_data", raw: merge.patch.bytes)
        line.add("clashes", JSON.array(merge.clashes.map(\.json)))
        try console.print(bytes: line.bytes)
        return merge.undecided.isEmpty ? .success : .conflict
    }
}
