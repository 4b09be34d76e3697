import TidemarkCore
import TidemarkJSON
import TidemarkTesting

/// Two clients of the same server, over a network that works.
struct ClientPair {
    let server: InProcessServer
    let phone: SyncClient
    let tablet: SyncClient

    init(_ configuration: SyncConfiguration = SyncConfiguration()) throws {
        let server = try InProcessServer()
        func client(_ seed: UInt64) throws -> SyncClient {
            try SyncClient(
                store: MemoryStore(), remote: InProcessRemote(server), configuration: configuration,
                time: server.clock, seed: seed)
        }
        self.server = server
        self.phone = try client(1)
        self.tablet = try client(2)
    }

    /// The record “42” of the phone.
    var note: SyncRecord<JSON> { self.phone["notes"]["42"] }

    /// Syncs until both clients are in sync.
    func settle() async throws {
        for client in [self.phone, self.tablet, self.phone] { _ = try await client.sync(["notes"]) }
    }
}
