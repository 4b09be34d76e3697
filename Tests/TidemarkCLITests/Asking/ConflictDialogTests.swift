import Testing
import Tidemark

@testable import TidemarkCLI

/// The rules ask about `price` and `name`; `title` is the client's by default, `body` a text.
@Suite struct `A dialog about a conflict` {
    static let rules: [(String, any FieldRule)] = [
        ("/price", .ask), ("/name", .ask), ("/body", .text), ("/lines", .keyed("id")), ("/lines/*/n", .ask),
    ]

    private func conflict(base: JSON? = [:], server: JSON?, client: JSON?) throws -> (RecordConflict, FieldRules) {
        let fields = try FieldRules(Self.rules)
        return (
            RecordConflict(
                collection: "notes", pk: "1", base: base, server: server, version: "7", client: client, fields: fields),
            fields
        )
    }

    /// The decision after a script of answers; the dialog must read every line of it.
    private func verdict(
        _ lines: [String], base: JSON? = [:], server: JSON?, client: JSON?, shown: [String] = []
    ) throws -> Verdict? {
        let (conflict, fields) = try self.conflict(base: base, server: server, client: client)
        let terminal = ScriptedTerminal(lines)
        let review = ConflictReview(conflict, newPK: "new")
        let verdict = ConflictDialog(terminal: terminal).verdict(review)
        #expect(terminal.unread.isEmpty, "\(terminal.shown)")
        for line in shown { #expect(terminal.shown.contains { $0.contains(line) }, "\(terminal.shown)") }
        guard case .fields(let sides) = verdict else { return verdict }
        return fields.settling(conflict.asked, of: conflict) { sides[$0.path] }.map { .merge($0) }
    }

    private let base: JSON = ["name": "a", "price": 1, "title": "t", "n": 0]
    private let server: JSON = ["name": "b", "price": 2, "title": "u", "n": 5]
    private let client: JSON = ["name": "c", "price": 3, "title": "v", "n": 0]

    @Test(arguments: [
        (["s", "c", "y"], #"{"name":"b","price":3,"title":"v","n":5}"#),
        (["client", "server", "yes"], #"{"name":"c","price":2,"title":"v","n":5}"#),
        (["e", #""d""#, "S", "Y"], #"{"name":"d","price":2,"title":"v","n":5}"#),
        // After an invalid answer the question is repeated.
        (["x", "", "e", "", "e", "{", "s", "s", "y"], #"{"name":"b","price":2,"title":"v","n":5}"#),
        // Fields that the rules decided are asked about on demand, and kept with Enter.
        (["s", "a", "s", "s", "y"], #"{"name":"b","price":2,"title":"u","n":5}"#),
        (["s", "s", "a", "", "c", "", "y"], #"{"name":"b","price":3,"title":"v","n":5}"#),
        (["k", "a", "", "s", "s", "", "y"], #"{"name":"b","price":2,"title":"v","n":5}"#),
    ])
    func `The dialog asks about fields without a winner; the rest stays merged`(_ lines: [String], _ record: String)
        throws
    {
        let verdict = try self.verdict(
            lines, base: self.base, server: self.server, client: self.client, shown: ["/name", "This record is kept:"])
        #expect(verdict == .merge(try JSON(parsing: record)))
    }

    @Test(arguments: [["q"], ["s", "q"], ["s", "s", "q"], [], ["s"], ["e"]])
    func `Nothing is decided when the user quits or the input ends`(_ lines: [String]) throws {
        let verdict = try self.verdict(lines, base: self.base, server: self.server, client: self.client)
        #expect(verdict == nil)
    }

    @Test func `The dialog keeps both records`() throws {
        let verdict = try self.verdict(
            ["k", "y"], base: self.base, server: self.server, client: self.client, shown: ["this device's becomes new"])
        #expect(verdict == .keepBoth(newPK: "new"))
    }

    @Test func `The dialog asks about every field if the rules left none open`() throws {
        let verdict = try self.verdict(
            ["s", "y"], base: ["title": "t"], server: ["title": "u"], client: ["title": "v"], shown: ["/title"])
        #expect(verdict == .merge(["title": "u"]))
    }

    @Test(arguments: [("s", Verdict.takeServer, "deleted."), ("c", .takeClient, "This device's side is kept:")])
    func `The dialog asks which side to keep after a deletion on the server`(
        _ key: String, _ side: Verdict, _ words: String
    ) throws {
        let verdict = try self.verdict(
            [key, "y"], base: ["n": 1], server: nil, client: ["n": 2], shown: ["It was deleted on the server.", words])
        #expect(verdict == side)
    }

    @Test func `The dialog repeats the question about a local deletion after a wrong answer`() throws {
        let verdict = try self.verdict(
            ["k", "c", "a", "s", "y"], base: ["n": 1], server: ["n": 2], client: nil, shown: ["It was deleted here."])
        #expect(verdict == .takeServer)
    }

    @Test func `An answer changes the array element with the key, at any position`() throws {
        let verdict = try self.verdict(
            ["s", "e", "9", "y"], base: ["lines": [["id": 7, "n": 1], ["id": 8, "n": 1]]],
            server: ["lines": [["id": 5, "n": 0], ["id": 8, "n": 2], ["id": 7, "n": 2]]],
            client: ["lines": [["id": 7, "n": 3], ["id": 8, "n": 3]]], shown: ["/lines/7/n", "/lines/8/n"])
        guard case .merge(let record) = verdict else {
            Issue.record("\(String(describing: verdict))")
            return
        }
        let fields = try FieldRules(Self.rules)
        #expect(fields.value(at: try JSONPointer(parsing: "/lines/7/n"), in: record) == 2)
        #expect(fields.value(at: try JSONPointer(parsing: "/lines/8/n"), in: record) == 9)
        #expect(fields.value(at: try JSONPointer(parsing: "/lines/5/n"), in: record) == 0)
    }

    @Test func `A field is removed with the chosen side, and restored with the other`() throws {
        let sides: (base: JSON, server: JSON, client: JSON) = (["name": "a", "n": 1], ["n": 1], ["name": "b", "n": 1])
        let removed = try self.verdict(["s", "y"], base: sides.base, server: sides.server, client: sides.client)
        #expect(removed == .merge(["n": 1]))
        let kept = try self.verdict(
            ["s", "a", "c", "y"], base: sides.base, server: sides.server, client: sides.client, shown: ["(nothing)"])
        #expect(kept == .merge(["name": "b", "n": 1]))
    }

    @Test func `The dialog offers the merged value of a rule, and restores it`() throws {
        let verdict = try self.verdict(
            ["s", "a", "m", "y"], base: ["body": "one\ntwo\nthree"], server: ["body": "ONE\ntwo\nTHREE"],
            client: ["body": "one\ntwo\nthird"], shown: ["[m]erged", "now: "])
        #expect(verdict == .merge(["body": "ONE\ntwo\nthird"]))
    }
}
