/// Completions for bash.
struct BashCompletions {
    let lines: [String]

    init(_ commands: [any Command.Type]) {
        let names = CommandNames(commands)
        let first = names.first.map(\.word) + ["--help", "--version"]
        var lines = [
            "_tidemark() {",
            "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}",
            "    COMPREPLY=()",
            "    if [ \"$COMP_CWORD\" -eq 1 ]; then",
            "        \(Self.offer(first))",
            "        return",
            "    fi",
            "    case $command in",
        ]
        for group in names.groups {
            lines += [
                "        \(group.word))",
                "            if [ \"$COMP_CWORD\" -eq 2 ]; then",
                "                \(Self.offer(group.second.map(\.word) + ["--help"]))",
                "                return",
                "            fi",
                "            command=\"$command ${COMP_WORDS[2]}\" ;;",
            ]
        }
        lines += ["    esac", "    case \"$command $previous\" in"]
        for command in commands {
            for option in command.options where option.value != nil {
                lines.append(
                    "        \("\(command.name) \(option.name)".inShellQuotes)) \(Self.values(option.kind)) return ;;")
            }
        }
        lines += ["    esac", "    if [[ $current == -* ]]; then", "        case $command in"]
        for command in commands {
            let options = command.options.map(\.name) + ["--help"]
            lines.append("            \(command.name.inShellQuotes)) \(Self.offer(options)) ;;")
        }
        lines += ["        esac", "        return", "    fi", "    case $command in"]
        for command in commands {
            for parameter in command.parameters.prefix(1) {
                switch parameter.kind {
                case .choice(let words): lines.append("        \(command.name.inShellQuotes)) \(Self.offer(words)) ;;")
                case .command:
                    lines.append("        \(command.name.inShellQuotes)) \(Self.offer(names.first.map(\.word))) ;;")
                case .text, .collection, .file, .store, .json: break
                }
            }
        }
        // If nothing is offered, bash completes files.
        lines += ["    esac", "}", "complete -o bashdefault -o default -F _tidemark tidemark"]
        self.lines = lines
    }

    private static func values(_ kind: WordKind) -> String {
        switch kind {
        case .choice(let words): "\(Self.offer(words));"
        case .text, .collection, .file, .store, .json, .command: ""
        }
    }

    private static func offer(_ words: [String]) -> String {
        "COMPREPLY=($(compgen -W \(words.joined(separator: " ").inShellQuotes) -- \"$current\"))"
    }
}
