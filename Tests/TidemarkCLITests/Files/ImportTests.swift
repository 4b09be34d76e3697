import Foundation
import Testing

@Suite struct `The command import` {
    struct Case: Sendable, CustomTestStringConvertible {
        var bytes: [UInt8]
        var message: String

        init(_ text: String, _ message: String) {
            self.init(bytes: Array(text.utf8), message)
        }

        init(bytes: [UInt8], _ message: String) {
            self.bytes = bytes
            self.message = message
        }

        var testDescription: String { self.message }
    }

    @Test(arguments: [
        Case("", "in.json is empty"),
        Case(" \n ", "in.json is empty"),
        Case("hello", "in.json:1:1: found 'h' where a value is expected"),
        Case(#"[{"id":1},]"#, "in.json:1:11: found ']' where a value is expected"),
        Case(#"[{"id":1}"#, "in.json:1:10: the text ends inside the array that starts at line 1, column 1"),
        Case(
            "\n [{\"id\":1},\n{\"id\":2}", "in.json:3:9: the text ends inside the array that starts at line 2, column 2"
        ),
        Case(
            "[{\"id\":1},\n  {\"id\":2", "in.json:2:10: the text ends inside the object that starts at line 2, column 3"
        ),
        Case(#"[,{"id":1}]"#, "in.json:1:2: found a comma where a value is expected"),
        Case(#"[{"id":1},,{"id":2}]"#, "in.json:1:11: found a comma where a value is expected"),
        Case("[{\"id\":1} {\"id\":2}]", "in.json:1:11: found '{'"),
        Case("[{\"id\":1]\n,{\"id\":2}]", "in.json:1:9: found ']'"),
        Case("[{\"id\":1}]\n x", "in.json:2:2: found 'x'"),
        Case("{\"id\":1}\n{\"id\":2", "in.json:2:8: the text ends inside the object"),
        Case(
            "{\"id\":1}\n{\"id\":2,\n", "in.json:3:1: the text ends inside the object that starts at line 2, column 1"),
        Case("null", "in.json:1:1: a record is a JSON object, and this is null"),
        Case(
            "{\"notes\":[{\"id\":1}]}",
            "the record has: notes. Choose a member with --pk: a name, or a pointer such as /key/id; if the records are in “notes”, "
                + "add --at /notes. Nothing was imported"),
        Case(
            "{\"k1\":{\"a\":1},\"k2\":{\"a\":2}}",
            "the record has: k1, k2. Choose a member with --pk: a name, or a pointer such as /key/id; if the members of this "
                + "object are the records, use --by-key. Nothing was imported"),
        Case(
            "{\"n\":1,\"by id\":{\"k1\":{\"a\":1}}}",
            "if the records are in “by id”, add --at '/by id' --by-key. Nothing was imported"),
        Case(
            #"{"pk":"42","record":{"title":"Milk"}}"#,
            "the record has: pk, record. This is a line of tidemark export: leave out --pk"),
        Case(#"[{"id":{"$oid":"5"}}]"#, #"Choose another with --pk, such as --pk '/id/$oid'"#),
        Case("[{\"id\":-0},\n {\"id\":0}]", "in.json:2:2: the pk “0” is also at 1:2"),
        Case("\u{1E}{\"id\":1}\n", "RS (RFC 7464"),
        Case(bytes: [0x1F, 0x8B, 8, 0], "in.json: the file is packed with gzip. Unpack it first"),
        Case(bytes: [0x28, 0xB5, 0x2F, 0xFD], "packed with zstd"),
        Case("\"text\"", "in.json:1:1: a record is a JSON object, and this is \"text\""),
        Case("[{\"id\":1},\n  5]", "in.json:2:3: a record is a JSON object, and this is 5"),
        Case("{\"id\":1}\n\n [1]", "in.json:3:2: a record is a JSON object, and this is [1]"),
        Case(#"[{"key":1,"title":2}]"#, #"no member “id” for the pk; the record has: key, title"#),
        Case(#"[{"id":1.5}]"#, #"“id” is 1.5; a pk is a string or a whole number"#),
        Case(#"[{"id":1e3}]"#, #"“id” is 1e3"#),
        Case(#"[{"id":null}]"#, #"“id” is null"#),
        Case(#"[{"id":["a"]}]"#, #"“id” is ["a"]"#),
        Case(#"[{"id":""}]"#, "a pk has from 1 to 512"),
        Case(#"[{"id":"\#(String(repeating: "k", count: 513))"}]"#, "has 513 bytes; a pk has from 1 to 512"),
        Case(#"[{"id":"\"},{"},"# + "\n  5]", "in.json:2:3: a record is a JSON object, and this is 5"),
        Case("[{\"id\":\"a\"},\n {\"id\":\"a\"}]", #"in.json:2:2: the pk “a” is also at 1:2"#),
        Case("{\"id\":7}\n{\"id\":\"7\"}", #"in.json:2:1: the pk “7” is also at 1:1"#),
        Case(
            ((1...300).map { "{\"id\":\($0)}" } + ["{\"id\":5}"]).joined(separator: "\n"),
            #"in.json:301:1: the pk “5” is also at 5:1"#),
        Case(
            bytes: Array(#"[{"id":""#.utf8) + [0xFF] + Array(#""}]"#.utf8),
            "in.json:1:9: this byte (0xFF) is not valid UTF-8"),
        Case(bytes: [0xFF, 0xFE, 0x5B, 0x00, 0x5D, 0x00], "looks like UTF-16"),
    ])
    func `An invalid file is rejected with the place of its error, and imports nothing`(_ wrong: Case) throws {
        let shop = try Workshop()
        try shop.done("create", "--store", "a.db", "notes", "old", #"{"id":"old"}"#)
        try Data(wrong.bytes).write(to: URL(fileURLWithPath: shop.path("in.json")))
        let run = try shop.run("import", "--store", "a.db", "notes", "in.json", "--pk", "id")
        #expect(run.status == 1)
        #expect(run.errors.contains(wrong.message), "\(run.errors)")
        #expect(try shop.run("list", "--store", "a.db", "notes").lines.count == 1)
    }

    @Test func `A missing file and a folder are rejected`() throws {
        let shop = try Workshop()
        let missing = try shop.run("import", "--store", "a.db", "notes", "in.json", "--pk", "id")
        #expect(missing.status == 1)
        #expect(missing.errors.contains("in.json: No such file or directory. Check the name"))
        let folder = try shop.run("import", "--store", "a.db", "notes", ".", "--pk", "id")
        #expect(folder.status == 1)
        #expect(folder.errors.contains(". is a folder"))
    }

    @Test(arguments: ["[\n{\"id\":1,\"text\":\"", "{\"id\":1,\"text\":\""])
    func `A huge record is rejected with the limit and how to raise it`(_ start: String) throws {
        let shop = try Workshop()
        try shop.write(start + String(repeating: "x", count: 100_000), to: "in.json")
        let run = try shop.run("import", "--store", "a.db", "notes", "in.json", "--pk", "id", "--max-size", "64KiB")
        #expect(run.status == 1)
        let place = start.hasPrefix("[") ? "2:1" : "1:1"
        #expect(
            run.errors.contains(
                "in.json:\(place): a record here has more than 65536 bytes. Allow more with --max-size"),
            "\(run.errors)")
    }

    @Test func `Import creates new records, changes known ones, and keeps the rest`() throws {
        let shop = try Workshop()
        try shop.write(#"[{"id":1,"n":1.10},{"id":2,"n":2},{"id":3,"n":3}]"#, to: "in.json")
        let first = try shop.run("import", "--store", "a.db", "notes", "in.json", "--pk", "id")
        #expect(first.errors == "notes: created 3, edited 0, unchanged 0\n")
        let lines = "{\"id\":1,\"n\":1.1}\r\n\n{\"id\":2,\"n\":20}\n{\"id\":4}"
        let second = try shop.run("import", "--store", "a.db", "notes", "-", "--pk", "id", input: lines)
        #expect(second.errors == "notes: created 1, edited 1, unchanged 1\n")
        #expect(try shop.done("get", "--store", "a.db", "notes", "2") == "{\"id\":2,\"n\":20}\n")
        #expect(try shop.done("get", "--store", "a.db", "notes", "1") == "{\"id\":1,\"n\":1.10}\n")
    }

    @Test func `Import reads indented values, and the array at a pointer`() throws {
        let shop = try Workshop()
        let values = try shop.run(
            "import", "--store", "a.db", "notes", "-", "--pk", "id", input: "{\n \"id\": 1\n}\n{\n \"id\": 2\n}\n")
        #expect(values.errors == "notes: created 2, edited 0, unchanged 0\n")
        let input = #"{"meta":{"data":[5]},"data":{"rows":[{"id":2},{"id":3}],"next":null}}"#
        let array = try shop.run(
            "import", "--store", "a.db", "notes", "-", "--pk", "id", "--at", "/data/rows", input: input)
        #expect(array.errors == "notes: created 1, edited 0, unchanged 1\n")
        let missing = try shop.run(
            "import", "--store", "a.db", "notes", "-", "--pk", "id", "--at", "/rows", input: input)
        #expect(missing.status == 1)
        #expect(missing.errors.contains("the text has no array at “/rows”; check the pointer. Nothing was imported"))
        let usage = try shop.run("import", "--store", "a.db", "notes", "-", "--pk", "id", "--at", "rows", input: input)
        #expect(usage.status == 64)
    }

    @Test func `Import warns of a duplicate key, with its place`() throws {
        let shop = try Workshop()
        let run = try shop.run(
            "import", "--store", "a.db", "notes", "-", "--pk", "id", input: "{\"id\":1}\n{\"id\":2,\"id\":3}")
        #expect(run.status == 0)
        #expect(run.errors.contains("(standard input):2:9: warning: the key “id” comes twice"))
    }

    @Test(arguments: ["array", "lines"])
    func `A file of several chunks keeps every record unchanged`(_ form: String) throws {
        let shop = try Workshop()
        // More than 3 MiB; a chunk has a quarter of one, so that records cross the ends of chunks.
        let records = (0..<3_300).map { number in
            (
                pk: String(10_000 + number),
                text: "{\"id\":\(10_000 + number),\"t\":\"\\\",[\(number)-\(String(repeating: "ä✓x", count: 160))\"}"
            )
        }
        let texts = records.map(\.text)
        try shop.write(
            form == "array" ? "[\(texts.joined(separator: ",\n"))]" : texts.joined(separator: "\n"), to: "in.json")
        let run = try shop.run("import", "--store", "a.db", "notes", "in.json", "--pk", "id")
        #expect(run.errors == "notes: created 3300, edited 0, unchanged 0\n")
        let export = try shop.done("export", "--store", "a.db", "notes", "--pk", "id")
        #expect(export.split(separator: "\n").elementsEqual(texts) { $0 == $1 })
        let again = try shop.run("import", "--store", "a.db", "notes", "in.json", "--pk", "id")
        #expect(again.errors == "notes: created 0, edited 0, unchanged 3300\n")
    }

    @Test(arguments: ["[{\"id\":1}]", "{\"id\":1}\n"])
    func `Import ignores a byte order mark, with a warning`(_ text: String) throws {
        let shop = try Workshop()
        try shop.write("\u{FEFF}\(text)", to: "in.json")
        let run = try shop.run("import", "--store", "a.db", "notes", "in.json", "--pk", "id")
        #expect(run.status == 0)
        #expect(run.errors.contains("in.json: a byte order mark at the start was ignored"), "\(run.errors)")
        #expect(try shop.done("export", "--store", "a.db", "notes", "--pk", "id") == "{\"id\":1}\n")
    }

    @Test func `Import shows its progress on a terminal, and removes it`() throws {
        let shop = try Workshop()
        try shop.write("[\((0..<1_200).map { "{\"id\":\($0)}" }.joined(separator: ","))]", to: "in.json")
        let run = try PseudoTerminal(["import", "--store", "a.db", "notes", "in.json", "--pk", "id"], in: shop.folder)
            .finish()
        #expect(run.status == 0)
        #expect(run.errors.contains("] in.json: read "), "\(run.errors)")
        #expect(run.errors.hasSuffix("\r\u{1B}[Knotes: created 1200, edited 0, unchanged 0\r\n"), "\(run.errors)")
    }
}
