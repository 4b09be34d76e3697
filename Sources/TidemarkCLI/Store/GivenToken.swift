import Foundation

/// The token that a command was given: as a word, in a file, or by the environment, in this order; or that there is to be
/// none.
///
/// A word stands in the list of processes, where every user of the machine can read it; a file and the environment don't.
struct GivenToken {
    /// What becomes of the token that a store has.
    enum Change: Equatable {
        /// None was given: the one there is stays.
        case kept

        /// It is not sent any more.
        case removed

        /// This one takes its place.
        case replaced(String)
    }

    let change: Change

    /// How many bytes a file with a token has at most. A token goes into one header field, and servers take some 8 KiB of those.
    static let fileLimit = 16 << 10

    /// The variable of the environment.
    static let variable = "TIDEMARK_TOKEN"

    /// - Throws: ``UsageError`` when more than one is given, or an empty word, which is what the shell makes of a variable
    ///   that is not set; ``CommandFailure`` when the file has no token in it.
    init(
        typed: String?, file: String?, isRemoved: Bool = false, _ console: Console,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws {
        guard typed == nil || file == nil else {
            throw UsageError("--token and --token-file are two ways to say the same; give one", for: InitCommand.self)
        }
        if isRemoved {
            guard typed == nil, file == nil else {
                throw UsageError("--no-token removes the token there is; give no other with it", for: InitCommand.self)
            }
            self.change = .removed
        } else if let typed {
            guard !typed.isEmpty else {
                throw UsageError(
                    "--token needs a token that is not empty; to remove the one there is, say --no-token",
                    for: InitCommand.self)
            }
            self.change = .replaced(typed)
        } else if let file {
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
                "\(text.name) has \(lines.isEmpty ? "no" : "more than one") line in it. It should be the token alone.")
        }
        return String(decoding: token, as: UTF8.self)
    }
}
