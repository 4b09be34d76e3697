import Foundation
import Testing

@testable import TidemarkCLI

@Suite struct ShellWordsTests {
    @Test(arguments: [
        ("42", "42"), ("", "''"), ("my phone.db", "'my phone.db'"), ("x;touch PWNED;#", "'x;touch PWNED;#'"),
        ("$(id)", "'$(id)'"), ("it's", #"'it'\''s'"#), ("é", "'é'"), (#"a\"#, #"'a'\\''"#),
        ("x'\u{301};id", "'x'\\''\u{301};id'"),
    ])
    func `A suggested word is read unchanged by the shell`(word: String, quoted: String) {
        // Byte by byte: String compares by canonical equivalence.
        #expect(Array(ShellWords.quoted(word, or: "PK").utf8) == Array(quoted.utf8))
    }

    @Test(arguments: ["a\nb", "a\rb", "\u{1B}[2J", "a\u{202E}b", "\u{7F}", "a\u{2028}b"])
    func `A word with control characters is replaced by a placeholder`(_ word: String) {
        #expect(ShellWords.quoted(word, or: "PK") == "PK")
        #expect(ShellWords.names(word, "x") == "COLLECTION x")
        #expect(ShellWords.names("n", word) == "n PK")
    }

    @Test func `Names that begin with a dash are not read as options`() {
        #expect(ShellWords.names("n", "-x") == "-- n -x")
        #expect(ShellWords.names("n", "--tactic x") == "-- n '--tactic x'")
        #expect(ShellWords.names("n", "x") == "n x")
    }

    /// Scalars that shells and String treat in special ways, and some that combine with them.
    private static let scalars: [Unicode.Scalar] = [
        "'", "\"", "\\", "`", "$", "(", ")", ";", "&", "|", "<", ">", "#", "!", "~", "*", "?", "[", "]", "{", "}", "=",
        "%",
        "^", "-", " ", "a", "\t", "\n", "\r", "\u{1}", "\u{1B}", "\u{7F}", "\u{81}", "\u{88}", "\u{A0}", "\u{301}",
        "\u{338}", "\u{20E3}", "\u{200C}", "\u{200D}", "\u{200E}", "\u{202E}", "\u{2028}", "\u{2066}", "\u{FE0F}",
        "\u{FEFF}",
        "\u{E0020}", "\u{1F1E6}", "\u{1F468}", "\u{212A}", "\u{37E}", "\u{1100}", "\u{1161}",
    ]

    static let shells = ["/bin/sh", "/bin/bash", "/bin/dash", "/bin/zsh", "/usr/bin/fish"].filter {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    @Test(arguments: Self.shells)
    func `Every suggested word has the same bytes for a shell`(_ shell: String) throws {
        var words: [String] = []
        for _ in 0..<1_000 {
            var word = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0...8) { word.append(try #require(Self.scalars.randomElement())) }
            let text = String(word)
            let quoted = ShellWords.quoted(text, or: "PK")
            guard quoted != "PK" else { continue }
            // The user pastes it from a terminal, which must show it unchanged.
            #expect(Array(TerminalText(quoted).text.utf8) == Array(quoted.utf8))
            words.append(text)
        }
        #expect(words.count > 100)
        let shop = try Workshop()
        let lines = words.map { "printf '%s\\0' \(ShellWords.quoted($0, or: "PK"))\n" }
        try shop.write(lines.joined(), to: "words")
        let (process, pipe) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: shell)
        process.arguments = ["words"]
        process.currentDirectoryURL = shop.folder
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        try process.run()
        let output = Array(pipe.fileHandleForReading.readDataToEndOfFile())
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        let heard = output.split(separator: 0, omittingEmptySubsequences: false).dropLast().map { Array($0) }
        #expect(heard.count == words.count)
        for (word, heard) in zip(words, heard) {
            #expect(Array(word.utf8) == heard, "\(word.unicodeScalars.map { String($0.value, radix: 16) })")
        }
    }

    @Test(arguments: ["x;touch PWNED;#", "x'\u{301};touch PWNED;:'\u{301}", #"\';touch PWNED;'"#, "a\nb"])
    func `A command that conflicts suggests runs only tidemark, for any pk`(
        _ pk: String
    ) throws {
        let shop = try Workshop()
        let server = try shop.serve()
        for name in ["a", "b"] { try shop.device("\(name).db", server, "--tactic", "ask-user") }
        for name in ["a", "b"] {
            try shop.done("create", "--store", "\(name).db", "notes", pk, #"{"t":"\#(name)"}"#)
            _ = try shop.run("sync", "--store", "\(name).db", "notes")
        }
        let run = try shop.run("conflicts", "--store", "b.db")
        let line = try #require(run.lines.first { $0.contains("tidemark resolve") }, "\(run.output)")
        let (process, pipe) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments = ["-c", "tidemark() { printf '%s\\0' \"$@\"; }\n\(line)"]
        process.currentDirectoryURL = shop.folder
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        try process.run()
        let output = Array(pipe.fileHandleForReading.readDataToEndOfFile())
        process.waitUntilExit()
        let words = output.split(separator: 0, omittingEmptySubsequences: false).dropLast().map { Array($0) }
        let shown = pk.utf8.contains(UInt8(ascii: "\n")) ? "PK" : pk
        let expected = ["resolve", "--store", "b.db", "--take", "server", "notes", shown]
        #expect(words == expected.map { Array($0.utf8) }, "\(line)")
        #expect(!FileManager.default.fileExists(atPath: shop.path("PWNED")))
    }
}
