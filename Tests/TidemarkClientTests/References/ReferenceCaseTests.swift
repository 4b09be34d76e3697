import CoreSupport
import TestSupport
import Testing
import TidemarkCore
import TidemarkDatabase
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkSQLite
import TidemarkTesting

/// Interleavings in which a wait begins or ends in another way than by an accepted create or delete.
@Suite("Waits beside deletes, conflicts and rollbacks (R26, R27)") struct ReferenceCaseTests {
    @Test(arguments: StoreKind.allCases)
    func `X6: a todo waits for a list that is created again while its delete is on its way`(
        _ kind: StoreKind
    ) async throws {
        let home = try await Household(kind)
        try await home.client["lists"].create([:], pk: "42")
        try await home.sync()
        try await home.client["lists"]["42"].delete()
        home.server.loseAnswers(true)
        try await home.sync(["lists"])
        home.server.loseAnswers(false)
        try await home.client["lists"].create(["n": 2], pk: "42")
        try await home.client["todos"].create(["list": "42"], pk: "1")
        #expect(try await home.sync(["todos"]).outcome == .waiting)
        #expect(try await home.sync().outcome == .inSync)
        #expect(home.posts.suffix(3) == ["lists: -42", "lists: +42", "todos: +1"], "\(home.posts)")
        #expect(home.server.keyRefusals.isEmpty)
    }

    @Test(arguments: [Verdict.takeClient, .takeServer], StoreKind.allCases)
    func `X9: a list's delete waits for a todo's delete that is in conflict`(
        _ verdict: Verdict, _ kind: StoreKind
    ) async throws {
        let home = try await Household(kind) { $0["todos"].tactic = AutoMerge(deleteEdit: .ask) }
        try await home.client["lists"].create([:], pk: "42")
        try await home.client["todos"].create(["list": "42"], pk: "1")
        try await home.sync()
        let guest = try home.guest()
        _ = try await guest.sync(["lists", "todos"])
        try await guest["todos"]["1"].edit { $0.done = true }
        _ = try await guest.sync()
        try await home.client["todos"]["1"].delete()
        try await home.client["lists"]["42"].delete()
        #expect(try await home.sync().outcome == .conflicts)
        let why = try await home.client["lists"]["42"].explain().why
        #expect(why == "Its deletion waits for todos/1, which is in conflict.", "\(why)")
        #expect(!home.posts.contains("lists: -42"))
        try await #require(try await home.client["todos"].conflicts.first).resolve(verdict)
        let report = try await home.sync()
        #expect(report.outcome == (verdict == .takeClient ? .inSync : .held))
        #expect(home.posts.last == "lists: -42", "\(home.posts)")
        // The todo names the list again, and only the server can decide about that.
        #expect(home.server.keyRefusals == (verdict == .takeClient ? [] : ["-lists/42"]))
    }

    @Test func `X10: todos keep the pk when the list here gets another one`() async throws {
        let home = try await Household { $0["lists"].tactic = AskUser() }
        try await home.createAfterGuest()
        #expect(try await home.sync().outcome == .conflicts)
        #expect(home.posts.last == "todos: +1", "the server has a list 42: \(home.posts)")
        try await #require(try await home.client["lists"].conflicts.first).resolve(.keepBoth(newPK: "43"))
        #expect(try await home.sync().outcome == .inSync)
        #expect(try await home.client["todos"]["1"].get() == ["list": "42"])
        #expect(try await home.client["lists"]["42"].get() == ["name": "theirs"])
        #expect(home.server.keyRefusals.isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func `X11: a todo goes when another device's list takes the place of ours`(_ kind: StoreKind) async throws {
        let home = try await Household(kind) { $0["lists"].tactic = TakeServer() }
        try await home.createAfterGuest()
        #expect(try await home.sync().outcome == .inSync)
        #expect(home.server.keyRefusals.isEmpty)
        #expect(home.posts.last == "todos: +1")
    }

    @Test(arguments: StoreKind.allCases)
    func `X16: a row that names a record which is not here yet is stored and shown`(_ kind: StoreKind) async throws {
        let home = try await Household(kind)
        let guest = try home.guest()
        try await guest["lists"].create([:], pk: "42")
        try await guest["todos"].create(["list": "42"], pk: "1")
        _ = try await guest.sync(["lists", "todos"])
        #expect(try await home.sync(["todos"]).outcome == .inSync)
        #expect(try await home.client["todos"]["1"].get() == ["list": "42"])
        #expect(try await home.client["lists"]["42"].get() == nil)
        try await home.client["todos"]["1"].edit { $0.done = true }
        #expect(try await home.sync(["todos"]).outcome == .inSync, "it names no list that waits here")
    }

    @Test(arguments: StoreKind.allCases)
    func `X18: after a rollback, a todo waits for the list that is restored`(_ kind: StoreKind) async throws {
        let home = try await Household(kind)
        try await home.client["todos"].create([:], pk: "1")
        try await home.sync()
        let backup = try home.server.backup()
        try await home.client["lists"].create([:], pk: "42")
        try await home.sync()
        try home.server.restore(backup)
        #expect(try await home.sync(["lists"]).outcome == .inSync)
        #expect(try await home.client["lists"]["42"].get() == nil, "the server has lost it")
        try await home.client["todos"]["1"].edit { $0.list = "42" }
        #expect(try await home.sync(["todos"]).outcome == .held)
        #expect(home.server.keyRefusals == ["todos/1"], "an unknown list is the server's matter")
        _ = try await home.client["lists"].restoreAll(reason: .serverRolledBack)
        try await home.client["todos"]["1"].retry()
        #expect(try await home.sync(["todos"]).outcome == .waiting)
        #expect(try await home.sync().outcome == .inSync)
        #expect(home.posts.suffix(2) == ["lists: +42", "todos: ~1"], "\(home.posts)")
        #expect(home.server.keyRefusals == ["todos/1"])
    }

    @Test(arguments: StoreKind.allCases)
    func `X19: a todo waits until the delete of a discarded list is sent`(_ kind: StoreKind) async throws {
        let home = try await Household(kind)
        try await home.createWithoutAnswer()
        try await home.client["lists"]["42"].resign()
        #expect(try await home.sync(["todos"]).outcome == .waiting)
        #expect(try await home.sync().outcome == .held)
        #expect(home.posts.suffix(2) == ["lists: -42", "todos: +1"], "\(home.posts)")
        #expect(home.server.keyRefusals == ["todos/1"])
    }

    @Test func `X21: lists for which a todo waits are not forgotten`() async throws {
        let home = try await Household()
        try await home.client["lists"].create([:], pk: "42")
        try await home.client["todos"].create(["list": "42"], pk: "1")
        let error = await #expect(throws: TidemarkError.self) { try await home.client["lists"].forget() }
        #expect(error?.code == .unsentChanges)
        #expect(try await home.sync(["todos"]).outcome == .waiting)
    }

    @Test(arguments: [false, true])
    func `X22: a todo waits for a list whose row is damaged, and says so`(_ isDeclaredAnew: Bool) async throws {
        let (server, disk) = (try KeyServer(Household.references), MemoryDisk())
        func open(_ names: [String]) throws -> SyncClient {
            var configuration = SyncConfiguration()
            for name in names { configuration[name].references = Household.references[name] ?? [:] }
            return try SyncClient(
                store: disk.open(), remote: server, configuration: configuration, time: server.clock, seed: 1)
        }
        let former = try open(isDeclaredAnew ? [] : ["todos"])
        try await former["lists"].create([:], pk: "42")
        try await former["todos"].create(["list": "42"], pk: "1")
        try await former["todos"].create([:], pk: "2")
        await former.close()
        do {
            let store = try disk.open()
            var damaged = try #require(try store.record("42", in: "lists"))
            damaged.editedData = Array("{".utf8)
            let list = damaged
            try store.transaction { () throws(TidemarkError) in try store.save(list, in: "lists") }
            store.close()
        }
        let client = try open(["todos"])
        let report = try await client.sync()
        #expect(server.posts.map(\.description) == ["todos: +2"], "\(server.posts)")
        #expect(report.collections.first { $0.collection == "todos" }?.outcome == .waiting)
        let why = try await client["todos"]["1"].explain().why
        #expect(why.hasPrefix("It waits for lists/42"), "\(why)")
    }
}
