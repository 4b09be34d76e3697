import Tidemark

/// `tidemark patch apply`: applies a patch to a document, and prints the result.
enum PatchApplyCommand: Command {
    static let name = "patch apply"
    static let summary = "apply an RFC 6902 patch to a document, and print the result"
    static let parameters = [Parameter.required("DOC", .file), .required("PATCH", .file)]
    static let example = "tidemark patch apply before.json patch.json"

    static func run(_ input: Arguments, _ console: Console) async throws -> ExitStatus {
        let document = try InputText(try input.required(0), console).json(console)
        let text = try InputText(try input.required(1), console)
        let patch = try text.reading { (bytes) throws(JSONError) in try JSONPatch(parsing: bytes) }
        let result = try text.reading { (_) throws(JSONError) in try patch.apply(to: document) }
        guard let result else {
            console.say("The patch removes the document, so there is no output.")
            return .success
        }
        try console.print(bytes: result.bytes)
        return .success
    }
}
