/// `tidemark help`: what there is.
enum HelpCommand: Command {
    static let name = "help"
    static let summary = "list the commands, or describe one"
    static let parameters = [Parameter.repeated("COMMAND", .command)]
    static let options: [Option] = []
    static let example = "tidemark help sync"

    static func run(_ input: Arguments, _ console: Console) async throws -> ExitStatus {
        guard let first = input.position(0) else { return try Self.list(console) }
        let group = Commands.all.filter { $0.name.hasPrefix("\(first) ") }
        guard !group.isEmpty, input.position(1) == nil else {
            return try Self.describe(try Commands.command(of: input.positions), console)
        }
        for command in group { _ = try Self.describe(command, console) }
        return .success
    }

    static func list(_ console: Console) throws -> ExitStatus {
        try console.print("Tidemark keeps JSON records in step with a server, field by field.")
        try console.print("")
        let width = Commands.all.map { $0.name.count }.max() ?? 0
        for command in Commands.all {
            let gap = String(repeating: " ", count: width - command.name.count)
            try console.print("  \(command.name)\(gap)  \(command.summary)")
        }
        try console.print("")
        try console.print(
            "tidemark help COMMAND says more about one. A FILE may be - for standard input; -- ends the options.")
        try console.print("Exit codes: 0 done, 1 failed, 64 wrong usage; sync: 5 not authorised, 4 server not reached,")
        try console.print("2 a conflict waits for a person, 3 something is held, 0 all in step.")
        return .success
    }

    static func describe(_ command: any Command.Type, _ console: Console) throws -> ExitStatus {
        try console.print("tidemark \(command.name): \(command.summary)")
        try console.print("")
        try console.print("usage:   \(command.usage)")
        try console.print("example: \(command.example)")
        if !command.options.isEmpty { try console.print("") }
        let lines = command.options.map { option in
            (text: option.value.map { "\(option.name) \($0)" } ?? option.name, summary: option.summary)
        }
        let width = lines.map(\.text.count).max() ?? 0
        for line in lines {
            try console.print(
                "  \(line.text)\(String(repeating: " ", count: width - line.text.count))  \(line.summary)")
        }
        return .success
    }
}
