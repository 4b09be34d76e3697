import Foundation

/// The token for a command: from an argument, from a file or from the environment, in this order; or the removal of the
/// token.
///
/// Every user of the machine can read arguments in the list of processes, but not a file or the environment.
struct GivenToken {
    /// The change of the token that a store has.
    enum Change: Equatable {
        /// No token was given: the store keeps its token.
        case kept

        /// The token is removed.
        case removed

        /// A new token replaces it.
        case replaced(String)
    }

    let change: Change

    /// The largest file with a token, in bytes. A token is sent in one header field, and servers accept about 8 KiB of header
    /// fields.
    static let fileLimit = 16 << 10

    /// The variable of the environment.
    static let variable = "TIDEMARK_TOKEN"

    /// - Throws: ``UsageError`` if more than one token is given, or an empty one, which a shell passes for a variable that
    ///   is not set; ``CommandFailure`` if the file has no token.
    init(
        typed: String?, file: String?, isRemoved: Bool = false, _ console: Console,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws {
        guard typed == nil || file == nil else {
            throw UsageError("--token and --token-file exclude each other; give one", for: InitCommand.self)
        }
        if isRemoved {
            guard typed == nil, file == nil else {
                throw UsageError("--no-token removes the token; give no other token with it", for: InitCommand.self)
            }
            self.change = .removed
        } else if let typed {
            guard !typed.isEmpty else {
                throw UsageError(
                    "--token needs a token that is not empty; to remove the token, use --no-token",
                    for: InitCommand.self)
            }
            self.change = .replaced(typed)
        } else if let file {
            if file != "-", let warning = try PrivateFile.tighten(file, .warns) { console.say("tidemark: \(warning)") }
            self.change = .replaced(try Self.read(try InputText(file, console, limit: Self.fileLimit)))
        } else {
            let given = environment[Self.variable].flatMap { $0.isEmpty ? nil : $0 }
            self.change = given.map { .replaced($0) } ?? .kept
        }
    }

    /// The token of a store, after the change of the one it has.
    func token(after present: String?) -> String? {
        switch self.change {
        case .kept: present
        case .removed: nil
        case .replaced(let token): token
        }
    }

    private static func read(_ text: InputText) throws(CommandFailure) -> String {
        let lines = text.bytes.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
        guard let token = lines.first, lines.count == 1 else {
            throw CommandFailure(
                "\(text.name) \(lines.isEmpty ? "is empty" : "has more than one line"). It must contain only the token, on one line."
            )
        }
        return String(decoding: token, as: UTF8.self)
    }
}
