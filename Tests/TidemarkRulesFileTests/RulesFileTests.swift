import TidemarkRules
import TidemarkJSON
import TidemarkRulesFile
import Testing

@Suite("SPEC §8 rules file, field rules") struct RulesFileTests {
    @Test func `every rule that a file can name is read`() throws {
        let text = """
            {"/a":"client","/b":"server","/c":"min","/d":"max","/e":"sum","/f":"union","/g":"list",
             "/h":{"keyed":"id"},"/i":"text","/j":{"latest":"/seen"},"/k":"ask"}
            """
        let rules = try RulesFile.fields(parsing: Array(text.utf8))
        #expect(
            rules.entries.map { "\($0.pattern) \(type(of: $0.rule))" } == [
                "/a ClientFieldRule", "/b ServerFieldRule", "/c ExtremeFieldRule", "/d ExtremeFieldRule",
                "/e SumFieldRule",
                "/f UnionFieldRule", "/g ListFieldRule", "/h KeyedFieldRule", "/i TextFieldRule", "/j LatestFieldRule",
                "/k AskFieldRule",
            ])
        #expect((rules.entries[7].rule as? KeyedFieldRule)?.key == "id")
        #expect((rules.entries[9].rule as? LatestFieldRule)?.text == "/seen")
    }

    @Test(arguments: [
        (#"{"/a":"summ"}"#, 1, 7, "did you mean sum?"), ("{\n \"/a\": \"uniom\"}", 2, 8, "did you mean union?"),
        (#"{"/a":{"keyd":"id"}}"#, 1, 8, "did you mean keyed?"), (#"{"/a":"keyed"}"#, 1, 7, #"{"keyed":"id"}"#),
        (#"{"/a":{"keyed":1}}"#, 1, 16, #"{"keyed":"id"}"#), (#"{"/a":"latest"}"#, 1, 7, #"{"latest":"/seen"}"#),
        (#"{"/a":{"latest":"seen"}}"#, 1, 17, #"“seen” is no JSON pointer"#),
        (#"{"/a":{"sum":1}}"#, 1, 8, "is written as a string"), (#"{"/a":{}}"#, 1, 7, "a field rule is a string"),
        (#"{"/a":{"keyed":"id","latest":"/x"}}"#, 1, 7, "one of"), (#"{"a":"sum"}"#, 1, 2, "field pattern"),
        (#"{"/a":7}"#, 1, 7, "a field rule is a string"),
    ])
    func `a wrong rules file is refused with line, column and what was probably meant`(
        text: String, line: Int, column: Int, hint: String
    ) throws {
        let error = try #require(throws: JSONError.self) { try RulesFile.fields(parsing: Array(text.utf8)) }
        #expect(error.line == line && error.column == column, "\(error)")
        #expect(error.message.contains(hint), "\(error)")
    }
}
