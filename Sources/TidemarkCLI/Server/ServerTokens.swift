import Foundation

/// The tokens of a server: from the command line, where every user of the machine can read them, from a file, or from
/// the environment.
enum ServerTokens {
    /// The environment variable with tokens, separated by blanks.
    static let variable = "TIDEMARK_TOKENS"

    /// The largest file of tokens, in bytes.
    private static let fileLimit = 16 << 20

    /// All tokens: those given, those of a file (one per line; empty lines and lines with `#` are skipped), and those of
    /// the environment.
    static func all(given: [String], file: String?, environment: [String: String]) throws(CommandFailure) -> [String] {
        var tokens = given
        if let file {
            if let warning = try PrivateFile.tighten(file, .warns) {
                StandardStreams.writeError("tidemark: \(warning)\n")
            }
            let found = try Self.read(file)
            guard !found.isEmpty else {
                throw CommandFailure("\(file): the file has no token; write one token per line")
            }
            tokens += found
        }
        let words = (environment[Self.variable] ?? "").unicodeScalars.split(whereSeparator: \.properties.isWhitespace)
        tokens += words.map { String($0) }
        return tokens
    }

    private static func read(_ file: String) throws(CommandFailure) -> [String] {
        guard let data = FileManager.default.contents(atPath: file), data.count <= Self.fileLimit,
            let text = String(data: data, encoding: .utf8)
        else {
            throw CommandFailure("\(file): it can't be read as a file of tokens; write one token per line, in UTF-8")
        }
        let lines = text.utf8.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
            .map { Substring($0).trimmingCharacters(in: .whitespaces) }
        let tokens = lines.filter { !$0.isEmpty && $0.utf8.first != UInt8(ascii: "#") }
        if let wrong = tokens.firstIndex(where: { $0.unicodeScalars.contains(where: \.properties.isWhitespace) }) {
            throw CommandFailure("\(file): token \(wrong + 1) has a blank; write one token per line")
        }
        return tokens
    }
}
