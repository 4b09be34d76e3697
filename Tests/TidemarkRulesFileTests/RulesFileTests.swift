import TidemarkRules
import TidemarkJSON
import TidemarkRulesFile
import Testing

@Suite("Contract §8 rules file, field rules") struct RulesFileTests {
    /// A rule in a file's spelling, the three values of the field `/f`, and the merged value; nil if the rule asks the user.
    struct Case: Sendable, CustomTestStringConvertible {
        var rule: String
        var base: JSON
        var server: JSON
        var client: JSON
        var merged: JSON?

        init(_ rule: String, _ base: JSON, _ server: JSON, _ client: JSON, _ merged: JSON?) {
            (self.rule, self.base, self.server, self.client, self.merged) = (rule, base, server, client, merged)
        }

        var testDescription: String { self.rule }
    }

    @Test(arguments: [
        Case(#""client""#, 1, 2, 3, 3), Case(#""server""#, 1, 2, 3, 2), Case(#""min""#, 9, 2, 3, 2),
        Case(#""max""#, 1, 2, 3, 3), Case(#""sum""#, 5, 8, 6, 9), Case(#""union""#, [1], [1, 2], [3, 1], [1, 2, 3]),
        Case(#""list""#, [1, 2], [1, 2, 3], [2], [2, 3]),
        Case(#""text""#, "a quick fox", "a slow fox", "a quick dog", "a slow dog"),
        Case(
            #"{"keyed":"id"}"#, [["id": 7, "a": 1, "b": 1]], [["id": 7, "a": 2, "b": 1]], [["id": 7, "a": 1, "b": 2]],
            [["id": 7, "a": 2, "b": 2]]),
        Case(#"{"latest":"/seen"}"#, 1, 2, 3, 2), Case(#""ask""#, 1, 2, 3, nil),
        Case(
            #""whole""#, ["amount": 10, "currency": "EUR"], ["amount": 10, "currency": "JPY"],
            ["amount": 1500, "currency": "EUR"], ["amount": 1500, "currency": "EUR"]),
    ])
    func `a rule in a rules file merges a field as the rule in code does`(_ one: Case) throws {
        let rules = try RulesFile.fields(parsing: Array(#"{"/f":\#(one.rule)}"#.utf8))
        let merge = rules.merge(
            base: ["f": one.base, "seen": 1], server: ["f": one.server, "seen": 9],
            client: ["f": one.client, "seen": 1])
        if let merged = one.merged {
            #expect(merge.merged?["f"] == merged)
        } else {
            #expect(merge.clashes.map(\.path.text) == ["/f"])
        }
    }

    @Test(arguments: [
        (#"{"/a":"summ"}"#, 1, 7, "did you mean sum?"), ("{\n \"/a\": \"uniom\"}", 2, 8, "did you mean union?"),
        (#"{"/a":{"keyd":"id"}}"#, 1, 8, "did you mean keyed?"), (#"{"/a":"keyed"}"#, 1, 7, #"{"keyed":"id"}"#),
        (#"{"/a":{"keyed":1}}"#, 1, 16, #"{"keyed":"id"}"#), (#"{"/a":"latest"}"#, 1, 7, #"{"latest":"/seen"}"#),
        (#"{"/a":{"latest":"seen"}}"#, 1, 17, #"“seen” is not a JSON pointer"#),
        (#"{"/a":{"sum":1}}"#, 1, 8, "write it as a string"), (#"{"/a":{}}"#, 1, 7, "a field rule is a string"),
        (#"{"/a":{"keyed":"id","latest":"/x"}}"#, 1, 7, "one of"), (#"{"a":"sum"}"#, 1, 2, "field pattern"),
        (#"{"/a":7}"#, 1, 7, "a field rule is a string"),
    ])
    func `an invalid rules file is refused with line, column and a suggestion`(
        text: String, line: Int, column: Int, hint: String
    ) throws {
        let error = try #require(throws: JSONError.self) { try RulesFile.fields(parsing: Array(text.utf8)) }
        #expect(error.line == line && error.column == column, "\(error)")
        #expect(error.message.contains(hint), "\(error)")
    }

    @Test func `A rules file names the references of a collection`() throws {
        let text = #"{"collections":{"todos":{"references":{"/list":"lists","/tags/*":"tags"}}}}"#
        let file = try RulesFile(parsing: Array(text.utf8))
        #expect(file.collections["todos"]?.references == ["/list": "lists", "/tags/*": "tags"])
        for (references, part) in [
            (#"["/list"]"#, "must be an object"), (#"{"/list":1}"#, "the name of a collection"),
            (#"{"list":"lists"}"#, "The references of todos"), (#"{"/a/*/b/*":"lists"}"#, "two “*”"),
        ] {
            let wrong = #"{"collections":{"todos":{"references":\#(references)}}}"#
            let error = #expect(throws: JSONError.self) { try RulesFile(parsing: Array(wrong.utf8)) }
            #expect(error?.message.contains(part) == true, "\(error?.message ?? "")")
        }
    }

    @Test func `A rules file names the indexes of a collection`() throws {
        let text = #"{"collections":{"todos":{"indexes":[["/done","/due"],["/tags/*"]]},"notes":{}}}"#
        let file = try RulesFile(parsing: Array(text.utf8))
        #expect(file.collections["todos"]?.indexes == [["/done", "/due"], ["/tags/*"]])
        #expect(file.collections["notes"]?.indexes == [])
    }

    @Test(arguments: [
        (#"7"#, 1, "an array of arrays"), (#"["/a"]"#, 2, "an array of JSON pointers"),
        (#"[["/a"],["/b",1]]"#, 9, "an array of JSON pointers"),
        (#"[["/a","due"]]"#, 8, "write “/due” for the member"), (#"[["/a"],[]]"#, 9, "has no path"),
        (#"[["/a","/*/*"]]"#, 8, "two “*”"), (#"[["/a/*","/b/*"]]"#, 2, "in two paths"),
        (#"[["/a"],["/a"]]"#, 9, "there twice"),
        (#"[["/a","/a"]]"#, 2, "one path twice"), (#"[["/a","/b","/c","/d","/e"]]"#, 2, "RecordQuery.Limits.paths"),
        (#"[["/a"],["/b"],["/c"],["/d"],["/e"],["/f"],["/g"],["/h"],["/i"]]"#, 58, "RecordQuery.Limits.indexes"),
    ])
    func `An invalid index is refused with line, column and a suggestion`(indexes: String, column: Int, hint: String)
        throws
    {
        let text = "{\"collections\":{\"todos\":{\"indexes\":\n\(indexes)}}}"
        let error = try #require(throws: JSONError.self) { try RulesFile(parsing: Array(text.utf8)) }
        #expect(error.line == 2 && error.column == column, "\(error)")
        #expect(error.message.contains(hint), "\(error)")
    }

    @Test func `A misspelled “indexes” is refused with the name that was meant`() throws {
        let text = #"{"collections":{"todos":{"indices":[]}}}"#
        let error = try #require(throws: JSONError.self) { try RulesFile(parsing: Array(text.utf8)) }
        #expect(error.message.contains("did you mean indexes?"), "\(error)")
    }
}
