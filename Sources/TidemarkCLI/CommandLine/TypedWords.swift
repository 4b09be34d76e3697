/// The arguments that the tool was started with.
enum TypedWords {
    /// Returns the arguments after the tool's name.
    ///
    /// - Throws: ``UsageError`` for an argument that is not UTF-8: a record would get it changed, without a warning.
    static func read() throws(UsageError) -> [String] {
        var words: [String] = []
        for number in 1..<max(Int(CommandLine.argc), 1) {
            guard let bytes = CommandLine.unsafeArgv[number] else { break }
            guard let word = String(validatingCString: bytes) else {
                throw Self.notText(UnsafeBufferPointer(start: bytes, count: Self.length(bytes)), number)
            }
            words.append(word)
        }
        return words
    }

    private static func length(_ bytes: UnsafePointer<CChar>) -> Int {
        var length = 0
        while bytes[length] != 0 { length += 1 }
        return length
    }

    /// How many bytes of such an argument are shown.
    private static let shown = 60

    private static func notText(_ word: UnsafeBufferPointer<CChar>, _ number: Int) -> UsageError {
        let text = word.prefix(Self.shown).map { Self.spelled(UInt8(bitPattern: $0)) }.joined()
        return UsageError(
            "argument \(number), “\(text)\(word.count > Self.shown ? "…" : "")”, is not UTF-8 text",
            advice: [
                "JSON, names and pks are UTF-8. Check the locale of the shell, or convert the text: iconv -t UTF-8"
            ])
    }

    /// A byte beyond ASCII is shown as a number: its encoding is unknown.
    private static func spelled(_ byte: UInt8) -> String {
        guard byte < 0x80 else { return "\\x\(String(byte, radix: 16))" }
        return String(UnicodeScalar(byte))
    }
}
