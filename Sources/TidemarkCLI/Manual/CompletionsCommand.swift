import Tidemark

/// `tidemark completions`: prints a script with which a shell completes the tool's command lines.
enum CompletionsCommand: Command {
    static let name = "completions"
    static let summary = "print the completions for bash, zsh or fish"
    static let parameters = [Parameter.required("SHELL", .choice(Shell.allCases.map(\.rawValue)))]
    static let options: [Option] = []
    static let example = "eval \"$(tidemark completions bash)\""

    static func run(_ input: Arguments, _ console: Console) async throws -> ExitStatus {
        let name = try input.required(0)
        guard let shell = Shell(rawValue: name) else {
            let hint = NearestName.hint(for: name, among: Shell.allCases.map(\.rawValue))
            throw UsageError("\(name) is not a shell with completions; \(hint)", for: Self.self)
        }
        for line in shell.lines(for: Commands.all) { try console.print(line) }
        return .success
    }
}

/// A shell with completions.
enum Shell: String, CaseIterable {
    case bash, zsh, fish

    /// The script for the shell, line by line.
    func lines(for commands: [any Command.Type]) -> [String] {
        switch self {
        case .bash: BashCompletions(commands).lines
        case .zsh: ZshCompletions(commands).lines
        case .fish: FishCompletions(commands).lines
        }
    }
}
