import Foundation

/// The token that a command was given: as a word, in a file, or by the environment, in this order.
///
/// A word stands in the list of processes, where every user of the machine can read it; a file and the environment don't.
struct GivenToken {
    /// The token; empty to remove the one there is, nil when none was given.
    let token: String?

    /// The variable of the environment.
    static let variable = "TIDEMARK_TOKEN"

    /// - Throws: ``UsageError`` when both are given, ``CommandFailure`` when the file has no token in it.
    init(
        typed: String?, file: String?, _ console: Console,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws {
        guard typed == nil || file == nil else {
            throw UsageError("--token and --token-file are two ways to say the same; give one", for: InitCommand.self)
        }
        if let typed {
            self.token = typed
        } else if let file {
            self.token = try Self.read(try InputText(file, console))
        } else {
            self.token = environment[Self.variable].flatMap { $0.isEmpty ? nil : $0 }
        }
    }

    private static func read(_ text: InputText) throws(CommandFailure) -> String {
        let lines = String(decoding: text.bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
        guard let token = lines.first, lines.count == 1 else {
            throw CommandFailure(
                "\(text.name) has \(lines.isEmpty ? "no" : "more than one") line in it. It should be the token alone.")
        }
        return String(token)
    }
}
