import TidemarkCore
import TidemarkDatabase
import TidemarkJSON
import TidemarkRules
import TidemarkSQLite
import TidemarkTesting

/// Clients of a server with foreign keys.
struct Household {
    static let references = [
        "todos": ["/list": "lists", "/tags/*": "tags"], "lists": ["/parent": "lists"],
        "notes": ["/about": "notes", "/in/*": "lists"],
    ]

    let server: KeyServer
    let client: SyncClient

    init(_ kind: StoreKind = .memory, _ change: (inout SyncConfiguration) -> Void = { _ in }) async throws {
        self.server = try KeyServer(Self.references)
        self.client = try kind.client(of: self.server, Self.references, change)
    }

    /// Another device of the household.
    func guest() throws -> SyncClient { try StoreKind.memory.client(of: self.server, Self.references, seed: 2) }

    /// Creates a list and a todo in it, and loses the answer about the list.
    func createWithoutAnswer() async throws {
        try await self.client["lists"].create([:], pk: "42")
        try await self.client["todos"].create(["list": "42"], pk: "1")
        self.server.loseAnswers(true)
        try await self.sync(["lists"])
        self.server.loseAnswers(false)
    }

    /// Creates a list and a todo in it, while the server has the list of another device.
    func createAfterGuest() async throws {
        let guest = try self.guest()
        try await guest["lists"].create(["name": "theirs"], pk: "42")
        _ = try await guest.sync(["lists"])
        try await self.client["lists"].create(["name": "ours"], pk: "42")
        try await self.client["todos"].create(["list": "42"], pk: "1")
    }

    var posts: [String] { self.server.posts.map(\.description) }

    @discardableResult
    func sync(_ names: [String]? = nil) async throws -> SyncReport { try await self.client.sync(names) }
}

enum StoreKind: CaseIterable {
    case memory, file

    func client(
        of server: KeyServer, _ references: [String: [String: String]],
        _ change: (inout SyncConfiguration) -> Void = { _ in }, seed: UInt64 = 1
    ) throws -> SyncClient {
        var configuration = SyncConfiguration()
        for (name, members) in references { configuration[name].references = members }
        change(&configuration)
        let clock = server.clock
        return switch self {
        case .memory:
            try SyncClient(
                store: MemoryStore(), remote: server, configuration: configuration, time: clock, seed: seed)
        case .file:
            try SyncClient(
                store: try SQLiteStore(.memory), remote: server, configuration: configuration, time: clock, seed: seed)
        }
    }
}
