/// An answer that a question offers. The user types its first letter, more letters, or all of it.
enum Choice: String, CaseIterable {
    case server, client, edit, merged
    case keepBoth = "keep both"
    case all, yes, quit

    /// An empty line: the current value is kept.
    case next = ""

    /// The answer that a line means; nil if the line is not one of the offered answers.
    init?(typed line: String, among offered: [Choice]) {
        let words = line.lowercased().unicodeScalars.split(whereSeparator: \.properties.isWhitespace)
        let word = words.map { String($0) }.joined(separator: " ")
        let meant = offered.first { word.isEmpty ? $0 == .next : $0.rawValue.utf8.starts(with: word.utf8) }
        guard let meant else { return nil }
        self = meant
    }

    /// The answers on one line: `[s]erver, [c]lient, [q]uit`.
    static func menu(_ offered: [Choice]) -> String {
        offered.map { choice in
            choice == .next ? "Enter to keep it" : "[\(choice.rawValue.prefix(1))]\(choice.rawValue.dropFirst())"
        }.joined(separator: ", ")
    }
}
