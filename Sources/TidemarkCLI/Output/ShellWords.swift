/// Words quoted for a shell, for the commands that the tool suggests. A pk can have any text, and a user who pastes the
/// command must run that command and no other.
enum ShellWords {
    /// The word, in quotes if a shell would not read it unchanged.
    ///
    /// - Parameter placeholder: The name of the word in the help; it is returned for a word with control characters. A
    ///   terminal shows those as escapes, so a line that is copied from there would have another word.
    static func quoted(_ word: String, or placeholder: String) -> String {
        guard TerminalText.showsUnchanged(word) else { return placeholder }
        return word.isEmpty || !word.utf8.allSatisfy(Self.isPlain) ? word.inShellQuotes : word
    }

    /// The path of a store.
    static func quoted(path: String) -> String {
        Self.quoted(path, or: "FILE")
    }

    /// A collection and maybe a pk; after `--` if one begins with a dash, so that neither is read as an option.
    static func names(_ collection: String, _ pk: String? = nil) -> String {
        let words = [Self.quoted(collection, or: "COLLECTION")] + (pk.map { [Self.quoted($0, or: "PK")] } ?? [])
        let hasDash = [collection, pk ?? ""].contains { $0.utf8.first == UInt8(ascii: "-") }
        return (hasDash ? ["--"] + words : words).joined(separator: " ")
    }

    /// A whole command of the tool on a store; nil if a word of it can't be copied from a page or a terminal.
    static func command(_ words: [String], store: String, _ collection: String, _ pk: String?) -> String? {
        guard [store, collection, pk ?? ""].allSatisfy(TerminalText.showsUnchanged) else { return nil }
        return "tidemark \(words[0]) --store \(Self.quoted(path: store)) "
            + (words.dropFirst() + [Self.names(collection, pk)]).joined(separator: " ")
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
    /// The text in single quotes of a shell, in which no character has a special meaning.
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
