import Foundation
import Testing
import Tidemark
import TidemarkRulesFile

@Suite struct `A rules file` {
    struct Case: Sendable, CustomTestStringConvertible {
        var text: String
        var line: Int
        var column: Int
        var message: String

        init(_ text: String, _ line: Int, _ column: Int, _ message: String) {
            (self.text, self.line, self.column, self.message) = (text, line, column, message)
        }

        var testDescription: String { self.message }
    }

    @Test(arguments: [
        Case(#"{"collection":{}}"#, 1, 2, "did you mean collections?"),
        Case(
            "{\"collections\":\n {\"notes\":{\"tactic\":\"autoMerg\"}}}", 2, 21,
            "“autoMerg” is not a tactic; did you mean autoMerge?"),
        Case(#"{"collections":{"notes":{"tactic":1}}}"#, 1, 35, "a tactic is a string"),
        Case(#"{"collections":{"notes":{"feilds":{}}}}"#, 1, 26, "did you mean fields?"),
        Case(#"{"collections":{"notes":{"editDelete":"never"}}}"#, 1, 39, "known: editWins, deleteWins, ask"),
        Case(#"{"collections":{"notes":{"tactic":"takeServer","deleteEdit":"ask"}}}"#, 1, 48, "only with autoMerge"),
        Case(
            "{\"collections\":{\"notes\":{\"fields\":{\"/a\":\"server\",\n\"/b\":\"unoin\"}}}}", 2, 6,
            "did you mean union?"),
        Case(#"{"collections":{"notes":{"fields":{"/b":"keyed"}}}}"#, 1, 41, "{\"keyed\":\"id\"}"),
        Case(#"{"collections":{"notes":{"fields":{"/b":{"keyed":7}}}}}"#, 1, 50, "{\"keyed\":\"id\"}"),
        Case(#"{"collections":{"notes":{"fields":{"/b":{"keyde":"id"}}}}}"#, 1, 42, "did you mean keyed?"),
        Case(#"{"collections":{"notes":{"fields":{"b":"server"}}}}"#, 1, 36, "is not a field pattern"),
        Case(#"{"collections":[]}"#, 1, 16, "“collections” must be an object"),
        Case("[]", 1, 1, "the rules must be an object"),
        Case("{\"collections\":{\"a\":{\"x\":1},\n\"a\":{\"fields\":3}}}", 2, 15, "“fields” must be an object"),
        Case("{,}", 1, 2, "where a key is expected"),
    ])
    func `An invalid rules file is rejected with line, column and the nearest name`(_ wrong: Case) throws {
        let error = try #require(throws: JSONError.self) { try RulesFile(parsing: Array(wrong.text.utf8)) }
        #expect(error.line == wrong.line)
        #expect(error.column == wrong.column)
        #expect(error.message.contains(wrong.message), "\(error.message)")
    }

    @Test func `A rules file decides by collection; the given tactic decides other collections`() throws {
        let text =
            #"{"collections":{"a":{"tactic":"takeServer"},"b":{"deleteEdit":"ask"},"c":{"fields":{"/n":"server"}}}}"#
        let file = try RulesFile(parsing: Array(text.utf8), tactic: .askUser)
        func verdict(_ name: String, client: JSON?) -> Verdict? {
            let conflict = RecordConflict(
                collection: name, pk: "1", base: ["n": 1], server: ["n": 2], client: client,
                fields: file.collections[CodePointString(name)]?.fields ?? FieldRules())
            return file.collections[CodePointString(name)]?.tactic.decide(conflict)
        }
        #expect(verdict("a", client: ["n": 3]) == .takeServer)
        #expect(verdict("b", client: nil) == .ask)
        #expect(verdict("b", client: ["n": 3]) == .merge(["n": 3]))
        #expect(verdict("c", client: ["n": 3]) == .ask)
        #expect(file.collections["c"]?.fields.entries.count == 1)
    }

    @Test func `init rejects an invalid rules file by its name, and creates no store`() throws {
        let shop = try Workshop()
        try shop.write(#"{"collections":{"notes":{"tactic":"takeServr"}}}"#, to: "rules.json")
        let run = try shop.run("init", "--store", "a.db", "--remote", "http://127.0.0.1:1/v1", "--rules", "rules.json")
        #expect(run.status == 1)
        #expect(run.errors.contains("rules.json:1:35: “takeServr” is not a tactic; did you mean takeServer?"))
        #expect(!FileManager.default.fileExists(atPath: shop.path("a.db")))
    }

    @Test(arguments: ["takeServer", "take-server"])
    func `A tactic has one name in options and rules, in both spellings`(_ name: String) throws {
        let shop = try Workshop()
        try shop.write(#"{"collections":{"notes":{"tactic":"\#(name)"}}}"#, to: "rules.json")
        let remote = ["init", "--store", "a.db", "--remote", "http://127.0.0.1:1/v1"]
        for option in [["--rules", "rules.json"], ["--tactic", name]] {
            let run = try shop.run(remote + option)
            #expect(run.status == 0, "\(run.errors)")
        }
        let wrong = try shop.run(remote + ["--tactic", "takeserver"])
        #expect(wrong.errors.contains("did you mean"), "\(wrong.errors)")
    }
}
