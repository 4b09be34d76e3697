import Tidemark

/// What was typed makes no command: what is wrong, and what to type.
struct UsageError: Error {
    let message: String
    private let advice: [String]

    /// Something is wrong with what was typed behind a command.
    init(_ message: String, for command: any Command.Type) {
        self.message = message
        self.advice = ["usage:   \(command.usage)", "example: \(command.example)"]
    }

    /// Something is wrong with the command itself.
    init(_ message: String, advice: [String]) {
        self.message = message
        self.advice = advice
    }

    init(unknownOption name: String, for command: any Command.Type) {
        let known = command.options.map(\.name) + ["--help"]
        self.init("unknown option \(name); \(NearestName.hint(for: name, among: known))", for: command)
    }

    /// What to say, line by line.
    var lines: [String] { ["tidemark: \(self.message)"] + self.advice }
}
