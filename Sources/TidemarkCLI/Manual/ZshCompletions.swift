/// Completions for zsh.
struct ZshCompletions {
    let lines: [String]

    init(_ commands: [any Command.Type]) {
        let names = CommandNames(commands)
        var lines = [
            "#compdef tidemark",
            "_tidemark() {",
            "    local -a words_of_it",
            "    local command=$words[2]",
            "    if (( CURRENT == 2 )); then",
            "        words_of_it=(\(Self.described(names.first)))",
            "        _describe command words_of_it",
            "        return",
            "    fi",
            "    shift words; (( CURRENT-- ))",
            "    case $command in",
        ]
        for group in names.groups {
            lines += [
                "        \(group.word))",
                "            if (( CURRENT == 2 )); then",
                "                words_of_it=(\(Self.described(group.second)))",
                "                _describe command words_of_it",
                "                return",
                "            fi",
                "            command=\"$command $words[2]\"",
                "            shift words; (( CURRENT-- )) ;;",
            ]
        }
        lines += ["    esac", "    case $command in"]
        for command in commands {
            let specs =
                command.options.map(Self.spec) + ["'--help[describe it]'"]
                + Self.specs(command.parameters, names)
            lines.append("        \(command.name.inShellQuotes)) _arguments \(specs.joined(separator: " ")) ;;")
        }
        lines += [
            "    esac", "}",
            "if [ \"$funcstack[1]\" = _tidemark ]; then _tidemark; else compdef _tidemark tidemark; fi",
        ]
        self.lines = lines
    }

    private static func described(_ words: [(word: String, summary: String)]) -> String {
        // own text: the help
        words.map { "\($0.word):\($0.summary.replacing(":", with: "\\:"))".inShellQuotes }.joined(separator: " ")
    }

    private static func spec(_ option: Option) -> String {
        let text = "\(option.isRepeated ? "*" : "")\(option.name)[\(Self.plain(option.summary))]"
        return option.value.map { "\(text):\(Self.plain($0)):\(Self.action(option.kind, nil))".inShellQuotes }
            ?? text.inShellQuotes
    }

    private static func specs(_ parameters: [Parameter], _ names: CommandNames) -> [String] {
        parameters.enumerated().map { place, parameter in
            let start: String
            switch parameter.number {
            case .once: start = "\(place + 1):"
            case .atMostOnce: start = "\(place + 1)::"
            case .anyTimes: start = "*:"
            }
            return "\(start)\(Self.plain(parameter.name)):\(Self.action(parameter.kind, names))".inShellQuotes
        }
    }

    private static func action(_ kind: WordKind, _ names: CommandNames?) -> String {
        switch kind {
        case .file, .store: "_files"
        case .choice(let words): "(\(words.joined(separator: " ")))"
        case .command: "(\(names?.first.map(\.word).joined(separator: " ") ?? ""))"
        case .text, .collection, .json: " "
        }
    }

    /// Text with the characters escaped that have a meaning in a specification.
    private static func plain(_ text: String) -> String {
        text.map { "[]:\\".contains($0) ? "\\\($0)" : String($0) }.joined()
    }
}
