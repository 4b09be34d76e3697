/// `tidemark help`: lists the commands in sections, or describes one.
enum HelpCommand: Command {
    static let name = "help"
    static let summary = "list the commands, or describe one"
    static let parameters = [Parameter.repeated("COMMAND", .command)]
    static let example = "tidemark help sync"

    static func run(_ input: Arguments, _ console: Console) async throws -> ExitStatus {
        guard let first = input.position(0) else { return try Self.list(console) }
        let group = Commands.group(first)
        guard !group.isEmpty, input.position(1) == nil else {
            return try Self.describe(try Commands.command(of: input.positions), console)
        }
        return try Self.describe(group: group, console)
    }

    static func list(_ console: Console) throws -> ExitStatus {
        try console.print("Tidemark syncs JSON records with a server, field by field.")
        // All sections have the same columns.
        let width = Commands.all.map { $0.name.count }.max() ?? 0
        for section in Commands.sections {
            try console.print("")
            try console.print("\(section.title):")
            try Self.printTable(section.commands.map { ($0.name, $0.summary) }, width: width, console)
        }
        try console.print("")
        try console.print("tidemark help COMMAND describes a command; --version prints the version.")
        try console.print(Self.dashes)
        try console.print("")
        try console.print("Exit codes:")
        try Self.printTable(ExitStatus.allCases.map { (String($0.code), $0.meaning) }, console)
        return .success
    }

    /// The rules for dashes, which apply to every command.
    static let dashes = "A - in place of JSON or a FILE to read is standard input; -- ends the options."

    /// Describes the commands that share their first word.
    static func describe(group: [any Command.Type], _ console: Console) throws -> ExitStatus {
        for (number, command) in group.enumerated() {
            if number > 0 { try console.print("") }
            _ = try Self.describe(command, console)
        }
        return .success
    }

    static func describe(_ command: any Command.Type, _ console: Console) throws -> ExitStatus {
        try console.print("tidemark \(command.name): \(command.summary)")
        try console.print("")
        try console.print("usage:   \(command.usage)")
        try console.print("example: \(command.example)")
        if !command.options.isEmpty { try console.print("") }
        try Self.printTable(command.options.map { ($0.words, $0.summary) }, console)
        return .success
    }

    /// Prints two columns.
    ///
    /// - Parameter least: The least width of the first column.
    private static func printTable(_ rows: [(String, String)], width least: Int = 0, _ console: Console) throws {
        let width = max(least, rows.map(\.0.count).max() ?? 0)
        for (name, text) in rows {
            try console.print("  \(name)\(String(repeating: " ", count: width - name.count))  \(text)")
        }
    }
}
