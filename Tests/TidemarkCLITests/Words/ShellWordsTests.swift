import Foundation
import Testing

@testable import TidemarkCLI

@Suite struct ShellWordsTests {
    @Test(arguments: [
        ("42", "42"), ("", "''"), ("my phone.db", "'my phone.db'"), ("x;touch PWNED;#", "'x;touch PWNED;#'"),
        ("$(id)", "'$(id)'"), ("it's", #"'it'\''s'"#), ("é", "'é'"),
    ])
    func `a word that is suggested is taken as it is`(word: String, quoted: String) {
        #expect(ShellWords.quoted(word) == quoted)
    }

    @Test func `names that begin with a dash are no options`() {
        #expect(ShellWords.names("n", "-x") == "-- n -x")
        #expect(ShellWords.names("n", "x") == "n x")
    }

    @Test func `what conflicts suggests runs nothing but tidemark, whatever another device called its record`() throws {
        let shop = try Workshop()
        let server = try shop.serve()
        for name in ["a", "b"] { try shop.device("\(name).db", server, "--tactic", "ask-user") }
        let pk = "x;touch PWNED;#"
        for name in ["a", "b"] {
            try shop.done("create", "--store", "\(name).db", "notes", pk, #"{"t":"\#(name)"}"#)
            _ = try shop.run("sync", "--store", "\(name).db", "notes")
        }
        let run = try shop.run("conflicts", "--store", "b.db")
        #expect(
            run.output.contains("tidemark resolve --store b.db --take server notes 'x;touch PWNED;#'"), "\(run.output)")
    }
}
