import Tidemark

/// `tidemark completions`: prints a script with which bash completes the tool's command lines.
enum CompletionsCommand: Command {
    static let name = "completions"
    static let summary = "print the completions for bash"
    static let example = "eval \"$(tidemark completions)\""

    static func run(_ input: Arguments, _ console: Console) async throws -> ExitStatus {
        for line in BashCompletions(Commands.all).lines { try console.print(line) }
        return .success
    }
}
