import Tidemark

/// All commands, and the choice of one by its name.
enum Commands {
    /// The commands as `help` prints them: first the five commands that a new user needs, then by topic.
    static let sections: [(title: String, commands: [any Command.Type])] = [
        ("Start here", [DemoCommand.self, ServeCommand.self, InitCommand.self, CreateCommand.self, SyncCommand.self]),
        (
            "Data",
            [
                GetCommand.self, ListCommand.self, EditCommand.self, DeleteCommand.self, ImportCommand.self,
                ExportCommand.self,
            ]
        ),
        ("Sync", [RunCommand.self, StatusCommand.self, ForgetCommand.self]),
        (
            "Conflicts",
            [
                ConflictsCommand.self, ResolveCommand.self, JournalCommand.self, RestoreCommand.self,
                RetryCommand.self,
                ResignCommand.self,
            ]
        ),
        ("Diagnose", [ExplainCommand.self, InspectCommand.self, TraceCommand.self, CheckCommand.self]),
        (
            "Server",
            [
                AccountAddCommand.self, AccountListCommand.self, AccountRemoveCommand.self, TokenAddCommand.self,
                TokenListCommand.self, TokenRevokeCommand.self, BackupCommand.self, ConformCommand.self,
            ]
        ),
        (
            "JSON tools",
            [
                JSONCheckCommand.self, JSONCanonicalCommand.self, PatchDiffCommand.self, PatchApplyCommand.self,
                PatchMergeCommand.self,
            ]
        ),
        ("Help and shell", [HelpCommand.self, CompletionsCommand.self]),
        ("For contributors", [ReplayCommand.self]),
    ]

    /// The commands of all sections, in order.
    static let all: [any Command.Type] = Self.sections.flatMap(\.commands)

    /// Runs the command that the arguments name.
    static func run(_ words: [String], _ console: Console) async throws -> ExitStatus {
        switch words.first {
        case nil:
            throw UsageError(
                "no command is given",
                advice: ["usage:   tidemark COMMAND …", "         tidemark help lists the commands"])
        case "--help", "-h":
            return try HelpCommand.list(console)
        case "--version":
            try console.print(TidemarkTool.version)
            return .success
        case .some(let first) where Self.asksForHelp(words.dropFirst()) && !Self.group(first).isEmpty:
            return try HelpCommand.describe(group: Self.group(first), console)
        case .some:
            let command = try Self.command(of: words)
            let rest = words.dropFirst(Self.words(of: command).count)
            if rest.prefix(while: { $0 != "--" }).contains(where: Self.isHelp) {
                return try HelpCommand.describe(command, console)
            }
            return try await command.run(try Arguments(rest, for: command), console)
        }
    }

    /// The commands that share this first word; empty for a command of one word.
    static func group(_ first: String) -> [any Command.Type] {
        Self.all.filter { $0.name.utf8.starts(with: "\(first) ".utf8) }
    }

    private static func asksForHelp(_ words: ArraySlice<String>) -> Bool { words.first.map(Self.isHelp) ?? false }

    private static func isHelp(_ word: String) -> Bool { word == "--help" || word == "-h" }

    /// The command that the first words name.
    static func command(of words: [String]) throws(UsageError) -> any Command.Type {
        let first = words.first ?? ""
        let second = words.dropFirst().first ?? ""
        for command in Self.all where command.name == first || command.name == "\(first) \(second)" {
            return command
        }
        let group = Self.group(first)
        throw group.isEmpty ? Self.unknown(first) : Self.unknown(second, in: group, first)
    }

    private static func unknown(_ name: String) -> UsageError {
        let names = Self.all.map { Self.words(of: $0)[0] }
        let nearest = NearestName.of(name, among: names).map { "; did you mean \($0)?" } ?? ""
        return UsageError("unknown command \(name)\(nearest)", advice: ["tidemark help lists the commands"])
    }

    /// The error for a second word that is missing or unknown.
    private static func unknown(_ second: String, in group: [any Command.Type], _ first: String) -> UsageError {
        let names = group.map { Self.words(of: $0)[1] }
        let usages = group.map { "usage:   \($0.usage)" }
        guard !second.isEmpty, second.utf8.first != UInt8(ascii: "-") else {
            return UsageError("\(first) needs one of: \(names.joined(separator: ", "))", advice: usages)
        }
        let hint = NearestName.hint(for: second, among: names)
        return UsageError("unknown command \(first) \(second); \(hint)", advice: usages)
    }

    static func words(of command: any Command.Type) -> [String] {
        // own text: the names of the commands
        command.name.split(separator: " ").map(String.init)
    }
}
