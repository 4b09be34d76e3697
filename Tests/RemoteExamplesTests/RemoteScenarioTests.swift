import Synchronization
import Testing
import TidemarkAdapters
import TidemarkCore
import TidemarkHTTPClient
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting

/// Servers that have lost data of clients, each by the name of the scenario, over a small server with one of these faults.
@Suite struct `Scenarios of other servers` {
    private let table = Table()
    private let clock = ManualClock()

    private func device(_ seed: UInt64, _ capabilities: RemoteCapabilities) throws -> SyncClient {
        try SyncClient(
            store: MemoryStore(), remote: RowRemote(TableServer(table: self.table, capabilities: capabilities)),
            configuration: SyncConfiguration(), collections: ["notes"], time: self.clock, seed: seed)
    }

    /// Syncs devices one after the other, each a while later.
    private func sync(_ devices: SyncClient...) async throws {
        for device in devices {
            self.clock.advance(by: .seconds(600))
            #expect(try await device.sync().outcome == .inSync)
        }
    }

    @Test func `acknowledged-then-overwritten: an overwritten edit is sent again`() async throws {
        self.table.set { $0.overlap = 8 }
        let checked = RemoteCapabilities.rows(condition: .checkedFirst(watch: .seconds(2)), feed: .late(.seconds(5)))
        let (phone, laptop) = (try self.device(1, checked), try self.device(2, checked))
        try await phone["notes"].create(["a": 0, "b": 0], pk: "1")
        try await self.sync(phone, laptop)
        try await phone["notes"]["1"].edit { $0["a"] = 1 }
        try await laptop["notes"]["1"].edit { $0["b"] = 2 }
        // The laptop's edit is compared, the phone's is compared, written and acknowledged, and the laptop's is written.
        self.table.set { $0.between = { _ = try? await phone.sync() } }
        #expect(try await laptop.sync().outcome == .inSync)
        #expect(try await phone["notes"]["1"].explain().reason == .synced)
        #expect(self.table.rows["1"] == ["a": 0, "b": 2])
        #expect(try await phone.sync().outcome == .inSync)
        try await self.sync(phone, laptop)
        for device in [phone, laptop] { #expect(try await device["notes"]["1"].get() == ["a": 1, "b": 2]) }
        #expect(try await phone["notes"].journal.contains { $0.reason == .overwritten })
    }

    @Test func `commits-late: a row that becomes visible late is read`() async throws {
        self.table.set { $0.overlap = 8 }
        let late = RemoteCapabilities.rows(condition: .atomic, feed: .late(.seconds(5)))
        let writers = try (1...4 as ClosedRange<UInt64>).map { try self.device($0, late) }
        let reader = try self.device(5, late)
        for (number, writer) in writers.enumerated() {
            for note in 1...2 { try await writer["notes"].create(["n": 1], pk: "\(number)-\(note)") }
        }
        // Each writer has its version, and commits after the next one.
        for (writer, next) in zip(writers, writers.dropFirst()) {
            self.table.set { table in
                table.between = {
                    _ = try? await next.sync()
                    _ = try? await reader.sync()
                }
            }
            try await self.sync(writer)
        }
        try await self.sync(writers[3], reader)
        for writer in writers { try await self.sync(writer) }
        #expect(self.table.rows.count == 8)
        for device in writers + [reader] { #expect(try await device["notes"].list().count == 8) }
    }

    @Test func `tombstone-purged-silently: a full resync after the time finds the deletion`() async throws {
        let month = Duration.seconds(30 * 86_400)
        let forgets = RemoteCapabilities.rows(
            condition: .atomic, feed: .ordered, tombstones: .kept(month, isSignalled: false))
        let (phone, laptop) = (try self.device(1, forgets), try self.device(2, forgets))
        for pk in ["1", "2"] { try await phone["notes"].create(["n": 1], pk: pk) }
        try await self.sync(phone, laptop)
        try await phone["notes"]["1"].delete()
        try await self.sync(phone)
        self.table.purge()
        try await self.sync(laptop)
        #expect(try await laptop["notes"].list().map(\.pk) == ["1", "2"])
        self.clock.advance(by: month)
        try await self.sync(laptop)
        #expect(try await laptop["notes"].list().map(\.pk) == ["2"])
    }

    /// A server with whole rows as records: it adds its members to them, and accepts a time that it is sent.
    private func ownMembers() throws -> (SyncClient, SyncClient) {
        self.table.set { $0.hasMembers = true }
        let members = ["id", "last_modified"].map { JSONPointer(tokens: [$0]) }
        let whole = RemoteCapabilities.rows(
            condition: .atomic, serverMembers: members, feed: .ordered, tombstones: .forever)
        return (try self.device(1, whole), try self.device(2, whole))
    }

    @Test func `recreate-sends-the-server's-members: the other device gets the new record`() async throws {
        let (phone, laptop) = try self.ownMembers()
        try await laptop["notes"].create(["n": 1], pk: "1")
        try await self.sync(laptop, phone)
        let record = try #require(try await laptop["notes"]["1"].get())
        #expect(record["last_modified"] != nil)
        try await laptop["notes"]["1"].delete()
        try await self.sync(laptop, phone)
        try await laptop["notes"].create(record, pk: "1")
        try await self.sync(laptop, phone)
        #expect(try await phone["notes"]["1"].get()?["n"] == 1)
        #expect(try await laptop["notes"]["1"].get() == phone["notes"]["1"].get())
    }

    @Test func `own-create-with-server-members: a create whose answer was lost is recognized`() async throws {
        let (phone, laptop) = try self.ownMembers()
        try await phone["notes"].create(["n": 1], pk: "1")
        self.table.set { $0.losesAnswers = 1 }
        _ = try await phone.sync()
        #expect(try await phone["notes"]["1"].explain().reason == .unconfirmed)
        self.clock.advance(by: .seconds(600))
        let report = try await phone.sync()
        #expect(report.outcome == .inSync && report.collections.flatMap(\.merged).isEmpty)
        #expect(self.table.writes == 1)
        try await self.sync(laptop)
        #expect(try await phone["notes"].conflicts.isEmpty)
        #expect(try await phone["notes"].journal.isEmpty)
        #expect(try await laptop["notes"]["1"].get()?["id"] == "1")
    }

    @Test(arguments: [Table.Batch.lies, .breaksOff])
    func `batch-lies, batch-breaks-off: only edits without an answer are sent again`(batch: Table.Batch) async throws {
        let atomic = RemoteCapabilities.rows(condition: .atomic, feed: .ordered, tombstones: .forever)
        let (phone, laptop) = (try self.device(1, atomic), try self.device(2, atomic))
        for pk in ["1", "2", "3"] { try await phone["notes"].create(["n": 1], pk: pk) }
        self.table.set {
            $0.batch = batch
            $0.canRead = false
        }
        _ = try await phone.sync()
        let unknown = batch == .lies ? ["2"] : ["2", "3"]
        for pk in ["1", "2", "3"] {
            let reason = try await phone["notes"][pk].explain().reason
            #expect(reason == (unknown.contains(pk) ? .unconfirmed : .synced), "\(pk)")
        }
        self.table.set {
            $0.batch = .whole
            $0.canRead = true
        }
        try await self.sync(phone, laptop)
        #expect(try await phone["notes"].journal.isEmpty)
        #expect(try await laptop["notes"].list().map(\.pk) == ["1", "2", "3"])
    }

    @Test(arguments: [405, 403, 400])
    func `can-read-cannot-write`(status: Int) async throws {
        let atomic = RemoteCapabilities.rows(condition: .atomic, feed: .ordered, tombstones: .forever)
        let (phone, laptop) = (try self.device(1, atomic), try self.device(2, atomic))
        try await phone["notes"].create(["n": 1], pk: "1")
        try await laptop["notes"].create(["n": 2], pk: "2")
        try await self.sync(laptop)
        self.table.set { $0.writeStatus = status }
        for _ in 0..<2 {
            self.clock.advance(by: .seconds(3_600))
            _ = try await phone.sync()
        }
        #expect(try await phone["notes"]["2"].get() == ["n": 2])
        #expect(try await phone["notes"]["1"].get() == ["n": 1])
        self.table.set { $0.writeStatus = nil }
        for held in try await phone["notes"].list() where held.hold != nil { try await phone["notes"][held.pk].retry() }
        try await self.sync(phone)
        #expect(self.table.rows["1"] == ["n": 1])
    }

    @Test func `server-rounds-a-number: the sent number is journalled`() async throws {
        self.table.set { $0.rounds = true }
        var rounded = RemoteCapabilities.rows(condition: .atomic, feed: .ordered, tombstones: .forever)
        rounded.values = .rounded
        let phone = try self.device(1, rounded)
        let exact = try #require(JSONNumber("0.12345678901234567890"))
        try await phone["notes"].create(["n": .number(exact), "m": 1], pk: "1")
        try await self.sync(phone)
        #expect(try await phone["notes"]["1"].get()?["n"] == 0.12345678901234568)
        let journal = try await phone["notes"].journal
        #expect(journal.map(\.reason) == [.altered])
        #expect(try journal.first?.lostValue?.text == "0.12345678901234567890")
    }
}

/// Rows in memory, with versions that count, and with faults.
final class Table: Sendable {
    /// The batch API.
    enum Batch: Sendable {
        /// There is none.
        case missing

        /// Each edit has its answer.
        case whole

        /// One edit in the middle has no usable answer, though it was written.
        case lies

        /// The answer ends after the first edit.
        case breaksOff
    }

    struct State {
        var version = 0
        var writes = 0
        var rows: [String: ServerRow] = [:]

        /// How much is read again from a cursor.
        var overlap = 0

        /// Runs once, between the comparison of a write and the write.
        var between: (@Sendable () async -> Void)?

        /// Whether rows have the server's members `id` and `last_modified`, and an edit may set them.
        var hasMembers = false

        /// The number of answers to be lost.
        var losesAnswers = 0
        var batch = Batch.missing

        /// Whether the feed can be read.
        var canRead = true

        /// The status of each write; nil if writes are possible.
        var writeStatus: Int?

        /// Whether numbers are stored as doubles.
        var rounds = false
    }

    private let state = Mutex(State())

    func set(_ change: (inout State) -> Void) { self.state.withLock { change(&$0) } }

    /// Forgets deletions without a sign.
    func purge() { self.set { $0.rows = $0.rows.filter { $0.value.content != nil } } }

    /// The present records.
    var rows: [String: JSON] { self.state.withLock { $0.rows.compactMapValues(\.content) } }

    /// The number of writes that were accepted.
    var writes: Int { self.state.withLock { $0.writes } }

    fileprivate func row(_ pk: String) -> ServerRow? { self.state.withLock { $0.rows[pk] } }

    fileprivate func changes(after cursor: String?, limit: Int) throws -> RowChanges {
        try self.state.withLock { state in
            guard state.canRead else { throw HTTPFailure(.brokenOff, "The answer was lost.") }
            func number(_ row: ServerRow) -> Int { row.version.int ?? 0 }
            let since = cursor.flatMap { Int($0) }
            let rows = state.rows.values.filter { number($0) > (since ?? 0) - state.overlap }
            let newest = rows.map(number).max()
            return RowChanges(
                rows.sorted { number($0) < number($1) },
                cursor: [newest, since].compactMap { $0 }.max().map(String.init))
        }
    }

    fileprivate func batch(of edits: [UploadRequest]) async throws -> [RowAnswer]? {
        let batch = self.state.withLock { $0.batch }
        guard batch != .missing else { return nil }
        var answers: [RowAnswer] = []
        for (place, edit) in edits.enumerated() {
            guard batch != .breaksOff || place == 0 else {
                answers.append(.unknown)
                continue
            }
            let answer = try await self.write(edit)
            answers.append(batch == .lies && place == 1 ? .unknown : answer)
        }
        return answers
    }

    fileprivate func write(_ edit: UploadRequest) async throws -> RowAnswer {
        if let status = self.state.withLock({ $0.writeStatus }) {
            let answer = HTTPAnswer(status: status)
            if status == 400 { return .refused(status: status, "No.") }
            if let failure = RemoteFailure(answer) { throw failure }
        }
        let content = try edit.record()
        let (row, version, between) = self.state.withLock { state in
            defer { state.between = nil }
            state.version += 1
            return (state.rows[edit.pk], state.version, state.between)
        }
        if content == nil, row?.content == nil { return .accepted(row) }
        guard edit.version == row?.version.text else { return .conflicted(row) }
        await between?()
        let isLost = self.state.withLock { state in
            var content = state.rounds ? content.map(Self.rounded) : content
            let time = content?["last_modified"]?.int ?? version
            if state.hasMembers, content != nil {
                content?["id"] = .string(edit.pk)
                content?["last_modified"] = .number(JSONNumber(time))
            }
            state.writes += 1
            state.rows[edit.pk] = ServerRow(pk: edit.pk, version: .number(JSONNumber(time)), content: content)
            defer { state.losesAnswers = max(state.losesAnswers - 1, 0) }
            return state.losesAnswers > 0
        }
        guard !isLost else { throw HTTPFailure(.brokenOff, "The answer was lost.") }
        return .accepted(self.row(edit.pk))
    }

    private static func rounded(_ record: JSON) -> JSON {
        let members = record.object ?? JSONObject()
        return .object(
            JSONObject(members.map { name, value in (name, value.double.map { JSON($0) } ?? value) }))
    }
}

/// The functions over a table.
struct TableServer: RowServer {
    let table: Table
    let capabilities: RemoteCapabilities

    func changes(in collection: String, after cursor: String?, limit: Int) async throws -> RowChanges {
        try self.table.changes(after: cursor, limit: limit)
    }
    func write(_ edit: UploadRequest, in collection: String) async throws -> RowAnswer {
        try await self.table.write(edit)
    }
    func row(_ pk: String, in collection: String) async throws -> ServerRow? { self.table.row(pk) }
    func write(_ edits: [UploadRequest], in collection: String) async throws -> [RowAnswer]? {
        try await self.table.batch(of: edits)
    }
}
