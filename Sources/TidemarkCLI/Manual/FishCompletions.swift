/// Completions for fish.
struct FishCompletions {
    let lines: [String]

    init(_ commands: [any Command.Type]) {
        let names = CommandNames(commands)
        var lines = ["complete -c tidemark -f"]
        for name in names.first {
            lines.append(Self.line("__fish_use_subcommand", ["-a \(name.word)"], name.summary))
        }
        for group in names.groups {
            let words = group.second.map(\.word).joined(separator: " ")
            let isOpen = "__fish_seen_subcommand_from \(group.word); and not __fish_seen_subcommand_from \(words)"
            for name in group.second { lines.append(Self.line(isOpen, ["-a \(name.word)"], name.summary)) }
        }
        for command in commands {
            let isHere = Commands.words(of: command).map { "__fish_seen_subcommand_from \($0)" }
                .joined(separator: "; and ")
            for option in command.options {
                let name = "-l \(option.name.dropFirst(2))"
                lines.append(Self.line(isHere, [name] + Self.value(option), option.summary))
            }
            for parameter in command.parameters.prefix(1) {
                switch parameter.kind {
                case .choice(let words):
                    lines.append(Self.line(isHere, ["-a \(words.joined(separator: " ").inShellQuotes)"], nil))
                case .command:
                    let words = names.first.map(\.word).joined(separator: " ")
                    lines.append(Self.line(isHere, ["-a \(words.inShellQuotes)"], nil))
                case .text, .collection, .file, .store, .json: break
                }
            }
            if command.parameters.contains(where: { $0.kind == .file }) { lines.append(Self.line(isHere, ["-F"], nil)) }
        }
        lines.append("complete -c tidemark -l help -d 'describe a command'")
        lines.append("complete -c tidemark -n __fish_use_subcommand -l version -d 'print the version'")
        self.lines = lines
    }

    private static func line(_ condition: String, _ words: [String], _ summary: String?) -> String {
        let summary = summary.map { ["-d \($0.inShellQuotes)"] } ?? []
        return (["complete -c tidemark -n \(condition.inShellQuotes)"] + words + summary).joined(separator: " ")
    }

    private static func value(_ option: Option) -> [String] {
        guard option.value != nil else { return [] }
        switch option.kind {
        case .file, .store: return ["-r -F"]
        case .choice(let words): return ["-x -a \(words.joined(separator: " ").inShellQuotes)"]
        case .text, .collection, .json, .command: return ["-x"]
        }
    }
}
