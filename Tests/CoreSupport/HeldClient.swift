package import TidemarkCore
package import TidemarkJSON
package import TidemarkTesting

/// A client whose requests wait in a network until the test decides, and its server, under one clock.
package struct HeldClient: Sendable {
    package let server: InProcessServer
    package let network: PausedNetwork
    package let client: SyncClient

    package init(
        _ configuration: SyncConfiguration = SyncConfiguration(), store: sending MemoryStore = MemoryStore()
    ) throws {
        self.server = try InProcessServer()
        self.network = PausedNetwork(InProcessRemote(self.server))
        self.client = try SyncClient(
            store: store, remote: self.network, configuration: configuration, time: self.server.clock, seed: 1)
    }
}

/// A suite whose tests use one held client each.
package protocol HeldClientSuite {
    var held: HeldClient { get }
}

extension HeldClientSuite {
    package var server: InProcessServer { self.held.server }
    package var network: PausedNetwork { self.held.network }
    package var client: SyncClient { self.held.client }
    package var notes: SyncCollection<JSON> { self.client["notes"] }
}
