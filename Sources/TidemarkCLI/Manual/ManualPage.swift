/// The manual page of the tool, made from the same table as `help`: roff with the macros of man(7).
struct ManualPage {
    private(set) var lines: [String]

    init(_ commands: [any Command.Type]) {
        self.lines = [
            ".TH TIDEMARK 1 \"\" \"\(Self.escaped(TidemarkTool.version))\" \"User Commands\"",
            ".SH NAME", "tidemark \\- sync JSON records with a server, field by field",
            ".SH SYNOPSIS", ".B tidemark", "\\fICOMMAND\\fR \\fIWORD\\fR ...",
            ".SH DESCRIPTION",
            "Tidemark stores JSON records in a file on this device and syncs them with a server.",
            "Results go to standard output, with", "\\fB\\-\\-json\\fR", "for programs; messages go to standard error.",
        ]
        self.add(HelpCommand.dashes)
        self.lines.append(".SH COMMANDS")
        for command in commands { self.add(command) }
        self.lines.append(".SH \"EXIT STATUS\"")
        self.add("sync exits with the first of 5, 4, 2, 3 and 0 that applies.")
        for status in ExitStatus.allCases { self.add(term: String(status.code), status.meaning) }
        self.lines.append(".SH ENVIRONMENT")
        self.add(term: GivenToken.variable, "the token for the server, if init is given no token")
        self.add(term: "NO_COLOR", "if set, tidemark demo prints no colors")
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

    /// Escapes text for roff, which then prints it unchanged: no command, no hyphenation, no curly quote.
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
