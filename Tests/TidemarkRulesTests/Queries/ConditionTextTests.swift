import TestSupport
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import Testing

@Suite("A condition as text") struct ConditionTextTests {
    private static let done = JSONField<Bool>("/done")
    private static let price = JSONField<JSON>("/price")
    private static let title = JSONField<String>("/title")

    @Test(arguments: [
        ("/done = false", done == false),
        ("/price != 2.50", price != 2.50),
        (
            "/price < 1 and /price <= 2 and /price > -3 and /price >= 4e1",
            price < 1 && price <= 2 && price > -3 && price >= 40
        ),
        (#"/title in ["a", "b)"]"#, title.isIn(["a", "b)"])),
        (#"/title startsWith "(\"x""#, title.startsWith(#"("x"#)),
        (#"/price contains {"a": [1, "]"]}"#, price.contains(["a": [1, "]"]] as JSON)),
        (#"/title containsIgnoringCase "X""#, title.contains("X", ignoringCase: true)),
        ("/title exists or /title missing", title.exists || title.isMissing),
        ("pending and held and state EDITED", .pending && .held && .state(.edited)),
        ("not pending", !.pending), ("not not held", .held), ("all", .all), ("not all", !.all),
        ("/done = true or held and pending", done == true || (.held && .pending)),
        ("(/done = true or held) and pending", (done == true || .held) && .pending),
        ("not (held or pending)", !(.held || .pending)), ("((held))", .held),
        ("/done=1 exists", JSONField<JSON>("/done=1").exists),
        ("/price>2 missing", JSONField<JSON>("/price>2").isMissing),
        ("/price >2", price > 2), ("/price\n\t=\r\n2", price == 2),
        (#""/a b" exists"#, JSONField<JSON>("/a b").exists), (#""" exists"#, JSONField<JSON>("").exists),
        (#""/\u0061" exists"#, JSONField<JSON>("/a").exists), ("/ = null", JSONField<JSON>("/") == .null),
    ])
    func `A text is the condition that the operators make`(text: String, condition: RecordQuery.Condition) throws {
        #expect(try RecordQuery.Condition(parsing: text) == condition)
        #expect(try RecordQuery.Condition(parsing: condition.text) == condition, "\(condition.text)")
    }

    @Test func `A number keeps its digits`() throws {
        let text = "/tags/* = 12345678901234567890.10"
        #expect(try RecordQuery.Condition(parsing: text).text == text)
        #expect(
            try RecordQuery.Condition(parsing: text)
                != RecordQuery.Condition(parsing: "/tags/* = 12345678901234567890.11"))
    }

    @Test(arguments: [
        "/done = false and (/price > 2 or /tags/* = \"home\")", "not (held and pending)", "not /price < 2",
        "/price != 1e3",
        "/size in [\"S\",\"M\"] or state CREATED and held", "\"/a b\" missing", "all", "not all",
        "/t startsWith \"\\u0000\" or /t contains [] or /t containsIgnoringCase \"Ä\"",
    ])
    func `A text in the shortest form is written again as it was`(text: String) throws {
        #expect(try RecordQuery.Condition(parsing: text).text == text)
    }

    @Test(arguments: 0..<300)
    func `Any condition is read again from its text`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let condition = Self.condition(&random, depth: 4)
        #expect(try RecordQuery.Condition(parsing: condition.text) == condition, "\(condition.text)")
    }

    private static func condition(_ random: inout SeededGenerator, depth: Int) -> RecordQuery.Condition {
        let path = random.pick("/done", "/a b", "", "/t=(/*", "/\u{1}", "/ä\"", "/)", "/a~1b/0")
        let field = JSONField<JSON>(path)
        let value: JSON = random.pick(
            .null, true, -1.50, 0, "a\"b)\\", "\u{0}", [1, ["]"]], ["and": "}"])
        switch Int.random(in: 0..<(depth == 0 ? 12 : 16), using: &random) {
        case 0: return field == value
        case 1: return field != value
        case 2: return field < value
        case 3: return field <= value
        case 4: return field > value
        case 5: return field >= value
        case 6: return field.isIn([value, 1])
        case 7: return field.startsWith(value.string ?? "")
        case 8: return field.contains(value, ignoringCase: random.oneIn(2))
        case 9: return random.pick(field.exists, field.isMissing)
        case 10: return random.pick(.pending, .held)
        case 11: return random.pick(.state(.edited), .state(.synced))
        case 12, 13: return self.condition(&random, depth: depth - 1) && self.condition(&random, depth: depth - 1)
        case 14: return self.condition(&random, depth: depth - 1) || self.condition(&random, depth: depth - 1)
        default: return !self.condition(&random, depth: depth - 1)
        }
    }

    @Test(arguments: [
        ("", 1, "a condition is missing"), ("  ", 3, "/done = false"), ("/done", 6, "a comparison is missing"),
        ("/done=false", 12, "put spaces around the operator"), ("/done == false", 7, "did you mean =?"),
        ("/done <> 1", 7, "did you mean !=?"), ("/done begins \"x\"", 7, "known:"),
        ("/t startWith \"x\"", 4, "did you mean startsWith?"),
        ("done = false", 1, "did you mean the path /done?"), ("hold", 1, "did you mean held?"),
        ("! held", 1, "did you mean not?"),
        ("held && pending", 6, "did you mean and?"), ("held or or", 9, "a path, such as /done"),
        ("held ord held", 6, "did you mean or?"),
        ("(held", 6, "the “(” at column 1 has no “)”"), ("held)", 5, "“)” has no “(”"),
        ("(held x held)", 7, "instead of “and”"),
        ("/a =", 5, "a value is missing after “=”"), ("/a = )", 6, "the value is not JSON"),
        ("/a = open", 6, "in double quotes"),
        ("/a = 'x'", 6, "in double quotes"), ("/a = [1,]", 9, "the value is not JSON"),
        ("/a = \"x", 8, "the value is not JSON"),
        ("/a = 01", 7, "the value is not JSON"), ("/a = ]", 6, "the value is not JSON"),
        ("/a in 3", 4, "“in” needs an array"), ("/a startsWith 3", 4, "“startsWith” needs a text"),
        ("state", 6, "“state” needs a state"), ("state EDITD", 7, "did you mean EDITED?"),
        ("held and /a~ = 1", 10, "write “~0” for “~”"), ("held and /*/* = 1", 10, "two “*”"),
        ("\"a\" = 1", 1, "is not a JSON Pointer"),
        ("held and\n /a = x", 7, "line 2"), ("/ä = x", 7, "in double quotes"),
        ("held 3", 6, "instead of “and”, “or” or the end"),
        ("(not )", 6, "begins no condition"),
    ])
    func `An invalid condition is refused with the column and a suggestion`(text: String, column: Int, hint: String)
        throws
    {
        let error = try #require(throws: TidemarkError.self) { try RecordQuery.Condition(parsing: text) }
        #expect(error.code == .invalidQuery)
        #expect(error.message.contains("column \(column)") && error.message.contains(hint), "\(error)")
    }

    @Test(arguments: [
        String(repeating: "(", count: 65), String(repeating: "not ", count: 65),
        String(repeating: "(", count: 1_000_000),
        String(repeating: "(not ", count: 200_000),
    ])
    func `More than 64 levels are refused`(text: String) throws {
        let error = try #require(throws: TidemarkError.self) { try RecordQuery.Condition(parsing: text) }
        #expect(error.message.contains("more than 64 levels"), "\(error)")
    }

    @Test func `64 levels are read`() throws {
        let text = String(repeating: "not (", count: 32) + "held" + String(repeating: ")", count: 32)
        #expect(try RecordQuery.Condition(parsing: text) == .held)
    }

    @Test func `A text of more than 1 MiB is refused`() throws {
        let error = try #require(throws: TidemarkError.self) {
            try RecordQuery.Condition(parsing: String(repeating: " ", count: (1 << 20) + 1))
        }
        #expect(error.message.contains("1048576 are possible"), "\(error)")
    }

    @Test(arguments: [
        "held or ", "/a = [", "/a = \"", "x", "/", "\"", "held and (held) or ", "=", "/a in [1] and ", "\u{301}",
    ])
    func `Hostile text costs linear time, and its error is short`(part: String) {
        // A reader that looks back at each part would take hours.
        let text = String(repeating: part, count: (1 << 18) / part.utf8.count)
        do throws(TidemarkError) {
            _ = try RecordQuery.Condition(parsing: text)
        } catch {
            #expect(error.message.utf8.count < 1_000)
        }
    }

    @Test func `An order is a path, with a dash for larger values first`() throws {
        #expect(try RecordQuery.Order(parsing: "/due") == .ascending("/due"))
        #expect(try RecordQuery.Order(parsing: "-/price") == .descending("/price"))
        #expect(RecordQuery.Order.descending("/a b").text == "-/a b")
    }

    @Test(arguments: [
        ("due", "write /due, or -/due"), ("", "is not a path"), ("--/due", "is not a path"), ("/tags/*", "has a “*”"),
        ("-/a~", "~0"),
    ])
    func `An invalid order is refused with a suggestion`(text: String, hint: String) throws {
        let error = try #require(throws: TidemarkError.self) { try RecordQuery.Order(parsing: text) }
        #expect(error.code == .invalidQuery && error.message.contains(hint), "\(error)")
    }
}
