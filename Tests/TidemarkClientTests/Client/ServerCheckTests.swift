import Synchronization
import Testing
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkServer
import TidemarkTesting

/// A server in this process between a phone, whose store is on a disk in memory, and a tablet.
private struct CheckedPhone {
    let server: InProcessServer
    let disk = MemoryDisk()
    let remote: AlteringRemote
    let tablet: SyncClient

    init(capabilities: RemoteCapabilities = .native) throws {
        self.server = try InProcessServer()
        self.remote = AlteringRemote(self.server, capabilities)
        self.tablet = try SyncClient(
            store: MemoryStore(), remote: InProcessRemote(self.server), configuration: SyncConfiguration(),
            time: self.server.clock, seed: 2)
    }

    func open() throws(TidemarkError) -> SyncClient {
        var configuration = SyncConfiguration(accepts: Set(SyncGuarantee.allCases))
        configuration.readsCopy = true
        return try SyncClient(
            store: self.disk.open(), remote: self.remote, configuration: configuration, time: self.server.clock, seed: 1
        )
    }

    /// Uses the app on the phone, and closes it.
    func use(_ body: (SyncCollection<JSON>) async throws -> Void) async throws {
        let client = try self.open()
        try await body(client["notes"])
        await client.close()
    }

    /// Records 1 to `count` on both devices.
    func fill(_ count: Int) async throws {
        for number in 1...count { try await self.tablet["notes"].create(["n": JSON(number)], pk: "\(number)") }
        _ = try await self.tablet.sync(["notes"])
        try await self.use { _ = try await $0.sync() }
    }

    /// Compares; `between` runs before the second reading.
    func check(between: @escaping @Sendable () async throws -> Void = {}) async throws -> ServerCheck.Result {
        let check = try ServerCheck(
            of: self.remote, into: MemoryStore(), time: self.server.clock, waitBetween: between
        ) { try self.open() }
        switch try await check.run(["notes"])[0] {
        case .compared(let result): return result
        case .unfinished(_, let error): throw error
        }
    }
}

/// A remote that changes what the server says.
private final class AlteringRemote: Remote {
    let capabilities: RemoteCapabilities
    private let inner: InProcessRemote
    private let alter = Mutex<(@Sendable (FeedPage.Item) -> FeedPage.Item?)?>(nil)
    private let repeats = Mutex(false)
    private let before = Mutex<(@Sendable () async throws -> Void)?>(nil)

    init(_ server: InProcessServer, _ capabilities: RemoteCapabilities) {
        self.capabilities = capabilities
        self.inner = InProcessRemote(server)
    }

    /// Changes the items of later answers; nil leaves one out.
    func alter(_ change: (@Sendable (FeedPage.Item) -> FeedPage.Item?)?) { self.alter.withLock { $0 = change } }

    /// Answers each later request from the start of the feed.
    func repeatAll() { self.repeats.withLock { $0 = true } }

    /// Does something before each later exchange.
    func before(_ action: (@Sendable () async throws -> Void)?) { self.before.withLock { $0 = action } }

    func exchange(_ request: ExchangeRequest) async throws(RemoteFailure) -> ExchangeAnswer {
        try? await self.before.withLock { $0 }?()
        var request = request
        if self.repeats.withLock(\.self), request.cursor != nil { request.cursor = nil }
        var answer = try self.inner.exchangeNow(request)
        answer.beginsResync = false
        guard let change = self.alter.withLock({ $0 }) else { return answer }
        let page = answer.page
        let items = page.rows.compactMap { row in
            change(
                FeedPage.Item(
                    pk: String(decoding: page.bytes[row.pk], as: UTF8.self), version: page.versionText(of: row),
                    data: row.isTombstone ? nil : String(decoding: page.bytes[row.data], as: UTF8.self)))
        }
        answer.page = FeedPage(items)
        return answer
    }
}

extension FeedPage.Item {
    fileprivate func with(data: String) -> FeedPage.Item {
        var item = self
        item.data = data
        return item
    }
}

@Suite struct `A comparison of a store with its server` {
    @Test func `finds nothing if both agree, and says how much it compared`() async throws {
        let phone = try CheckedPhone()
        try await phone.fill(450)
        let result = try await phone.check()
        #expect(result.compared == 450 && result.changedHere == 0 && result.notPulled == 0 && result.differences == [])
    }

    @Test func `leaves out records that were changed here, or not pulled yet`() async throws {
        let phone = try CheckedPhone()
        try await phone.fill(5)
        try await phone.use { notes in
            try await notes["1"].edit { $0.n = 10 }
            try await notes["2"].delete()
            try await notes.create([:], pk: "8")
        }
        try await phone.tablet["notes"]["3"].edit { $0.n = 30 }
        try await phone.tablet["notes"]["4"].delete()
        try await phone.tablet["notes"].create([:], pk: "9")
        _ = try await phone.tablet.sync(["notes"])
        let result = try await phone.check()
        #expect(result.compared == 1 && result.changedHere == 3 && result.notPulled == 3 && result.differences == [])
    }

    @Test func `finds each kind of difference`() async throws {
        let phone = try CheckedPhone()
        try await phone.fill(5)
        phone.remote.alter { item in
            switch item.pk {
            case #""1""#: item.with(data: #"{"n":1,"more":{"a":2}}"#)
            case #""2""#: nil
            case #""3""#: FeedPage.Item(pk: item.pk, version: "99", data: item.data)
            case #""4""#: FeedPage.Item(pk: #""4b""#, version: item.version, data: item.data)
            case #""5""#: item.with(data: #"{"n": 5}"#)
            default: item
            }
        }
        let differences = try await phone.check().differences
        #expect(differences.map(\.pk) == ["1", "2", "3", "4", "5", "4b"])
        #expect(
            differences.map(\.kind) == [.otherData, .onlyHere, .otherVersion, .onlyHere, .otherData, .onlyOnServer])
        #expect(differences[0].paths.map(\.text) == ["/more"])
        #expect(differences[2].server == "99" && differences[2].here != "99")
        #expect(differences[4].paths == [])
    }

    @Test(arguments: [
        (RemoteCapabilities.Values.exact, ["1", "2"]), (.byValue, ["1"]), (.rounded, []),
    ])
    func `compares data as exactly as the server keeps them`(
        values: RemoteCapabilities.Values, expected: [String]
    ) async throws {
        var capabilities = RemoteCapabilities.native
        capabilities.values = values
        let phone = try CheckedPhone(capabilities: capabilities)
        try await phone.fill(2)
        phone.remote.alter { $0.with(data: $0.pk == #""1""# ? #"{"n":2}"# : #"{ "n": 2 }"#) }
        #expect(try await phone.check().differences.map(\.pk) == expected)
    }

    @Test func `does not compare the members of the server`() async throws {
        var capabilities = RemoteCapabilities.native
        capabilities.serverMembers = ["/rank"]
        let phone = try CheckedPhone(capabilities: capabilities)
        try await phone.fill(1)
        phone.remote.alter { $0.with(data: #"{"n":1,"rank":7}"#) }
        #expect(try await phone.check().differences == [])
    }

    @Test func `does not report a difference of one reading only`() async throws {
        let phone = try CheckedPhone()
        try await phone.fill(3)
        phone.remote.alter { $0.pk == #""2""# ? nil : $0 }
        #expect(try await phone.check { phone.remote.alter(nil) }.differences == [])
    }

    /// The tablet writes before each request, and the phone between both readings.
    @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8])
    func `a healthy pair under writes has no difference`(seed: UInt64) async throws {
        let phone = try CheckedPhone()
        try await phone.fill(60)
        let random = Mutex(SeededGenerator(seed: seed))
        let write: @Sendable (SyncCollection<JSON>) async throws -> Void = { notes in
            for _ in 0..<3 {
                let (pk, act) = random.withLock {
                    ("\(Int.random(in: 1...70, using: &$0))", Int.random(in: 0..<4, using: &$0))
                }
                switch act {
                case 0: _ = try? await notes[pk].delete()
                case 1: _ = try? await notes.create(["n": 0], pk: pk)
                default: _ = try? await notes[pk].edit { $0.n = JSON(act) }
                }
            }
        }
        phone.remote.before {
            try await write(phone.tablet["notes"])
            _ = try await phone.tablet.sync(["notes"])
        }
        for _ in 0..<4 {
            let result = try await phone.check { try await phone.use { try await write($0) } }
            #expect(result.differences == [])
            try await phone.use { notes in
                try await write(notes)
                if seed % 2 == 0 { _ = try await notes.sync() }
            }
        }
    }

    @Test func `needs a store that has read the whole collection`() async throws {
        let phone = try CheckedPhone()
        let error = await #expect(throws: ServerCheck.Unfinished.self) { _ = try await phone.check() }
        #expect(error?.message.contains("sync it first") == true)
    }

    /// A remote over rows shows the last seconds again, and one that compares with `>=` shows the last row.
    @Test func `compares rows that the feed shows again`() async throws {
        let phone = try CheckedPhone()
        try await phone.fill(3)
        phone.remote.repeatAll()
        phone.remote.alter { $0.pk == #""2""# ? $0.with(data: "{}") : $0 }
        let result = try await phone.check()
        #expect(result.compared == 3 && result.notPulled == 0 && result.differences.map(\.pk) == ["2"])
    }

    /// The feed does not say that another device has deleted a record.
    @Test(arguments: [RemoteCapabilities.Tombstones.none, .kept(.seconds(60), isSignalled: false)])
    func `does not report a record that another device may have deleted`(
        tombstones: RemoteCapabilities.Tombstones
    ) async throws {
        var capabilities = RemoteCapabilities.native
        capabilities.tombstones = tombstones
        let phone = try CheckedPhone(capabilities: capabilities)
        try await phone.fill(3)
        phone.remote.alter { $0.pk == #""2""# ? nil : $0 }
        #expect(try await phone.check().differences == [])
    }

    @Test func `says that there are more differences than it keeps`() async throws {
        let phone = try CheckedPhone()
        try await phone.fill(ServerCheck.differenceLimit + 1)
        phone.remote.alter { $0.with(data: "{}") }
        let result = try await phone.check()
        #expect(result.differences.count == ServerCheck.differenceLimit && result.hasMore)
    }

    @Test func `over a list compares records of the same version only`() async throws {
        var capabilities = RemoteCapabilities.native
        capabilities.feed = .listing
        let phone = try CheckedPhone(capabilities: capabilities)
        try await phone.fill(3)
        phone.remote.alter { item in
            switch item.pk {
            case #""1""#: item.with(data: "{}")
            case #""2""#: FeedPage.Item(pk: item.pk, version: "99", data: "{}")
            default: nil
            }
        }
        #expect(try await phone.check().differences.map(\.pk) == ["1"])
    }
}
