import Foundation
import Testing
import Tidemark

@testable import TidemarkCLI

@Suite struct `Queries on the command line` {
    let shop: Workshop

    init() throws {
        self.shop = try Workshop()
        try self.shop.write(#"{"collections":{"todos":{"indexes":[["/done","/due"]]}}}"#, to: "rules.json")
        try self.shop.done("init", "--store", "a.db", "--remote", "http://127.0.0.1:9/v1")
        for pk in 1...5 {
            let todo = #"{"done":\#(pk == 3),"due":\#(10 - pk),"price":\#(pk).50}"#
            try self.shop.done("create", "--store", "a.db", "todos", "\(pk)", todo)
        }
    }

    private func list(_ words: String...) throws -> ToolRun {
        try self.shop.run(["list", "--store", "a.db", "todos"] + words)
    }

    private func pks(_ run: ToolRun) -> [String] {
        run.lines.compactMap { $0.split(separator: "\t").first.map(String.init) }
    }

    @Test func `list finds and sorts records`() throws {
        let run = try self.list("--where", "/done = false and /price > 1.5", "--order", "-/price")
        #expect(run.status == 0 && run.errors == "", "\(run.errors)")
        #expect(self.pks(run) == ["5", "4", "2"])
    }

    @Test func `list prints the command for the next page, which works`() throws {
        let run = try self.list("--where", "/done = false", "--order", "/due", "--limit", "2")
        #expect(self.pks(run) == ["5", "4"])
        let line = try #require(run.errors.split(separator: "\n").first { $0.hasPrefix("more: tidemark ") })
        #expect(line.contains("--where '/done = false' --order /due --limit 2 --after "))
        let after = try #require(line.split(separator: " ").drop { $0 != "--after" }.dropFirst().first)
        let next = try self.list(
            "--where", "/done = false", "--order", "/due", "--limit", "2", "--after", String(after))
        #expect(self.pks(next) == ["2", "1"])
        #expect(next.errors == "")
    }

    @Test func `With --json the next cursor is on the last line, if there are more records`() throws {
        let lines = try self.list("--order", "-/due", "--limit", "3", "--json").lines
        #expect(lines.count == 3)
        #expect(lines.dropLast().allSatisfy { !$0.contains(#""next""#) })
        let last = try #require(try JSONSerialization.jsonObject(with: Data(lines[2].utf8)) as? [String: Any])
        #expect(last["pk"] as? String == "3")
        let cursor = try #require(last["next"] as? String)
        let rest = try self.list("--order", "-/due", "--limit", "3", "--json", "--after", cursor).lines
        #expect(rest.count == 2 && rest.allSatisfy { !$0.contains(#""next""#) })
    }

    @Test func `--state and --where hold together, and deleted records are in no query`() throws {
        #expect(self.pks(try self.list("--state", "CREATED", "--where", "/due < 7")) == ["4", "5"])
        #expect(self.pks(try self.list("--state", "EDITED", "--where", "/due < 7")) == [])
        let run = try self.list("--state", "DELETED", "--limit", "1")
        #expect(run.status == 64 && run.errors.contains("deleted here"), "\(run.errors)")
    }

    @Test func `--explain prints the plan and the number of records that were read`() throws {
        let run = try self.list("--where", "/done = false", "--order", "/due", "--limit", "1", "--explain")
        #expect(run.errors.contains("plan: all records; sorted; an index [/done, /due] is missing"), "\(run.errors)")
        #expect(run.errors.contains("read: 5 records"), "\(run.errors)")
    }

    @Test(arguments: [
        ("--where", "/done == false", "did you mean =?"), ("--where", "/done = maybe", "column 9"),
        ("--order", "due", "write /due"),
        ("--limit", "0", "not a number from 1"),
    ])
    func `An invalid query is refused as wrong usage, with the place`(option: String, value: String, hint: String)
        throws
    {
        let run = try self.list(option, value)
        #expect(run.status == 64 && run.errors.contains(hint), "\(run.errors)")
    }

    @Test func `A cursor of another query is refused with the remedy`() throws {
        let run = try self.list("--order", "/due", "--after", "AQ")
        #expect(run.status == 1 && run.errors.contains("Request the first page"), "\(run.errors)")
    }

    @Test func `check compares indexes and records, and names the store's collections`() throws {
        try self.shop.done("init", "--store", "a.db", "--rules", "rules.json")
        #expect(try self.shop.done("check", "--store", "a.db").hasPrefix("todos: "))
        let line = try self.shop.done("check", "--store", "a.db", "--json", "todos")
        #expect(line.hasPrefix(#"{"collection":"todos","indexes":["#) && line.contains(#""faults":[]"#), "\(line)")
        #expect(try self.shop.run("check", "--store", "a.db", "todo").errors.contains("did you mean todos?"))
    }

    @Test func `The tool keeps the indexes of an app, unless its rules file names other indexes`() throws {
        var settings = StoreSettings()
        #expect(try settings.configuration().keepsIndexes)
        settings.rules = #"{"collections":{"todos":{}}}"#
        #expect(try settings.configuration().keepsIndexes)
        settings.rules = #"{"collections":{"todos":{"indexes":[["/due"]]}}}"#
        #expect(try !settings.configuration().keepsIndexes)
        #expect(try settings.configuration().collections["todos"]?.indexes == [["/due"]])
    }

    @Test func `A condition accepts SYNCED, and an error ends with one mark`() throws {
        let shop = try Workshop()
        try shop.done("create", "--store", "a.db", "t", "1", "{}")
        #expect(try shop.done("list", "--store", "a.db", "t", "--where", "state SYNCED") == "")
        let wrong = try shop.run("list", "--store", "a.db", "t", "--where", "state SYNCE")
        #expect(wrong.errors.split(separator: "\n").first?.hasSuffix("did you mean SYNCD?") == true, "\(wrong.errors)")
    }

    @Test func `The cursor of a query with several states is the same in each process`() throws {
        let shop = try Workshop()
        for pk in ["1", "2", "3"] { try shop.done("create", "--store", "a.db", "t", pk, #"{"a":\#(pk)}"#) }
        let states = SyncState.allCases.filter { $0 != .deleted }.flatMap { ["--state", $0.rawValue] }
        let words = ["list", "--store", "a.db", "t", "--order", "/a", "--limit", "1"]
        // Sets have another order in each process.
        let pages = try (0..<6).map { _ in try shop.run(words + states).errors }
        #expect(Set(pages).count == 1, "\(pages)")
    }
}
