import CannedHTTP
import Foundation
import Testing
import Tidemark

@testable import TidemarkCLI

/// ESC, BEL, CSI (C1), DEL and characters that reverse text, as text and as JSON text.
private let evil = "\u{1B}]0;PWN\u{7}\u{9B}2J\u{7F}\u{202E}\u{2066}\u{85}\u{2028}x"
private let evilInJSON = "\\u001b]0;PWN\\u0007\u{9B}2J\u{7F}\u{202E}\u{2066}\u{85}\u{2028}x"

/// Text from outside with control characters for a terminal.
@Suite struct `Escapes for the terminal` {
    /// Whether a terminal would act on the text; tabs and line ends are the tool's own.
    private func steers(_ text: String) -> Bool {
        text.unicodeScalars.contains { scalar in
            switch scalar.properties.generalCategory {
            case .control: scalar != "\n" && scalar != "\t"
            case .format, .lineSeparator, .paragraphSeparator: true
            default: false
            }
        }
    }

    @Test func `Answers of a server are escaped (terminal-escapes)`() throws {
        let shop = try Workshop()
        let detail = #"{"title":"\#(evilInJSON)","detail":"\#(evilInJSON)"}"#
        let server = try CannedServer(
            .http("503 Busy", ["Content-Type: application/problem+json"], body: detail),
            .http("302 Found", ["Location: http://x/\u{1B}[2J\u{9B}"]),
            .http("200 OK", ["Content-Type: text/\u{1B}[31mx"], body: "hello"),
            .http("422 No", ["Content-Type: application/problem+json"], body: detail))
        try shop.done("create", "--store", "a.db", "notes", evil, #"{"a":1}"#)
        try shop.done("init", "--store", "a.db", "--remote", server.url)
        for _ in 0..<4 {
            let run = try shop.run("sync", "--store", "a.db")
            #expect(run.status > 1)
            #expect(!self.steers(run.errors + run.output), "\(run.errors) \(run.output)")
            for command in [["status"], ["explain", "notes", evil], ["list", "notes"], ["sync", "--dry-run"]] {
                let run = try shop.run([command[0], "--store", "a.db"] + command.dropFirst())
                #expect(run.status == 0)
                #expect(!self.steers(run.errors + run.output), "\(command): \(run.errors) \(run.output)")
            }
        }
    }

    @Test func `Pks, values and names in errors are escaped (terminal-escapes)`() throws {
        let shop = try Workshop()
        let value = #"{"a":"\#(evilInJSON)"}"#
        try shop.done("create", "--store", "a.db", "notes", evil, value)
        try shop.done("resign", "--store", "a.db", "notes", evil)
        for words in [
            ["list", "--store", "a.db", "notes"], ["journal", "--store", "a.db"],
            ["get", "--store", "a.db", "n", evil],
            ["list", "--store", "a.db", evil], [evil], ["list", "--\(evil)"], ["json", "check", evil],
            ["list", "--store", evil, "notes"], ["retry", "--store", "a.db", "notes", evil],
        ] {
            let run = try shop.run(words)
            #expect(!self.steers(run.errors + run.output), "\(words): \(run.errors) \(run.output)")
        }
    }

    @Test
    func
        `A value is escaped on a terminal and exact in a pipe (terminal-escapes)`()
        throws
    {
        let shop = try Workshop()
        try shop.done("create", "--store", "a.db", "notes", "1", #"{"a":"\#(evilInJSON)"}"#)
        let exact = try shop.done("get", "--store", "a.db", "notes", "1")
        #expect(exact == #"{"a":"\#(evilInJSON)"}"# + "\n")
        for words in [["get", "1"], ["get", "1", "--full"], ["list", "--json"], ["export"]] {
            let typed = [words[0], "--store", "a.db", "notes"] + words.dropFirst()
            let shown = try PseudoTerminal(typed, in: shop.folder, showsResult: true).finish().errors
            #expect(!self.steers(shown.replacing("\r\n", with: "\n")), "\(shown)")
            let exact = try shop.run(typed).output
            #expect(exact.contains(evilInJSON), "\(exact)")
            #expect(try JSON(parsing: shown) == JSON(parsing: exact))
        }
    }

    @Test(arguments: [("a\r\nb\n\tc", "a \nb\n\tc"), (#"{"é":"👩‍💻"}"#, #"{"é":"👩‍💻"}"#), ("\"\u{9B}\"", #""\u009b""#)])
    func `JSON keeps its value when it is escaped`(_ text: String, _ shown: String) {
        #expect(TerminalText.json(text) == shown)
    }
}
