/// The manual page of the tool, from the table that `help` is made of: roff with the macros of man(7).
struct ManualPage {
    private(set) var lines: [String]

    init(_ commands: [any Command.Type]) {
        self.lines = [
            ".TH TIDEMARK 1 \"\" \"\(Self.escaped(TidemarkTool.version))\" \"User Commands\"",
            ".SH NAME", "tidemark \\- keep JSON records in step with a server, field by field",
            ".SH SYNOPSIS", ".B tidemark", "\\fICOMMAND\\fR \\fIWORD\\fR ...",
            ".SH DESCRIPTION",
            "Tidemark keeps JSON records in a file on this device in step with a server.",
            "Standard output is the result, with", "\\fB\\-\\-json\\fR", "for programs; standard error is for people.",
        ]
        self.add(HelpCommand.dashes)
        self.lines.append(".SH COMMANDS")
        for command in commands { self.add(command) }
        self.lines.append(".SH \"EXIT STATUS\"")
        self.add("sync ends with the first that applies of 5, 4, 2, 3 and 0.")
        for status in ExitStatus.allCases { self.add(term: String(status.code), status.meaning) }
        self.lines.append(".SH ENVIRONMENT")
        self.add(term: GivenToken.variable, "what the server knows you by, where init is given no token")
        self.add(term: "NO_COLOR", "tidemark demo shows no colours")
    }

    private mutating func add(_ command: any Command.Type) {
        self.lines += [".SS \"tidemark \(Self.escaped(command.name))\""]
        self.add("\(command.summary.prefix(1).uppercased())\(command.summary.dropFirst()).")
        self.lines += [".PP", ".nf", "\\fB\(Self.escaped(command.usage))\\fR", ".fi"]
        for option in command.options { self.add(term: option.words, option.summary) }
        self.lines += [".PP", "Example:", ".PP", ".nf", "\\&    \(Self.escaped(command.example))", ".fi"]
    }

    private mutating func add(_ text: String) {
        self.lines.append(Self.escaped(text))
    }

    private mutating func add(term: String, _ text: String) {
        self.lines += [".TP", "\\fB\(Self.escaped(term))\\fR", Self.escaped(text)]
    }

    /// Text that roff leaves as it is: no command, no hyphenation, no curly quote.
    private static func escaped(_ text: String) -> String {
        let isCommand = text.utf8.first == UInt8(ascii: ".") || text.utf8.first == UInt8(ascii: "'")
        return (isCommand ? "\\&" : "") + text.map(Self.escaped).joined()
    }

    private static func escaped(_ character: Character) -> String {
        switch character {
        case "\\": "\\e"
        case "-": "\\-"
        case "'": "\\(aq"
        case "\"": "\\(dq"
        case "…": "..."
        case _: String(character)
        }
    }
}
