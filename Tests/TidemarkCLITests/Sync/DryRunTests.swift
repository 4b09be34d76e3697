import Foundation
import Testing

@Suite struct `Dry run` {
    @Test func `A dry run prints what a sync would send, and sends nothing`() throws {
        let shop = try Workshop()
        let server = try shop.serve()
        try shop.device("a.db", server)
        try shop.done("create", "--store", "a.db", "notes", "1", #"{"n":1}"#)
        try shop.done("create", "--store", "a.db", "notes", "2", #"{"n":2}"#)
        try shop.done("sync", "--store", "a.db")
        let version = try #require(
            try shop.done("get", "--full", "--store", "a.db", "notes", "1").split(separator: ",").first {
                $0.hasPrefix("\"updated_at\":")
            })
        try shop.done("edit", "--store", "a.db", "notes", "1", "/n", "5")
        try shop.done("delete", "--store", "a.db", "notes", "2")
        try shop.done("create", "--store", "a.db", "notes", "3", #"{"n":3}"#)
        let before = try shop.done("list", "--store", "a.db", "notes", "--json")
        let lines = try shop.run("sync", "--store", "a.db", "--dry-run", "--json").lines
        try #require(lines.count == 3)
        #expect(
            lines[0]
                == #"{"collection":"notes","pk":"1","sync_state":"EDITED",\#(version),"#
                + #""edited_data":[{"op":"replace","path":"/n","value":5}],"request_id":null}"#)
        #expect(lines[1].hasPrefix(#"{"collection":"notes","pk":"2","sync_state":"DELETED","updated_at":1"#))
        #expect(lines[1].hasSuffix(#","edited_data":null,"request_id":null}"#))
        #expect(
            lines[2]
                == #"{"collection":"notes","pk":"3","sync_state":"CREATED","updated_at":null,"#
                + #""edited_data":[{"op":"add","path":"","value":{"n":3}}],"request_id":null}"#)
        #expect(try shop.done("list", "--store", "a.db", "notes", "--json") == before)
        try shop.device("b.db", server)
        try shop.done("sync", "--store", "b.db", "notes")
        let there = try shop.done("list", "--store", "b.db", "notes")
        #expect(there == "1\tSYNCD\t{\"n\":1}\n2\tSYNCD\t{\"n\":2}\n")
    }

    @Test func `A dry run needs no server, and prints the edits as text`() throws {
        let shop = try Workshop()
        try shop.done("create", "--store", "a.db", "notes", "1", #"{"n":1}"#)
        let text = try shop.done("sync", "--store", "a.db", "notes", "other", "--dry-run")
        #expect(
            text
                == "notes 1: CREATED [{\"op\":\"add\",\"path\":\"\",\"value\":{\"n\":1}}]\nother: nothing to send\n"
        )
    }

    @Test func `A dry run prints the request that is sent again for an unconfirmed edit`() throws {
        let shop = try Workshop()
        let server = try shop.serve()
        try shop.device("a.db", server)
        try shop.done("create", "--store", "a.db", "notes", "1", #"{"n":1}"#)
        _ = try server.tool.stop()
        #expect(try shop.run("sync", "--store", "a.db").status == 4)
        let full = try shop.done("get", "--full", "--store", "a.db", "notes", "1")
        let upload = try #require(full.range(of: "\"request_id\":\"[^\"]+\"", options: .regularExpression))
        let line = try shop.done("sync", "--store", "a.db", "--dry-run", "--json")
        #expect(line.contains(full[upload]), "\(line)")
        #expect(
            try shop.done("sync", "--store", "a.db", "--dry-run").contains("sent again, since its outcome is unknown"))
    }

    @Test func `A dry run counts the edits that do not fit into one request`() throws {
        let shop = try Workshop()
        let lines = (0..<1_201).map { #"{"id":\#($0)}"# }.joined(separator: "\n")
        try shop.done("import", "--store", "a.db", "notes", "-", "--pk", "id", input: lines)
        let run = try shop.run("sync", "--store", "a.db", "--dry-run", "--json")
        #expect(run.status == 0)
        #expect(run.lines.count < 1_201)
        #expect(run.errors.contains("notes: \(1_201 - run.lines.count) more would follow"), "\(run.errors)")
    }
}
