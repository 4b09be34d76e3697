import Tidemark

/// `tidemark patch diff`: prints the patch from one file to another.
enum PatchDiffCommand: Command {
    static let name = "patch diff"
    static let summary = "print the RFC 6902 patch that makes B of A"
    static let parameters = [Parameter.required("A"), .required("B")]
    static let options: [Option] = []
    static let example = "tidemark patch diff before.json after.json"

    static func run(_ input: Arguments, _ console: Console) async throws -> ExitStatus {
        let before = try InputText(try input.required(0)).json(console)
        let after = try InputText(try input.required(1)).json(console)
        try console.print(bytes: JSONPatch.diff(from: before, to: after).bytes)
        return .success
    }
}

/// `tidemark patch apply`: prints a document after a patch.
enum PatchApplyCommand: Command {
    static let name = "patch apply"
    static let summary = "print a document after an RFC 6902 patch"
    static let parameters = [Parameter.required("DOC"), .required("PATCH")]
    static let options: [Option] = []
    static let example = "tidemark patch apply before.json patch.json"

    static func run(_ input: Arguments, _ console: Console) async throws -> ExitStatus {
        let document = try InputText(try input.required(0)).json(console)
        let text = try InputText(try input.required(1))
        let patch = try text.reading { (bytes) throws(JSONError) in try JSONPatch(parsing: bytes) }
        let result = try text.reading { (_) throws(JSONError) in try patch.apply(to: document) }
        guard let result else {
            console.say("The patch removes the document; nothing is left to print.")
            return .success
        }
        try console.print(bytes: result.bytes)
        return .success
    }
}

/// `tidemark patch merge`: merges what two sides made of one document.
enum PatchMergeCommand: Command {
    static let name = "patch merge"
    static let summary = "merge what a server and a client made of one document"
    static let parameters = [Parameter.required("BASE"), .required("SERVER"), .required("CLIENT")]
    static let options = [Self.rules]
    static let example = "tidemark patch merge base.json server.json client.json"

    private static let rules = Option(
        name: "--rules", value: "FILE", summary: #"which field follows which rule: {"/count":"sum"}"#)

    static func run(_ input: Arguments, _ console: Console) async throws -> ExitStatus {
        let base = try InputText(try input.required(0)).json(console)
        let server = try InputText(try input.required(1)).json(console)
        let client = try InputText(try input.required(2)).json(console)
        var fields = FieldRules()
        if let path = input.value(Self.rules) {
            fields = try InputText(path).reading { (bytes) throws(JSONError) in try RulesFile.fields(parsing: bytes) }
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
