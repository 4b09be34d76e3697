import Tidemark

/// `tidemark patch diff`: prints the patch from one file to another.
enum PatchDiffCommand: Command {
    static let name = "patch diff"
    static let summary = "print the RFC 6902 patch that changes A into B"
    static let parameters = [Parameter.required("A", .file), .required("B", .file)]
    static let example = "tidemark patch diff before.json after.json"

    static func run(_ input: Arguments, _ console: Console) async throws -> ExitStatus {
        let before = try InputText(try input.required(0), console).json(console)
        let after = try InputText(try input.required(1), console).json(console)
        try console.print(bytes: JSONPatch.diff(from: before, to: after).bytes)
        return .success
    }
}
