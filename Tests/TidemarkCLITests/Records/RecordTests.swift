import Foundation
import Testing

@Suite struct `Records` {
    @Test func `Records are created, changed, printed and deleted without a server`() throws {
        let shop = try Workshop()
        try shop.done("create", "--store", "a.db", "notes", "42", #"{"title":"Milk","n":1.10,"tags":["a"]}"#)
        try shop.done("edit", "--store", "a.db", "notes", "42", "/title", #""Oat milk""#)
        try shop.done("edit", "--store", "a.db", "notes", "42", "/tags/-", #""b""#)
        try shop.done("edit", "--store", "a.db", "notes", "42", "/big", "-12345678901234567890")
        #expect(
            try shop.done("get", "--store", "a.db", "notes", "42")
                == #"{"title":"Oat milk","n":1.10,"tags":["a","b"],"big":-12345678901234567890}"# + "\n")
        try shop.done("edit", "--store", "a.db", "notes", "42", "--remove", "/tags")
        try shop.done(
            "edit", "--store", "a.db", "notes", "42", "--patch", "-",
            input: #"[{"op":"test","path":"/title","value":"Oat milk"},{"op":"move","from":"/big","path":"/large"}]"#)
        try shop.done("edit", "--store", "a.db", "notes", "42", "--merge", "-", input: #"{"n":null,"done":true}"#)
        #expect(
            try shop.done("get", "--store", "a.db", "notes", "42")
                == #"{"title":"Oat milk","large":-12345678901234567890,"done":true}"# + "\n")
        try shop.done("delete", "--store", "a.db", "notes", "42")
        let gone = try shop.run("get", "--store", "a.db", "notes", "42")
        #expect(gone.status == 1)
        #expect(gone.errors == "tidemark: There is no record “42” in notes.\n")
    }

    @Test(arguments: [
        (["create", "notes", "1", "{}"], "There is a record “1” in notes already"),
        (["create", "notes", "2", "[1]"], "A record is a JSON object"),
        (["create", "notes", "2", "{a}"], "(the JSON typed):1:2: found 'a' where a key is expected"),
        (["get", "notes", "9"], "There is no record “9” in notes"),
        (["edit", "notes", "9", "/a", "1"], "There is no record “9” in notes"),
        (["edit", "notes", "1", "", "5"], "A record is a JSON object"),
        (["edit", "notes", "1", "/b/c", "1"], "the document has no value at “/b”"),
        (["edit", "notes", "1", "--remove", "/b"], "the document has no value at “/b”"),
        (["edit", "notes", "1", "--patch", "none.json"], "none.json: No such file or directory"),
        (["delete", "notes", "9"], "There is no record “9” in notes"),
        (["retry", "notes", "1"], "is not held"),
        (["resolve", "notes", "1", "--take", "server"], "has no open conflict"),
        (["restore", "notes", "7"], "has no entry 7"),
    ])
    func `An impossible change is rejected with a reason, and changes nothing`(_ words: [String], _ message: String)
        throws
    {
        let shop = try Workshop()
        try shop.done("create", "--store", "a.db", "notes", "1", #"{"a":1}"#)
        let run = try shop.run([words[0], "--store", "a.db"] + words.dropFirst())
        #expect(run.status == 1)
        #expect(run.errors.contains(message), "\(run.errors)")
        #expect(run.output == "")
        #expect(try shop.done("list", "--store", "a.db", "notes") == "1\tCREATED.idle\t{\"a\":1}\n")
    }

    @Test func `The JSON of a record is that of Contract §8, with its unconfirmed upload`() throws {
        let shop = try Workshop()
        try shop.done("create", "--store", "a.db", "notes", "1", #"{"a":1}"#)
        let edits = #"[{"op":"add","path":"","value":{"a":1}}]"#
        #expect(
            try shop.done("get", "--full", "--store", "a.db", "notes", "1")
                == #"{"pk":"1","sync_state":"CREATED","phase":"CREATED.idle","updated_at":null,"data":null,"upload":null,"#
                + #""edited_data":\#(edits),"view":{"a":1}}"# + "\n")
        let server = try shop.serve()
        try shop.device("a.db", server)
        // The first request with new credentials has no edits.
        try shop.done("sync", "--store", "a.db")
        try shop.done("create", "--store", "a.db", "notes", "2", #"{"a":1}"#)
        _ = try server.tool.stop()
        #expect(try shop.run("sync", "--store", "a.db").status == 4)
        try shop.done("edit", "--store", "a.db", "notes", "2", "/b", "2")
        let line = try #require(try shop.run("list", "--store", "a.db", "notes", "--json").lines.last)
        #expect(
            line.hasPrefix(
                #"{"pk":"2","sync_state":"CREATED","phase":"CREATED.unconfirmed","updated_at":null,"data":null,"#))
        #expect(line.contains(#","edited_data":\#(edits)},"edited_data":[{"op":"add","path":"/b","value":2}],"#))
        #expect(line.hasSuffix(#""view":{"a":1,"b":2}}"#))
    }

    @Test func `Records are listed by state, ordered by pk, over several pages`() throws {
        let shop = try Workshop()
        let lines = (0..<1_201).map { #"{"id":\#($0 + 10_000)}"# }.joined(separator: "\n")
        try shop.done("import", "--store", "a.db", "notes", "-", "--pk", "id", input: lines)
        let listed = try shop.run("list", "--store", "a.db", "notes", "--state", "CREATED").lines
        let pks: [String] = listed.map { String($0.prefix(5)) }
        let expected: [String] = (10_000..<11_201).map { String($0) }
        #expect(pks == expected)
        #expect(try shop.done("list", "--store", "a.db", "notes", "--state", "EDITED", "--state", "synced") == "")
    }

    @Test func `A reader that closes the pipe early causes no error`() throws {
        let shop = try Workshop()
        let lines = (0..<3_000).map { #"{"id":\#($0),"text":"\#(String(repeating: "x", count: 60))"}"# }
        try shop.done("import", "--store", "a.db", "notes", "-", "--pk", "id", input: lines.joined(separator: "\n"))
        let process = Process()
        let (output, errors) = (Pipe(), Pipe())
        process.executableURL = try Workshop.tool()
        process.arguments = ["list", "--store", shop.path("a.db"), "notes", "--json"]
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        #expect(try #require(try output.fileHandleForReading.read(upToCount: 5)).count == 5)
        try output.fileHandleForReading.close()
        process.waitUntilExit()
        #expect(process.terminationReason == .exit)
        #expect(errors.fileHandleForReading.readDataToEndOfFile().isEmpty)
    }
}
