/// Words as a shell takes them, for the commands that the tool suggests: a pk may come from anyone, and whoever pastes the
/// command must run that command and nothing else.
enum ShellWords {
    /// A word that a shell takes as it is; in quotes where it would not.
    static func quoted(_ word: String) -> String {
        guard word.isEmpty || !word.utf8.allSatisfy(Self.isPlain) else { return word }
        return "'\(word.replacing("'", with: "'\\''"))'"
    }

    /// Names one after the other; where one begins with a dash, with `--` before them, so that none is taken for an option.
    static func names(_ names: String...) -> String {
        let words = names.map(Self.quoted).joined(separator: " ")
        return names.contains { $0.utf8.first == UInt8(ascii: "-") } ? "-- \(words)" : words
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "/"), UInt8(ascii: ":"), UInt8(ascii: "@"), UInt8(ascii: "+"), UInt8(ascii: ","):
            true
        default: false
        }
    }
}
