import Tidemark

/// `tidemark json canonical`: prints the canonical form of RFC 8785.
enum JSONCanonicalCommand: Command {
    static let name = "json canonical"
    static let summary = "print the canonical form of a JSON file (RFC 8785)"
    static let parameters = [Parameter.required("FILE", .file)]
    static let example = "tidemark json canonical notes.json"

    static func run(_ input: Arguments, _ console: Console) async throws -> ExitStatus {
        let text = try InputText(try input.required(0), console)
        let value = try text.json(console)
        let bytes = try text.reading { (_) throws(JSONError) in try value.canonicalBytes() }
        try console.print(bytes: bytes, end: "")
        return .success
    }
}
