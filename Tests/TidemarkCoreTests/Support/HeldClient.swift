import TidemarkCore
import TidemarkTesting

/// A client whose requests wait in a network until the test decides, and its server, under one clock.
struct HeldClient: Sendable {
    let server: InProcessServer
    let network: PausedNetwork
    let client: SyncClient

    init(
        _ configuration: SyncConfiguration = SyncConfiguration(), store: sending MemoryStore = MemoryStore()
    ) throws {
        self.server = try InProcessServer()
        self.network = PausedNetwork(InProcessRemote(self.server))
        self.client = try SyncClient(
            store: store, remote: self.network, configuration: configuration, time: self.server.clock, seed: 1)
    }
}

/// A suite whose tests use one held client each.
protocol HeldClientSuite {
    var held: HeldClient { get }
}

extension HeldClientSuite {
    var server: InProcessServer { self.held.server }
    var network: PausedNetwork { self.held.network }
    var client: SyncClient { self.held.client }
    var notes: SyncCollection { self.client["notes"] }
}
