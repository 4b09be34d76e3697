import CoreSupport
import TestSupport
import Testing
import TidemarkCore
import TidemarkJSON
import TidemarkRules
import TidemarkTesting

/// Two lists, one in the other, with todos.
@Suite("delete(referring:)") struct ReferringTests {
    private let server: KeyServer
    private let client: SyncClient

    init() async throws {
        let references = [
            "todos": ["/list": "lists", "/also/*": "lists", "/steps/*/list": "lists"], "lists": ["/parent": "lists"],
        ]
        self.server = try KeyServer(references)
        self.client = try StoreKind.memory.client(of: self.server, references)
        try await self.client["lists"].create(["name": "Home"], pk: "42")
        try await self.client["lists"].create(["parent": "42"], pk: "43")
        try await self.client["todos"].create(["list": "42", "n": 1], pk: "1")
        try await self.client["todos"].create(["list": "43", "also": ["42", "43", "42"]], pk: "2")
        try await self.client["todos"].create(["steps": [["list": "42", "n": 2], ["list": "43"]]], pk: "3")
        try await self.client["todos"].create(["list": "43"], pk: "4")
        _ = try await self.client.sync()
    }

    private var list: SyncRecord<JSON> { self.client["lists"]["42"] }

    private func views() async throws -> [String] {
        var views: [String] = []
        for name in ["lists", "todos"] {
            for record in try await self.client[name].list() {
                if let content = try record.content { views.append("\(name)/\(record.pk) \(content.text)") }
            }
        }
        return views
    }

    @Test func `keep leaves the others as they are`() async throws {
        let before = try await self.views()
        let edits = try await self.list.delete(referring: .keep)
        #expect(edits.map(\.pk) == ["42"])
        #expect(try await self.views() == Array(before.dropFirst()))
    }

    @Test func `refuse names the others, and changes nothing`() async throws {
        let before = try await self.views()
        let error = await #expect(throws: TidemarkError.self) { try await self.list.delete(referring: .refuse) }
        #expect(error?.code == .recordReferred)
        #expect(error?.message.contains("lists/43, todos/1, todos/2, todos/3.") == true, "\(error?.message ?? "")")
        #expect(try await self.views() == before)
        try await self.client["todos"]["4"].delete(referring: .refuse)
    }

    @Test func `clear removes the members and the elements that name it`() async throws {
        try await self.list.delete(referring: .clear)
        #expect(
            try await self.views() == [
                #"lists/43 {}"#, #"todos/1 {"n":1}"#, #"todos/2 {"list":"43","also":["43"]}"#,
                #"todos/3 {"steps":[{"n":2},{"list":"43"}]}"#, #"todos/4 {"list":"43"}"#,
            ])
        #expect(try await self.client.sync().outcome == .inSync)
        #expect(self.server.keyRefusals.isEmpty)
        #expect(self.server.posts.last?.description == "lists: -42")
    }

    @Test func `delete deletes them with those that name them, and one undo brings all back`() async throws {
        let before = try await self.views()
        let edits = try await self.list.delete(referring: .delete)
        #expect(Set(edits.map { "\($0.collection)/\($0.pk)" }).count == 6)
        #expect(try await self.views().isEmpty)
        try await self.client.transaction { (t) throws(TidemarkError) in _ = try t.undo(edits) }
        #expect(try await self.views().sorted() == before.sorted())
        try await self.list.delete(referring: .delete)
        #expect(try await self.client.sync().outcome == .inSync)
        #expect(self.server.keyRefusals.isEmpty)
        #expect(self.server.posts.last?.description == "lists: -42")
    }

    @Test func `records that name each other are deleted once`() async throws {
        try await self.list.edit { $0.parent = "43" }
        try await self.list.delete(referring: .delete)
        #expect(try await self.views().isEmpty)
    }

    @Test func `more records than a transaction may change are an error, and nothing is changed`() async throws {
        var configuration = SyncConfiguration()
        configuration["todos"].references = ["/list": "lists"]
        configuration.limits.transactionRecords = 3
        let client = try SyncClient(
            store: MemoryStore(), remote: InProcessRemote(try InProcessServer()), configuration: configuration,
            time: ManualClock(), seed: 1)
        try await client["lists"].create([:], pk: "42")
        for number in 0..<4 { try await client["todos"].create(["list": "42"], pk: "\(number)") }
        let error = await #expect(throws: TidemarkError.self) {
            try await client["lists"]["42"].delete(referring: .clear)
        }
        #expect(error?.code == .transactionTooLarge)
        #expect(try await client["lists"]["42"].get() != nil)
    }

    /// The step created a list, and a colleague added a todo to it.
    @Test @MainActor func `U7: an undo keeps a record that another one names`() async throws {
        let history = UndoHistory(self.client)
        try await history.perform("New list") { t in
            try t["lists"].create(["name": "Garden"], pk: "50")
            try t["todos"].create(["list": "50"], pk: "60")
        }
        _ = try await self.client.sync()
        try await self.client["todos"]["4"].edit { $0.list = "50" }
        let left = try await history.undo()
        #expect(left.map(\.reason) == [.referred] && left.map(\.pk) == ["50"])
        #expect(try await self.client["lists"]["50"].get() != nil)
        #expect(try await self.client["todos"]["60"].get() == nil)
        try await self.client["todos"]["4"].edit { $0.list = "43" }
        try await history.redo()
        #expect(try await history.undo() == [])
        #expect(try await self.client["todos"]["60"].get() == nil)
    }
}
