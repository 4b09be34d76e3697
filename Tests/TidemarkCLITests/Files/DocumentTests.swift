import Foundation
import Testing
import Tidemark

@Suite struct `Documents` {
    @Test func `json check prints nothing for JSON, and the place of an error`() throws {
        let shop = try Workshop()
        try shop.write("{\"a\":1,\n \"b\":,}", to: "x.json")
        let wrong = try shop.run("json", "check", "x.json")
        #expect(wrong.status == 1)
        #expect(wrong.errors.hasPrefix("x.json:2:6: found a comma where a value is expected"), "\(wrong.errors)")
        let right = try shop.run("json", "check", "-", input: "[1e400, -0]")
        #expect(right.status == 0)
        #expect(right.output + right.errors == "")
    }

    @Test func `json canonical prints exactly the bytes of RFC 8785`() throws {
        let shop = try Workshop()
        let run = try shop.run("json", "canonical", "-", input: #"{ "b": 1.0, "a": "\u0041\/", "c": 1e21 }"#)
        #expect(run.output == #"{"a":"A/","b":1,"c":1e+21}"#)
        let large = try shop.run("json", "canonical", "-", input: #"{"a":[1e400]}"#)
        #expect(large.status == 1)
        #expect(large.errors.contains("at /a/0: 1e400 is beyond the range of doubles"))
    }

    @Test func `patch apply turns A into B with the patch that patch diff printed`() throws {
        let shop = try Workshop()
        try shop.write(#"{"a":1.10,"b":[1,2],"c":"caf\u00e9"}"#, to: "a.json")
        try shop.write(#"{"a":1.10,"b":[1],"d":null,"c":"caf\u00e9"}"#, to: "b.json")
        let patch = try shop.done("patch", "diff", "a.json", "b.json")
        #expect(
            patch
                == "[{\"op\":\"replace\",\"path\":\"/b\",\"value\":[1]},{\"op\":\"add\",\"path\":\"/d\",\"value\":null}]\n"
        )
        let document = try shop.done("patch", "apply", "a.json", "-", input: patch)
        #expect(document == "{\"a\":1.10,\"b\":[1],\"c\":\"caf\\u00e9\",\"d\":null}\n")
    }

    @Test func `A patch that does not fit prints a reason and no document`() throws {
        let shop = try Workshop()
        try shop.write(#"{"a":1}"#, to: "a.json")
        let run = try shop.run("patch", "apply", "a.json", "-", input: #"[{"op":"remove","path":"/z"}]"#)
        #expect(run.status == 1)
        #expect(run.output == "")
        #expect(run.errors.contains("operation 1 of 1 (remove): the document has no value at “/z”"), "\(run.errors)")
    }

    @Test func `patch merge lists every clash, decided or not`() throws {
        let shop = try Workshop()
        try shop.write(#"{"title":"Milk","price":1}"#, to: "base.json")
        try shop.write(#"{"title":"Milk","price":2,"shop":"A"}"#, to: "server.json")
        try shop.write(#"{"title":"Oat","price":3}"#, to: "client.json")
        try shop.write(#"{"/price":"server"}"#, to: "fields.json")
        let plain = try shop.done("patch", "merge", "base.json", "server.json", "client.json")
        let price = #"[{"path":"/price","base":1,"server":2,"client":3}]"#
        let edits = #"{"op":"replace","path":"/title","value":"Oat"}"#
        #expect(
            plain == #"{"merged":{"title":"Oat","price":3,"shop":"A"},"#
                + #""edited_data":[{"op":"replace","path":"/price","value":3},\#(edits)],"clashes":\#(price)}"# + "\n")
        let ruled = try shop.done("patch", "merge", "base.json", "server.json", "client.json", "--rules", "fields.json")
        #expect(
            ruled == #"{"merged":{"title":"Oat","price":2,"shop":"A"},"edited_data":[\#(edits)],"clashes":\#(price)}"#
                + "\n")
    }

    @Test
    func
        `patch merge merges as the client does, and exits with 2 if the user must decide`()
        throws
    {
        let shop = try Workshop()
        let files = [
            "base": #"{"count":5,"tags":["a"],"lines":[{"id":1,"n":1}],"text":"a quick fox","seen":1,"price":1}"#,
            "server":
                #"{"count":8,"tags":["a","s"],"lines":[{"id":1,"n":4},{"id":2}],"text":"a slow fox","seen":5,"price":2}"#,
            "client": #"{"count":6,"tags":["c"],"lines":[{"id":1,"n":2}],"text":"a quick dog","seen":4,"price":3}"#,
            "rules": #"""
            {"/tags":"union","/count":"sum","/lines":{"keyed":"id"},"/lines/*/n":"sum","/text":"text",
             "/seen":{"latest":"/seen"},"/price":"ask"}
            """#,
        ]
        for (name, text) in files { try shop.write(text, to: "\(name).json") }
        let run = try shop.run("patch", "merge", "base.json", "server.json", "client.json", "--rules", "rules.json")
        #expect(run.status == 2)
        let merge = try JSON(parsing: Array(run.output.utf8))
        #expect(
            merge["merged"] == [
                "count": 9, "tags": ["s", "c"], "lines": [["id": 1, "n": 5], ["id": 2]], "text": "a slow dog",
                "seen": 5, "price": 3,
            ])
        #expect(merge["clashes"]?.array?.compactMap { $0["path"]?.string } == ["/price", "/seen"])
    }

    @Test func `json check checks several files, and prints the errors of each`() throws {
        let shop = try Workshop()
        try shop.write("{}", to: "good.json")
        try shop.write("{", to: "bad.json")
        #expect(try shop.run("json", "check", "good.json", "good.json").status == 0)
        let run = try shop.run("json", "check", "bad.json", "missing.json", "good.json")
        #expect(run.status == 1)
        #expect(
            run.errors.contains("bad.json:1:2: ") && run.errors.contains("missing.json: No such file"), "\(run.errors)")
    }

    @Test(arguments: ["x.ndjson", "x.JSONL", "x.txt", "-"])
    func `json check reads one text per line`(_ name: String) throws {
        let shop = try Workshop()
        let words = name.hasPrefix("x.") && name != "x.txt" ? [name] : [name, "--ndjson"]
        let text = "{\"a\":1}\n\n[2]\r\n  3"
        if name != "-" { try shop.write(text, to: name) }
        let right = try shop.run(["json", "check"] + words, input: text)
        #expect(right.status == 0 && right.errors == "", "\(right.errors)")
        let wrong = "{\"a\":1}\n{\"a\":,}\n{}\n{"
        if name != "-" { try shop.write(wrong, to: name) }
        let run = try shop.run(["json", "check"] + words, input: wrong)
        let called = name == "-" ? "(standard input)" : name
        #expect(run.status == 1)
        #expect(run.errors.contains("\(called):2:6: ") && run.errors.contains("\(called):4:2: "), "\(run.errors)")
        #expect(run.errors.split(separator: "\n").count == 2)
    }

    @Test func `json check suggests --ndjson, and prints a hundred wrong lines at most`() throws {
        let shop = try Workshop()
        let run = try shop.run("json", "check", "-", input: "{}\n{}\n")
        #expect(run.status == 1)
        #expect(run.errors.contains("if each line is one JSON text, add --ndjson"), "\(run.errors)")
        let many = try shop.run("json", "check", "-", "--ndjson", input: String(repeating: "x\n", count: 250))
        #expect(many.errors.split(separator: "\n").count == 101)
        #expect(many.errors.hasSuffix("(standard input): and 150 more lines\n"))
    }

    @Test func `A byte order mark at the start is ignored with a warning`() throws {
        let shop = try Workshop()
        try shop.write("\u{FEFF}{\"a\":1}", to: "x.json")
        let check = try shop.run("json", "check", "x.json")
        #expect(check.status == 0)
        #expect(check.errors == "x.json: a byte order mark at the start was ignored; UTF-8 needs none\n")
        #expect(try shop.done("json", "canonical", "x.json") == "{\"a\":1}")
        // Only one, and only at the start.
        try shop.write("\u{FEFF}\u{FEFF}{}", to: "x.json")
        #expect(try shop.run("json", "check", "x.json").status == 1)
        for short in ["", "\u{FEFF}", "1"] {
            try shop.write(short, to: "x.json")
            #expect(try shop.run("json", "check", "x.json").status == (short == "1" ? 0 : 1))
        }
    }

    @Test func `A dash in place of JSON or a file reads standard input`() throws {
        let shop = try Workshop()
        try shop.done("create", "--store", "a.db", "notes", "1", "-", input: #"{"n":1}"#)
        try shop.done("edit", "--store", "a.db", "notes", "1", "/n", "-", input: "2")
        try shop.done("edit", "--store", "a.db", "notes", "1", "--merge", "-", input: #"{"m":3}"#)
        try shop.done("edit", "--store", "a.db", "notes", "1", "--patch", "-", input: #"[{"op":"remove","path":"/n"}]"#)
        #expect(try shop.done("get", "--store", "a.db", "notes", "1") == "{\"m\":3}\n")
        let twice = try shop.run("patch", "diff", "-", "-", input: "{}")
        #expect(twice.status == 64)
        #expect(twice.errors.contains("- is standard input, which can be read once only"), "\(twice.errors)")
    }
}
