import Tidemark

/// A usage error: the mistake in the command line, and the correct usage.
struct UsageError: Error {
    let message: String
    private let advice: [String]

    /// An error in the arguments of a command.
    init(_ message: String, for command: any Command.Type) {
        self.message = message
        self.advice = ["usage:   \(command.usage)", "example: \(command.example)"]
    }

    /// An error in the name of the command.
    init(_ message: String, advice: [String]) {
        self.message = message
        self.advice = advice
    }

    init(unknownOption name: String, for command: any Command.Type) {
        let known = command.options.map(\.name) + ["--help"]
        self.init("unknown option \(name); \(NearestName.hint(for: name, among: known))", for: command)
    }

    var lines: [String] { ["tidemark: \(self.message)"] + self.advice }
}
