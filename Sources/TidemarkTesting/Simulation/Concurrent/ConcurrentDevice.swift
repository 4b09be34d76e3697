import Synchronization
import TidemarkCore
import TidemarkRules

/// A device of a concurrent simulation: its client, which several callers share, and which one of them closes now and then.
final class ConcurrentDevice: Sendable {
    private struct State {
        var client: SyncClient
        var isReopening = false
        var openings: UInt64 = 0
    }

    let index: Int
    let network: UnreliableNetwork
    private let state: Mutex<State>
    private let open: @Sendable (UInt64) throws -> SyncClient

    /// Makes a device.
    ///
    /// - Parameter open: Makes a client over the device's store, with a number that is another one each time.
    init(
        index: Int, network: UnreliableNetwork, open: @escaping @Sendable (UInt64) throws -> SyncClient
    ) throws {
        self.index = index
        self.network = network
        self.open = open
        self.state = Mutex(State(client: try open(0)))
    }

    var name: String { SimulationStep.deviceNames[self.index] }

    /// The client as it is now; it may be closed any time.
    var client: SyncClient { self.state.withLock { $0.client } }

    /// Closes the client while others use it, and opens the store again.
    ///
    /// - Returns: The new client; nil where another caller is doing it.
    func reopen() async throws -> SyncClient? {
        let (former, number) = self.state.withLock { state -> (SyncClient?, UInt64) in
            guard !state.isReopening else { return (nil, 0) }
            state.isReopening = true
            state.openings += 1
            return (state.client, state.openings)
        }
        guard let former else { return nil }
        await former.close()
        let client = try self.open(number)
        self.state.withLock { state in
            state.client = client
            state.isReopening = false
        }
        return client
    }
}
