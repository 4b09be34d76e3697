/// Words as a shell takes them, for the commands that the tool suggests: a pk may come from anyone, and whoever pastes the
/// command must run that command and nothing else.
enum ShellWords {
    /// A word that a shell takes as it is; in quotes where it would not.
    ///
    /// - Parameter placeholder: What the help calls the word, for one that no command line can suggest: a terminal shows
    ///   its control characters as escapes, so a line that is copied from there would name another word.
    static func quoted(_ word: String, or placeholder: String) -> String {
        guard TerminalText.showsUnchanged(word) else { return placeholder }
        return word.isEmpty || !word.utf8.allSatisfy(Self.isPlain) ? word.inShellQuotes : word
    }

    /// The path of a store.
    static func quoted(path: String) -> String {
        Self.quoted(path, or: "FILE")
    }

    /// A collection and maybe a pk; where one begins with a dash, with `--` before them, so that none is taken for an option.
    static func names(_ collection: String, _ pk: String? = nil) -> String {
        let words = [Self.quoted(collection, or: "COLLECTION")] + (pk.map { [Self.quoted($0, or: "PK")] } ?? [])
        let hasDash = [collection, pk ?? ""].contains { $0.utf8.first == UInt8(ascii: "-") }
        return (hasDash ? ["--"] + words : words).joined(separator: " ")
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

extension String {
    /// In single quotes of a shell; nothing in it means anything to it then.
    ///
    /// Byte by byte: a quote with a combining mark behind it is one character of a `String`, and two to a shell. A
    /// backslash is escaped outside of the quotes, since fish reads `\'` inside of them as a quote.
    var inShellQuotes: String {
        var bytes = [UInt8(ascii: "'")]
        for byte in self.utf8 {
            switch byte {
            case UInt8(ascii: "'"): bytes += Array(#"'\''"#.utf8)
            case UInt8(ascii: "\\"): bytes += Array(#"'\\'"#.utf8)
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes + [UInt8(ascii: "'")], as: UTF8.self)
    }
}
