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

@Suite("Parents first, children gone first (R26, R27)") struct ReferenceTests {
    @Test(arguments: StoreKind.allCases)
    func `X1: a list and its todos go in one sync, the list first`(_ kind: StoreKind) async throws {
        let home = try await Household(kind)
        try await home.client["todos"].create(["list": "42", "tags": ["a"]], pk: "1")
        try await home.client["todos"].create(["list": "42"], pk: "2")
        try await home.client["tags"].create(["n": 1], pk: "a")
        try await home.client["lists"].create(["name": "Home"], pk: "42")
        let report = try await home.sync()
        #expect(report.outcome == .inSync)
        #expect(home.posts == ["lists: +42", "tags: +a", "todos: +1 +2"])
        #expect(home.server.keyRefusals.isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func `X8: todos and their list are deleted in one transaction, and the todos go first`(
        _ kind: StoreKind
    ) async throws {
        let home = try await Household(kind)
        try await home.client["lists"].create([:], pk: "42")
        try await home.client["todos"].create(["list": "42"], pk: "1")
        try await home.sync()
        try await home.client.transaction { (t) throws(TidemarkError) in
            try t["lists"]["42"].delete()
            try t["todos"]["1"].delete()
        }
        let report = try await home.sync()
        #expect(report.outcome == .inSync)
        #expect(home.posts.suffix(2) == ["todos: -1", "lists: -42"])
        #expect(home.server.keyRefusals.isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func `X3: todos of a refused list wait, are shown, and go after it`(_ kind: StoreKind) async throws {
        let home = try await Household(kind)
        home.server.refuse(["lists/42"])
        try await home.client["lists"].create([:], pk: "42")
        try await home.client["lists"].create([:], pk: "43")
        try await home.client["todos"].create(["list": "42"], pk: "1")
        try await home.client["todos"].create(["list": "43"], pk: "2")
        let report = try await home.sync()
        #expect(home.posts == ["lists: +42 +43", "todos: +2"])
        let todos = try #require(report.collections.first { $0.collection == "todos" })
        #expect(todos.outcome == .waiting)
        #expect(todos.waiting.map(\.pk) == ["1"])
        #expect(todos.waiting.map(\.awaited) == ["42"])
        let explanation = try await home.client["todos"]["1"].explain()
        #expect(explanation.reason == .waiting)
        #expect(explanation.why.hasPrefix("It waits for lists/42, which is held: "), "\(explanation.why)")
        #expect(explanation.why.contains("does not like"), "\(explanation.why)")
        home.server.refuse([])
        try await home.client["lists"]["42"].edit { $0.name = "Home" }
        #expect(try await home.sync().outcome == .inSync)
        #expect(home.posts.suffix(2) == ["lists: +42", "todos: +1"])
        #expect(home.server.keyRefusals.isEmpty)
    }

    @Test func `X4: a todo of a list that was given up is sent, and the server decides`() async throws {
        let home = try await Household()
        home.server.refuse(["lists/42"])
        try await home.client["lists"].create([:], pk: "42")
        try await home.client["todos"].create(["list": "42"], pk: "1")
        try await home.sync()
        try await home.client["lists"]["42"].resign()
        let report = try await home.sync()
        #expect(report.outcome == .held)
        #expect(home.server.keyRefusals == ["todos/1"])
    }

    @Test(arguments: StoreKind.allCases)
    func `X5: a todo waits while it is unknown whether its list was accepted`(_ kind: StoreKind) async throws {
        let home = try await Household(kind)
        try await home.createWithoutAnswer()
        #expect(try await home.sync(["todos"]).outcome == .waiting)
        #expect(home.posts == ["lists: +42"])
        #expect(try await home.sync().outcome == .inSync)
        #expect(home.posts == ["lists: +42", "lists: +42", "todos: +1"])
    }

    @Test(arguments: StoreKind.allCases)
    func `X7: a list is not deleted while a todo is on its way to it`(_ kind: StoreKind) async throws {
        let home = try await Household(kind)
        for pk in ["0", "1"] { try await home.client["lists"].create([:], pk: pk) }
        try await home.client["todos"].create(["list": "0"], pk: "a")
        try await home.sync()
        try await home.client["todos"]["a"].edit { $0.list = "1" }
        home.server.loseAnswers(true)
        try await home.sync(["todos"])
        home.server.loseAnswers(false)
        try await home.client["todos"]["a"].edit { $0.list = "0" }
        try await home.client["lists"]["1"].delete()
        #expect(try await home.sync(["lists"]).outcome == .waiting)
        #expect(try await home.sync().outcome == .inSync)
        #expect(home.posts.suffix(4) == ["todos: ~a", "todos: ~a", "todos: ~a", "lists: -1"])
        #expect(home.server.keyRefusals.isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func `X12: a tree is sent level by level, and never a child beside its parent`(_ kind: StoreKind) async throws {
        let home = try await Household(kind)
        try await home.client["lists"].create(["parent": "b"], pk: "c")
        try await home.client["lists"].create(["parent": "a"], pk: "b")
        try await home.client["lists"].create([:], pk: "a")
        #expect(try await home.sync().outcome == .inSync)
        #expect(home.posts == ["lists: +a", "lists: +b", "lists: +c"])
        try await home.client.transaction { (t) throws(TidemarkError) in
            for pk in ["a", "b", "c"] { try t["lists"][pk].delete() }
        }
        #expect(try await home.sync().outcome == .inSync)
        #expect(home.posts.suffix(3) == ["lists: -c", "lists: -b", "lists: -a"])
        #expect(home.server.keyRefusals.isEmpty)
    }

    @Test func `X13: a record that names itself waits for nothing`() async throws {
        let home = try await Household()
        try await home.client["lists"].create(["parent": "a"], pk: "a")
        #expect(try await home.sync().outcome == .inSync)
    }

    @Test(arguments: StoreKind.allCases)
    func `X14: records that wait for each other are sent in the order made`(_ kind: StoreKind) async throws {
        let home = try await Household(kind)
        try await home.client["lists"].create(["parent": "b"], pk: "a")
        try await home.client["lists"].create(["parent": "c"], pk: "b")
        try await home.client["lists"].create(["parent": "a"], pk: "c")
        try await home.client["lists"].create(["parent": "a"], pk: "d")
        let report = try await home.sync()
        #expect(home.posts.first == "lists: +a +b +c")
        #expect(report.outcome == .held)
        #expect(report.collections.flatMap(\.waiting).map(\.pk) == ["d"])
    }

    @Test func `X15: an edit that names a record created later waits for it`() async throws {
        let home = try await Household()
        try await home.client["lists"].create([:], pk: "a")
        try await home.client["lists"].create([:], pk: "b")
        try await home.client["lists"]["a"].edit { $0.parent = "b" }
        #expect(try await home.sync().outcome == .inSync)
        #expect(home.posts == ["lists: +b", "lists: +a"])
    }

    @Test func `X17: a todo waits for a list that this call does not sync`() async throws {
        let home = try await Household()
        try await home.client["lists"].create([:], pk: "42")
        try await home.client["todos"].create(["list": "42"], pk: "1")
        #expect(try await home.sync(["todos"]).outcome == .waiting)
        #expect(home.posts.isEmpty)
        let why = try await home.client["todos"]["1"].explain().why
        #expect(why == "It waits for lists/42, whose own change is not sent yet.")
    }

    @Test func `W-2: two records that make each POST fail are held, although all others wait for them`() async throws {
        let home = try await Household()
        try await home.client["lists"].create([:], pk: "f1")
        try await home.client["lists"].create([:], pk: "f2")
        try await home.client["lists"].create(["parent": "f1"], pk: "c1")
        try await home.client["lists"].create(["parent": "f2"], pk: "c2")
        home.server.fail(with: ["lists/f1", "lists/f2"])
        var report = try await home.sync()
        for _ in 0..<30 where report.outcome != .held {
            home.server.clock.advance(by: .seconds(86_400))
            report = try await home.sync()
        }
        #expect(report.collections.first { $0.collection == "lists" }?.held.sorted() == ["f1", "f2"])
        // The children still wait, and are not held.
        let states = try await home.client["lists"].list()
        #expect(states.filter { $0.pk.hasPrefix("c") }.map(\.phase) == [.created(.idle), .created(.idle)])
    }

    @Test(arguments: StoreKind.allCases)
    func `a change that names a parent that the server has waits for nothing`(_ kind: StoreKind) async throws {
        let home = try await Household(kind)
        try await home.client["lists"].create(["name": "Home"], pk: "42")
        try await home.sync()
        try await home.client["lists"]["42"].edit { $0.name = "Work" }
        try await home.client["todos"].create(["list": "42"], pk: "1")
        #expect(try await home.sync(["todos"]).outcome == .inSync)
    }

    @Test(arguments: StoreKind.allCases)
    func `a delete does not wait for a held child, nor for one that waits for a held record`(
        _ kind: StoreKind
    ) async throws {
        let home = try await Household(kind)
        try await home.client["lists"].create([:], pk: "1")
        try await home.client["lists"].create([:], pk: "2")
        try await home.client["todos"].create(["list": "1"], pk: "a")
        try await home.client["todos"].create(["list": "2"], pk: "b")
        try await home.sync()
        home.server.refuse(["todos/a", "lists/3"])
        try await home.client["todos"]["a"].edit { $0.list = nil }
        try await home.client["lists"].create([:], pk: "3")
        try await home.client["todos"]["b"].edit { $0.list = "3" }
        #expect(try await home.sync().outcome == .held)
        try await home.client["lists"]["1"].delete()
        try await home.client["lists"]["2"].delete()
        try await home.sync()
        // The server decides about them; both are refused here, since it still has the names.
        #expect(home.posts.last == "lists: -1 -2")
        #expect(home.server.keyRefusals == ["-lists/1", "-lists/2"])
    }

    @Test func `X2: while the client runs, todos go by themselves when their list was accepted`() async throws {
        let home = try await Household()
        home.server.refuse(["lists/42"])
        try await home.client["lists"].create([:], pk: "42")
        try await home.client["todos"].create(["list": "42"], pk: "1")
        let (paths, path) = AsyncStream.makeStream(of: Bool.self)
        path.yield(true)
        // No poll is due in the time of this test: it would send the todo as well.
        var plan = RunPlan()
        (plan.minPollInterval, plan.maxPollInterval) = (.seconds(86_400), .seconds(86_400))
        let running = Task { [plan] in try await home.client.run(plan, connectivity: paths) }
        defer { running.cancel() }
        try await eventually("the list is held") {
            home.server.clock.advance(by: .milliseconds(10))
            return try await home.client.status.collections.contains { !$0.held.isEmpty }
        }
        #expect(!home.posts.contains("todos: +1"))
        home.server.refuse([])
        try await home.client["lists"]["42"].retry()
        await eventually("the todo is sent") {
            home.server.clock.advance(by: .milliseconds(1))
            return home.posts.suffix(2) == ["lists: +42", "todos: +1"]
        }
    }

    @Test func `X20: references that an update of the app declares hold for the changes before it`() async throws {
        let disk = MemoryDisk()
        let server = try KeyServer(Household.references)
        let before = try SyncClient(
            store: disk.open(), remote: server, configuration: SyncConfiguration(), time: server.clock, seed: 1)
        try await before["todos"].create(["list": "42"], pk: "1")
        try await before["lists"].create([:], pk: "42")
        await before.close()
        var configuration = SyncConfiguration()
        configuration["todos"].references = ["/list": "lists"]
        let after = try SyncClient(
            store: disk.open(), remote: server, configuration: configuration, time: server.clock, seed: 1)
        #expect(try await after.sync(["todos"]).outcome == .waiting)
        #expect(try await after.sync().outcome == .inSync)
        #expect(server.posts.map(\.description) == ["lists: +42", "todos: +1"])
        await after.close()
        // A client that declares none forgets the former ones.
        let last = try SyncClient(
            store: disk.open(), remote: server, configuration: SyncConfiguration(), time: server.clock, seed: 1)
        try await last["todos"].create(["list": "43"], pk: "2")
        try await last["lists"].create([:], pk: "43")
        #expect(try await last.sync(["todos"]).outcome == .held)
    }

    @Test(arguments: StoreKind.allCases)
    func `a delete behind a child that waits itself is shown as waiting`(_ kind: StoreKind) async throws {
        let home = try await Household(kind)
        try await home.client["lists"].create([:], pk: "p")
        try await home.client["todos"].create(["list": "p"], pk: "t")
        try await home.sync()
        try await home.client["tags"].create([:], pk: "q")
        try await home.client["todos"]["t"].edit { $0 = ["tags": ["q"]] }
        try await home.client["lists"]["p"].delete()
        let report = try await home.sync(["lists", "todos"])
        #expect(report.collections.map(\.outcome) == [.waiting, .waiting])
        #expect(report.collections.map { $0.waiting.map(\.awaited) } == [["t"], ["q"]])
        #expect(try await home.sync().outcome == .inSync)
        #expect(home.posts.suffix(3) == ["tags: +q", "todos: ~t", "lists: -p"])
    }

    @Test(arguments: StoreKind.allCases)
    func `the children of one POST go in the order of their change`(_ kind: StoreKind) async throws {
        let home = try await Household(kind)
        for number in 0..<250 { try await home.client["lists"].create(["parent": "p"], pk: "\(999 - number)") }
        try await home.client["lists"].create([:], pk: "p")
        #expect(try await home.sync().outcome == .inSync)
        let sent = home.server.posts.flatMap(\.edits)
        #expect(sent == ["+p"] + (0..<250).map { "+\(999 - $0)" })
        #expect(home.posts.count == 4)
    }

    @Test func `a sync within a time limit sends parents first, and then their children`() async throws {
        let home = try await Household()
        try await home.client["todos"].create(["list": "42"], pk: "1")
        try await home.client["lists"].create(["parent": "41"], pk: "42")
        try await home.client["lists"].create([:], pk: "41")
        let report = try await home.client.sync(within: .seconds(25))
        #expect(report.outcome == .inSync)
        #expect(home.posts == ["lists: +41", "lists: +42", "todos: +1"])
        #expect(report.collections.map(\.pushed).filter { !$0.isEmpty } == [["41", "42"], ["1"]])
    }

    @Test func `a ring that waits for a record outside waits with it`() async throws {
        let home = try await Household()
        home.server.refuse(["lists/h"])
        try await home.client["lists"].create([:], pk: "h")
        try await home.client["notes"].create(["about": "b"], pk: "a")
        try await home.client["notes"].create(["about": "a", "in": ["h"]], pk: "b")
        let report = try await home.sync()
        #expect(home.posts == ["lists: +h"])
        #expect(report.collections.flatMap(\.waiting).map(\.pk) == ["a", "b"])
    }

    @Test func `a probe whose answer was lost is not held when it is refused`() async throws {
        let home = try await Household()
        try await home.client["lists"].create([:], pk: "f1")
        try await home.client["lists"].create([:], pk: "f2")
        try await home.client["lists"].create(["parent": "f1"], pk: "c1")
        home.server.fail(with: ["lists/f1", "lists/f2"])
        home.server.loseAnswer(about: "lists/c1")
        for _ in 0..<40 {
            home.server.clock.advance(by: .seconds(86_400))
            try await home.sync()
        }
        let child = try await home.client["lists"].list().first { $0.pk == "c1" }
        #expect(home.posts.count { $0 == "lists: +c1" } > 1)
        #expect(child?.phase == .created(.idle), "\(home.posts)")
    }

    @Test func `the outcome of a write that waits for a held record names it`() async throws {
        let home = try await Household()
        home.server.refuse(["lists/42"])
        try await home.client["lists"].create([:], pk: "42")
        try await home.client["todos"].create(["list": "42"], pk: "1")
        let client = home.client
        let outcome = Task { try await client["todos"]["1"].outcome() }
        await eventually("the write is awaited") { await client.openWriteCount == 1 }
        try await home.sync()
        #expect(try await outcome.value == .waiting(collection: "lists", pk: "42"))
    }

    @Test func `references that are no pointers, or of all collections, are refused`() throws {
        let server = try InProcessServer()
        func open(_ change: (inout SyncConfiguration) -> Void) throws {
            var configuration = SyncConfiguration()
            change(&configuration)
            _ = try SyncClient(
                store: MemoryStore(), remote: InProcessRemote(server), configuration: configuration,
                collections: ["todos", "lists"], time: server.clock, seed: 1)
        }
        #expect(throws: TidemarkError.self) { try open { $0["todos"].references = ["list": "lists"] } }
        #expect(throws: TidemarkError.self) { try open { $0.rules.references = ["/list": "lists"] } }
        let unknown = #expect(throws: TidemarkError.self) { try open { $0["todos"].references = ["/list": "list"] } }
        #expect(unknown?.code == .unknownCollection)
        #expect(unknown?.message.contains("did you mean lists?") == true, "\(unknown?.message ?? "")")
        try open { $0["todos"].references = ["/list": "lists"] }
    }

    @Test func `a server that makes the names can't resolve references, unless the app accepts it`() throws {
        struct NamingServer: Remote {
            var capabilities: RemoteCapabilities {
                var capabilities = RemoteCapabilities.native
                capabilities.names = .member(JSONPointer.root.appending("key"))
                return capabilities
            }

            func exchange(_ request: ExchangeRequest) async throws(RemoteFailure) -> ExchangeAnswer {
                throw RemoteFailure(.offline, "There is no network.")
            }
        }
        var configuration = SyncConfiguration()
        func open() throws {
            _ = try SyncClient(
                store: MemoryStore(), remote: NamingServer(), configuration: configuration, time: ManualClock(),
                seed: 1)
        }
        try open()
        configuration["todos"].references = ["/list": "lists"]
        let error = #expect(throws: TidemarkError.self) { try open() }
        #expect(error?.code == .guaranteeNotAccepted)
        configuration.acceptsUntranslatedReferences = true
        try open()
    }
}
