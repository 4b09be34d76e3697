import TestSupport
import Testing
import Tidemark

@Suite struct `The command export` {
    @Test(arguments: [3, 5, 8] as [UInt64])
    func `Export and import give the same pks and records`(_ seed: UInt64) throws {
        let shop = try Workshop()
        var dice = SeededGenerator(seed: seed)
        var records: [CodePointString: JSON] = [:]
        for _ in 0..<150 { records[CodePointString(Self.pk(&dice))] = Self.record(&dice) }
        let map = JSON.object(JSONObject(records.map { ($0.key.value, $0.value) }))
        try shop.write(map.text, to: "map.json")
        try shop.done("import", "--store", "a.db", "notes", "map.json", "--by-key")

        let export = try shop.done("export", "--store", "a.db", "notes")
        try shop.write(export, to: "x")
        let run = try shop.run("import", "--store", "b.db", "notes", "x")
        #expect(run.errors == "notes: created \(records.count), edited 0, unchanged 0\n")
        #expect(try Self.stored("b.db", shop) == records)
        #expect(try shop.done("export", "--store", "b.db", "notes") == export)
        let again = try shop.run("import", "--store", "a.db", "notes", "-", input: export)
        #expect(again.errors == "notes: created 0, edited 0, unchanged \(records.count)\n")
    }

    @Test func `An array of exported lines at a pointer is imported`() throws {
        let shop = try Workshop()
        let input = #"{"lines":[{"pk":"a/b","record":{"pk":"c","record":{}}}, {"record":{"n":1.10},"pk":7}]}"#
        try shop.done("import", "--store", "a.db", "notes", "-", "--at", "/lines", input: input)
        #expect(
            try shop.done("export", "--store", "a.db", "notes")
                == #"{"pk":"7","record":{"n":1.10}}"# + "\n" + #"{"pk":"a/b","record":{"pk":"c","record":{}}}"# + "\n")
    }

    @Test(arguments: ["", "\n"])
    func `The export of no records is imported`(_ export: String) throws {
        let shop = try Workshop()
        let run = try shop.run("import", "--store", "b.db", "notes", "-", input: export)
        #expect(run.errors == "notes: created 0, edited 0, unchanged 0\n")
        #expect(run.status == 0)
    }

    @Test(arguments: [
        (#"{"title":"Milk"}"#, "without --pk each record needs the form of tidemark export"),
        (#"{"pk":"1","record":{},"n":1}"#, "without --pk each record"), (#"{"pk":"1","record":5}"#, "without --pk"),
        (#"{"pk":1.5,"record":{}}"#, "“pk” is 1.5; a pk is a string or a whole number"),
        (#"{"pk":"","record":{}}"#, "“pk” has 0 bytes"),
    ])
    func `Without --pk, a record of another form is rejected`(_ line: String, _ message: String) throws {
        let shop = try Workshop()
        let run = try shop.run("import", "--store", "a.db", "notes", "-", input: line)
        #expect(run.status == 1)
        #expect(run.errors.contains(message), "\(run.errors)")
    }

    @Test func `The largest and deepest record is exported and imported`() throws {
        let shop = try Workshop()
        let deep = String(repeating: #"{"a":"#, count: 500) + "1" + String(repeating: "}", count: 500)
        try shop.done("create", "--store", "a.db", "notes", "deep", "-", input: deep)
        let wide = #"{"a":"\#(String(repeating: "x", count: 65_528))"}"#
        try shop.done("create", "--store", "a.db", "notes", String(repeating: "\"", count: 512), "-", input: wide)
        let export = try shop.done("export", "--store", "a.db", "notes")
        let run = try shop.run("import", "--store", "b.db", "notes", "-", "--max-size", "64KiB", input: export)
        #expect(run.errors == "notes: created 2, edited 0, unchanged 0\n")
    }

    @Test func `With --pk, each record is printed alone, with its pk in that member`() throws {
        let shop = try Workshop()
        try shop.done("create", "--store", "a.db", "notes", "1", #"{"a":1}"#)
        try shop.done("create", "--store", "a.db", "notes", "2", #"{"id":2}"#)
        #expect(
            try shop.done("export", "--store", "a.db", "notes", "--pk", "id") == "{\"a\":1,\"id\":\"1\"}\n{\"id\":2}\n")
        try shop.done("create", "--store", "a.db", "notes", "3", #"{"id":4}"#)
        let other = try shop.run("export", "--store", "a.db", "notes", "--pk", "id")
        #expect(other.status == 1)
        #expect(other.errors.contains(#"the pk of the record “3” can't be printed as “id”, which is 4 in it"#))
        let nowhere = try shop.run("export", "--store", "a.db", "notes", "--pk", "/x/y")
        #expect(nowhere.errors.contains("“/x/y”, which has no place in it"))
    }

    // MARK: Random records

    private static func pk(_ dice: inout SeededGenerator) -> String {
        let parts = [
            "a", "/", "~1", " ", "\"", "\\", "0", "-0", "007", "1e3", "null", "{}", "pk", "é", "e\u{301}", "\u{0}",
            "\u{1F600}",
            "\n", "\t", "\u{2028}", "\u{7F}", "--help", "-", "%2F", "true", "record",
        ]
        return (0...Int.random(in: 0...2, using: &dice)).map { _ in
            parts[Int.random(in: 0..<parts.count, using: &dice)]
        }.joined()
    }

    private static func record(_ dice: inout SeededGenerator, depth: Int = 0) -> JSON {
        let names = ["pk", "record", "id", "", "a", "/", "$oid", "é", "\n"]
        let members = (0..<Int.random(in: 0...3, using: &dice)).map { _ in
            let name = names[Int.random(in: 0..<names.count, using: &dice)]
            let scalars: [JSON] = [.null, true, -0.5, 12, "x\n\u{1E}\u{2028}", [], [[1], .null], [:]]
            return (
                name,
                depth < 3 && dice.oneIn(2)
                    ? Self.record(&dice, depth: depth + 1) : scalars[Int.random(in: 0..<scalars.count, using: &dice)]
            )
        }
        return .object(JSONObject(members))
    }

    /// The records of a store, as `list` prints them.
    private static func stored(_ store: String, _ shop: Workshop) throws -> [CodePointString: JSON] {
        var records: [CodePointString: JSON] = [:]
        for line in try shop.run("list", "--store", store, "notes", "--json").lines {
            let json = try JSON(parsing: line)
            records[CodePointString(try #require(json["pk"]?.string))] = json["view"]
        }
        return records
    }
}
