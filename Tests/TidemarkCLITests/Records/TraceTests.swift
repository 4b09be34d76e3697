import Foundation
import Testing

@Suite struct `Traces` {
    let shop: Workshop

    init() throws {
        self.shop = try Workshop()
        let server = try self.shop.serve()
        try self.shop.device("a.db", server)
        try self.shop.done("create", "--store", "a.db", "notes", "secret", #"{"title":"Milk"}"#)
        try self.shop.done("sync", "--store", "a.db")
        try self.shop.done("edit", "--store", "a.db", "notes", "secret", "/title", #""Oats""#)
        try self.shop.done("create", "--store", "a.db", "tasks", "1", "{}")
    }

    @Test func `A trace of several processes is printed, and replays in another one`() throws {
        let text = try self.shop.done("trace", "--store", "a.db")
        let lines = text.split(separator: "\n")
        #expect(lines.first == #"{"tidemark":"trace","version":3}"#)
        #expect(lines.count { $0.contains(#""event":"opened""#) } == 4)
        #expect(lines.contains { $0.contains(##""pk":"#1","event":"created","from":"absent","to":"CREATED.idle""##) })
        for word in ["Milk", "Oats", "secret"] { #expect(!text.contains(word)) }
        try self.shop.write(text, to: "a.trace")
        let run = try self.shop.run("replay", "a.trace")
        #expect(run.status == 0)
        #expect(run.output == "")
        #expect(run.errors == "a.trace: \(lines.count - 1) steps, all as the state machines of this version do them\n")
        #expect(try self.shop.done("trace", "--store", "a.db") == text)
    }

    @Test func `trace --names prints pks, of the given collections only`() throws {
        let text = try self.shop.done("trace", "--store", "a.db", "notes", "--names")
        #expect(text.contains(#""pk":"secret""#))
        #expect(!text.contains("tasks"))
        let run = try self.shop.run("replay", "-", input: text)
        #expect(run.status == 0, "\(run.errors)")
        let unknown = try self.shop.run("trace", "--store", "a.db", "note")
        #expect(unknown.status == 1)
        #expect(unknown.errors.contains("did you mean notes?"))
    }

    @Test func `A trace that differs from the machines fails with its line`() throws {
        let text = try self.shop.done("trace", "--store", "a.db")
        let planted = text.replacing(#""event":"sent","from":"CREATED.idle""#, with: #""event":"sent","from":"SYNCD""#)
        let lines = planted.split(separator: "\n")
        let line = try #require(lines.firstIndex { $0.contains(#""from":"SYNCD","to":"CREATED"#) })
        let run = try self.shop.run("replay", "-", input: planted)
        #expect(run.status == 1)
        #expect(
            run.errors.hasPrefix(
                "(standard input):\(line + 1): the record was CREATED.idle, and “sent” begins in SYNCD\n"),
            "\(run.errors)")
    }

    @Test func `An invalid trace is rejected with file, line and column`() throws {
        try self.shop.write("{\"tidemark\":\"trace\",\"version\":3}\n{\"n\":1,\"of\":\"moon\"}\n", to: "b.trace")
        let run = try self.shop.run("replay", "b.trace", "none.trace")
        #expect(run.status == 1)
        #expect(run.errors.contains("b.trace:2:"), "\(run.errors)")
        #expect(run.errors.contains("none.trace: No such file"), "\(run.errors)")
    }
}
