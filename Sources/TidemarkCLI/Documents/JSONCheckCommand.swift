import Tidemark

/// `tidemark json check`: says whether a file is JSON.
enum JSONCheckCommand: Command {
    static let name = "json check"
    static let summary = "say whether a file is JSON, and where it is not"
    static let parameters = [Parameter.required("FILE", .file)]
    static let options: [Option] = []
    static let example = "tidemark json check notes.json"

    static func run(_ input: Arguments, _ console: Console) async throws -> ExitStatus {
        let text = try InputText(try input.required(0), console)
        do throws(CommandFailure) {
            _ = try text.json(console)
            return .success
        } catch {
            // As compilers print it, so that an editor can jump there.
            console.say(error.description)
            return .failure
        }
    }
}
