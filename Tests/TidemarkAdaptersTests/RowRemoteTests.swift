import TestSupport
import Testing
import TidemarkAdapters
import TidemarkCore
import TidemarkHTTPClient
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting

@Suite struct `A remote over a row server` {
    typealias Case = (form: Shelf.Form, check: RemoteConformance.Check)

    static let forms = [
        Shelf.Form(), Shelf.Form(answersRows: false), Shelf.Form(checks: false), Shelf.Form(isBatch: true),
        Shelf.Form(hasFeed: false), Shelf.Form(isWhole: true), Shelf.Form(checks: false, answersRows: false),
    ]

    static let cases: [Case] = Self.forms.flatMap { form in
        RemoteConformance.checks(for: ShelfServer(Shelf(), form).capabilities)
            // A list has all rows, whatever the limit is.
            .filter { form.hasFeed || $0.name != "a page has no more rows than requested" }
            // A create whose version no server compares is written.
            .filter { form.checks || $0.name != "W1 a create of an unknown record with a version is conflicted" }
            .map { (form, $0) }
    }

    @Test(.serialized, arguments: Self.cases)
    func `each form of a row server passes the checks of its capabilities`(test: Case) async throws {
        try await test.check.run { RowRemote(ShelfServer(Shelf(), test.form)) }
    }

    private let shelf = Shelf()

    private func client(
        _ form: Shelf.Form = Shelf.Form(), account: String? = nil, seed: UInt64 = 1
    ) throws -> SyncClient {
        try SyncClient(
            store: MemoryStore(), remote: RowRemote(ShelfServer(self.shelf, form), account: account),
            configuration: SyncConfiguration(accepts: [.noLostUpdates]), collections: ["notes"], time: ManualClock(),
            seed: seed)
    }

    @Test(arguments: Self.forms)
    func `two devices over each form end equal`(form: Shelf.Form) async throws {
        let (phone, laptop) = (try self.client(form), try self.client(form, seed: 2))
        try await phone["notes"].create(["a": 1, "b": ["c": 1, "d": 2]], pk: "1")
        try await phone["notes"].create(["a": 1], pk: "2")
        for device in [phone, laptop] { #expect(try await device.sync().outcome == .inSync) }
        try await phone["notes"]["1"].edit { $0["a"] = 2 }
        try await laptop["notes"]["1"].edit { $0["b"]?["c"] = 3 }
        try await laptop["notes"]["2"].delete()
        for device in [phone, laptop, phone] { #expect(try await device.sync().outcome == .inSync) }
        for device in [phone, laptop] {
            #expect(try await device["notes"]["1"].get() == ["a": 2, "b": ["c": 3, "d": 2]])
            #expect(try await device["notes"]["2"].get() == nil)
        }
    }

    @Test func `a row is read before each write to a server without a condition`() async throws {
        let phone = try self.client(Shelf.Form(checks: false))
        try await phone["notes"].create(["a": 1], pk: "1")
        _ = try await phone.sync()
        #expect(self.shelf.calls.filter { !$0.hasPrefix("changes") } == ["row 1", "write 1"])
    }

    @Test func `an error of a write leaves its outcome unknown, and the results before it count`() async throws {
        let phone = try self.client()
        for pk in ["1", "2", "3"] { try await phone["notes"].create(["a": 1], pk: pk) }
        self.shelf.onCall { if $0 == "write 2" { throw Trouble("The cable is loose.") } }
        let report = try await phone.sync()
        let failure = try #require(report.collections.first?.failure)
        #expect(failure.failureClass == .offline)
        #expect(failure.message.contains("ShelfServer.write threw Trouble: The cable is loose."))
        #expect(try await phone["notes"]["1"].explain().reason == .synced)
        #expect(try await phone["notes"]["2"].explain().reason == .unconfirmed)
        self.shelf.onCall(nil)
    }

    @Test(arguments: ["changes 0", "row 1"])
    func `an error of another function is an invalid answer`(call: String) async throws {
        let phone = try self.client(Shelf.Form(checks: false))
        try await phone["notes"].create(["a": 1], pk: "1")
        self.shelf.onCall { if $0 == call { throw Trouble("odd") } }
        let failure = try await phone.sync().collections.first?.failure
        #expect(failure?.failureClass == .invalidAnswer)
        #expect(failure?.message.contains("Trouble: odd") == true)
    }

    @Test func `a failure that is thrown keeps its class`() async throws {
        let phone = try self.client()
        self.shelf.onCall { _ in throw RemoteFailure(.auth, "Sign in.") }
        #expect(try await phone["notes"].sync().outcome == .unauthorized)
    }

    @Test(arguments: [
        (HTTPFailure.Kind.unreachable, FailureClass.offline), (.brokenOff, .offline), (.notUnderstood, .invalidAnswer),
        (.noCredentials, .auth),
    ])
    func `a failure of HTTP gets its failure class`(kind: HTTPFailure.Kind, failureClass: FailureClass) async throws {
        let phone = try self.client()
        self.shelf.onCall { _ in throw HTTPFailure(kind, "No answer.") }
        let failure = try await phone["notes"].sync().collections.first?.failure
        #expect(failure?.failureClass == failureClass)
        #expect(failure?.message == "No answer.")
    }

    @Test func `the data of another account is not mixed`() async throws {
        let store = MemoryStore()
        let anna = RowRemote(ShelfServer(self.shelf), account: "anna")
        let ben = RowRemote(ShelfServer(self.shelf), account: "ben")
        let client = try SyncClient(
            store: store, remote: anna, configuration: SyncConfiguration(), collections: ["notes"], time: ManualClock(),
            seed: 1)
        _ = try await client.sync()
        try await client["notes"].create(["a": 1], pk: "1")
        try await client.renew(remote: ben)
        #expect(try await client.sync().outcome == .unauthorized)
        #expect(!self.shelf.calls.contains("write 1"))
    }

    @Test func `a new history begins a full resync, and the client continues (Contract §6)`() async throws {
        let client = try self.client()
        try await client["notes"].create(["a": 1], pk: "1")
        #expect(try await client.sync().outcome == .inSync)
        self.shelf.epoch = "2"
        try await client["notes"]["1"].edit { $0["a"] = 2 }
        for _ in 0..<3 { _ = try await client.sync() }
        #expect(try await client.sync().outcome == .inSync)
        #expect(try self.shelf.row("1", in: "notes")?.content == ["a": 2])
    }

    /// Another client's change between a write and the reading of its row.
    @Test func `a row that is read back may have another client's change, which is merged`() async throws {
        let phone = try self.client(Shelf.Form(answersRows: false))
        try await phone["notes"].create(["a": 1, "b": 1], pk: "1")
        #expect(try await phone.sync().outcome == .inSync)
        try await phone["notes"]["1"].edit { $0["a"] = 2 }
        let shelf = self.shelf
        shelf.onCall { call in
            guard call == "row 1" else { return }
            shelf.onCall(nil)
            _ = try shelf.put("1", ["a": 2, "b": 9], in: "notes", expecting: nil)
        }
        #expect(try await phone.sync().outcome == .inSync)
        #expect(try await phone["notes"]["1"].get() == ["a": 2, "b": 9])
    }

    @Test func `a value that the server alters is sent once if the row is read back`() async throws {
        let server = AlteringServer(server: ShelfServer(self.shelf, Shelf.Form(answersRows: false)))
        let phone = try SyncClient(
            store: MemoryStore(), remote: RowRemote(server), configuration: SyncConfiguration(), collections: ["notes"],
            time: ManualClock(), seed: 1)
        try await phone["notes"].create(["a": 1], pk: "1")
        #expect(try await phone.sync().outcome == .inSync)
        try await phone["notes"]["1"].edit { $0["a"] = 9 }
        #expect(try await phone.sync().outcome == .inSync)
        #expect(try await phone["notes"]["1"].get() == ["a": 5])
        #expect(self.shelf.calls.filter { $0 == "write 1" }.count == 2)
        #expect(try await phone["notes"].journal.map(\.reason) == [.altered])
    }

    @Test func `a record that another client deleted before its row is read back stays deleted`() async throws {
        let phone = try self.client(Shelf.Form(answersRows: false))
        try await phone["notes"].create(["a": 1], pk: "1")
        let shelf = self.shelf
        shelf.onCall { call in
            guard call == "row 1" else { return }
            shelf.onCall(nil)
            _ = try shelf.put("1", nil, in: "notes", expecting: nil)
        }
        for _ in 0..<3 { _ = try await phone.sync() }
        #expect(try await phone["notes"]["1"].get() == nil)
        #expect(try shelf.row("1", in: "notes")?.content == nil)
    }

    @Test func `an accepted create that wrote nothing is not lost`() async throws {
        let phone = try self.client(Shelf.Form(answersRows: false))
        self.shelf.drops = true
        try await phone["notes"].create(["a": 1], pk: "1")
        _ = try await phone.sync()
        #expect(try await phone["notes"]["1"].get() == ["a": 1])
        self.shelf.drops = false
        for _ in 0..<3 { _ = try await phone.sync() }
        #expect(try self.shelf.row("1", in: "notes")?.content == ["a": 1])
    }

    @Test func `a row that can't be read does not stop the edits of other records`() async throws {
        let phone = try self.client(Shelf.Form(checks: false))
        for pk in ["1", "2"] { try await phone["notes"].create(["a": 1], pk: pk) }
        self.shelf.onCall { if $0 == "row 1" { throw RemoteFailure(.refused, "Not for you.") } }
        for _ in 0..<8 { _ = try await phone.sync() }
        #expect(try self.shelf.row("2", in: "notes")?.content == ["a": 1])
        #expect(try await phone["notes"]["1"].get() == ["a": 1])
    }

    @Test func `results of a batch before a failed reading are kept`() async throws {
        let phone = try self.client(Shelf.Form(answersRows: false, isBatch: true))
        for pk in ["1", "2"] { try await phone["notes"].create(["a": 1], pk: pk) }
        self.shelf.onCall { if $0 == "row 2" { throw Trouble("odd") } }
        _ = try await phone.sync()
        #expect(try await phone["notes"]["1"].explain().reason == .synced)
        #expect(try await phone["notes"]["2"].explain().reason == .unconfirmed)
    }

    @Test func `an accepted edit that wrote nothing is sent again`() async throws {
        let phone = try self.client(Shelf.Form(answersRows: false))
        try await phone["notes"].create(["a": 1], pk: "1")
        #expect(try await phone.sync().outcome == .inSync)
        try await phone["notes"]["1"].edit { $0["a"] = 2 }
        self.shelf.drops = true
        _ = try await phone.sync()
        #expect(try await phone["notes"]["1"].explain().reason == .unconfirmed)
        self.shelf.drops = false
        #expect(try await phone.sync().outcome == .inSync)
        #expect(try self.shelf.row("1", in: "notes")?.content == ["a": 2])
    }

    @Test func `a conflict with the edit's own version is a refusal`() async throws {
        let phone = try self.client()
        self.shelf.conflicts = true
        try await phone["notes"].create(["a": 1], pk: "1")
        for _ in 0..<2 { _ = try await phone.sync() }
        #expect(try await phone.sync().outcome == .held)
    }

    @Test func `a refused read is no evidence against an edit`() async throws {
        let phone = try self.client(Shelf.Form(checks: false))
        try await phone["notes"].create(["a": 1], pk: "1")
        self.shelf.onCall { if $0 == "row 1" { throw RemoteFailure(.refused, "Not for you.") } }
        _ = try await phone.sync()
        #expect(try await phone["notes"]["1"].explain().reason != .held)
        self.shelf.onCall(nil)
        #expect(try await phone.sync().outcome == .inSync)
    }

    @Test func `answers in another order are an invalid answer`() async throws {
        let phone = try self.client(Shelf.Form(isBatch: true))
        for pk in ["1", "2"] { try await phone["notes"].create(["n": .string(pk)], pk: pk) }
        self.shelf.reverses = true
        let failure = try await phone.sync().collections.first?.failure
        #expect(failure?.message == "ShelfServer returned the row of “2” for “1”.")
    }

    @Test func `a call that ignores its deadline ends the exchange`() async throws {
        let server = Endless()
        let failure = await #expect(throws: RemoteFailure.self) {
            try await RowRemote(server, clock: ImpatientClock()).exchange(
                ExchangeRequest(collection: "notes", cursor: nil, limit: 10))
        }
        #expect(failure?.failureClass == .offline)
        #expect(failure?.message == "Endless.changes did not return within 60.0 seconds.")
        server.end()
    }

    @Test func `a wrong number of answers is refused, and no edit counts as written`() async throws {
        let upload = try UploadRequest(
            encodedEdit: Array(#"{"request_id":"r","pk":"1","sync_state":"DELETED","updated_at":1}"#.utf8))
        let failure = await #expect(throws: RemoteFailure.self) {
            try await RowRemote(Forgetful()).exchange(
                ExchangeRequest(collection: "notes", uploads: [upload], cursor: nil, limit: 10))
        }
        #expect(failure?.message == "Forgetful returned 0 answers for 1 edits; it needs one for each.")
    }

    @Test func `items that are no rows are held, and the later of two rows counts`() async throws {
        let rows = [
            ServerRow(pk: "1", version: 1, content: ["a": 1]), ServerRow(pk: "1", version: 2, content: ["a": 2]),
            ServerRow(pk: "", version: 1, content: ["a": 1]), ServerRow(pk: "2", version: .null, content: ["a": 1]),
            ServerRow(pk: "3", version: 1, content: [1]),
        ]
        let client = try SyncClient(
            store: MemoryStore(), remote: RowRemote(Listing(rows: rows)), configuration: SyncConfiguration(),
            collections: ["notes"], time: ManualClock(),
            seed: 1)
        // A malformed item may be a passing fault of the server, so the first syncs read it again (Contract §3.5).
        for _ in 1..<SyncLimits().malformedTries { _ = try await client.sync() }
        // A list has the same items each time: they are news only once.
        for _ in 0..<4 { #expect(try await client.sync().outcome == .held) }
        let report = try await client.sync()
        #expect(report.outcome == .held, "\(report.collections.first?.failure?.message ?? "")")
        #expect(try await client["notes"]["1"].get() == ["a": 2])
        #expect(try await client["notes"].status.held.map(\.pk) == ["2", "3", "item 1"])
    }
}

/// An error of a server.
struct Trouble: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// A server that stores no number above 5.
private struct AlteringServer: RowServer {
    let server: ShelfServer
    var capabilities: RemoteCapabilities {
        var capabilities = self.server.capabilities
        capabilities.values = .rounded
        return capabilities
    }
    func changes(in collection: String, after cursor: String?, limit: Int) async throws -> RowChanges {
        try await self.server.changes(in: collection, after: cursor, limit: limit)
    }
    func write(_ edit: UploadRequest, in collection: String) async throws -> RowAnswer {
        var record = try #require(try edit.record())
        if let number = record["a"]?.int { record["a"] = .number(JSONNumber(min(number, 5))) }
        _ = try self.server.shelf.put(edit.pk, record, in: collection, expecting: .some(edit.version))
        return .accepted(nil)
    }
    func row(_ pk: String, in collection: String) async throws -> ServerRow? {
        try await self.server.row(pk, in: collection)
    }
}

/// A server with fixed rows and no writes.
private struct Listing: RowServer {
    let rows: [ServerRow]
    var capabilities: RemoteCapabilities { .rows(condition: .atomic, feed: .listing, tombstones: .none) }

    func changes(in collection: String, after cursor: String?, limit: Int) async throws -> RowChanges {
        .list(self.rows)
    }
    func write(_ edit: UploadRequest, in collection: String) async throws -> RowAnswer { .unknown }
    func row(_ pk: String, in collection: String) async throws -> ServerRow? { nil }
}

/// A server whose batch has no answers.
private struct Forgetful: RowServer {
    var capabilities: RemoteCapabilities { .rows(condition: .atomic, feed: .ordered) }

    func changes(in collection: String, after cursor: String?, limit: Int) async throws -> RowChanges {
        RowChanges([], cursor: nil)
    }
    func write(_ edit: UploadRequest, in collection: String) async throws -> RowAnswer { .unknown }
    func write(_ edits: [UploadRequest], in collection: String) async throws -> [RowAnswer]? { [] }
    func row(_ pk: String, in collection: String) async throws -> ServerRow? { nil }
}

/// A server that never answers, and ignores its cancellation.
private final class Endless: RowServer {
    private let (stream, continuation) = AsyncStream.makeStream(of: CheckedContinuation<Void, Never>.self)
    var capabilities: RemoteCapabilities { .rows(condition: .atomic, feed: .ordered) }

    func end() {
        self.continuation.finish()
        Task { for await waiting in self.stream { waiting.resume() } }
    }

    func changes(in collection: String, after cursor: String?, limit: Int) async throws -> RowChanges {
        await withCheckedContinuation { _ = self.continuation.yield($0) }
        return RowChanges([], cursor: nil)
    }
    func write(_ edit: UploadRequest, in collection: String) async throws -> RowAnswer { .unknown }
    func row(_ pk: String, in collection: String) async throws -> ServerRow? { nil }
}

/// A clock on which every wait is over at once, for calls that never return.
struct ImpatientClock: Clock {
    typealias Instant = ContinuousClock.Instant

    var now: Instant { ContinuousClock.now }
    var minimumResolution: Duration { .zero }

    func `sleep`(until deadline: Instant, tolerance: Duration?) async throws {}
}
