import Synchronization
import TidemarkCore
import TidemarkSimulation
import TidemarkTesting
import TidemarkRules

/// A disk of a concurrent simulation, in memory, that is sometimes full.
final class ConcurrentDisk: Sendable {
    private let disk = MemoryDisk()
    private let writesLeft = Mutex<Int?>(nil)

    /// Lets a write fail after a number of writes.
    func fail(after writes: Int) { self.writesLeft.withLock { $0 = writes } }

    /// Lets no write fail any more.
    func heal() { self.writesLeft.withLock { $0 = nil } }

    /// Opens its store.
    func open() throws(TidemarkError) -> sending FaultyStore {
        FaultyStore(try self.disk.open()) { [self] in self.failure() }
    }

    private func failure() -> TidemarkError? {
        self.writesLeft.withLock { writesLeft in
            guard let left = writesLeft else { return nil }
            writesLeft = left == 0 ? nil : left - 1
            return left == 0 ? TidemarkError(.storeFull, "The disk is full.") : nil
        }
    }
}

/// A device of a concurrent simulation. Several callers share its client, and sometimes one of them closes it.
final class ConcurrentDevice: Sendable {
    private struct State {
        var client: SyncClient
        var isReopening = false
        var openings: UInt64 = 0
    }

    let index: Int
    let network: UnreliableNetwork
    /// The disk; nil if the store comes from the caller of the simulation.
    let disk: ConcurrentDisk?
    private let state: Mutex<State>
    private let open: @Sendable (UInt64) throws -> SyncClient

    /// Makes a device.
    ///
    /// - Parameters:
    ///   - index: The index of the device.
    ///   - network: The network for its requests.
    ///   - disk: The disk of its store.
    ///   - open: Makes a client over the device's store, with a number that differs each time.
    init(
        index: Int, network: UnreliableNetwork, disk: ConcurrentDisk?,
        open: @escaping @Sendable (UInt64) throws -> SyncClient
    ) throws {
        self.index = index
        self.network = network
        self.disk = disk
        self.open = open
        self.state = Mutex(State(client: try open(0)))
    }

    var name: String { SimulationStep.deviceNames[self.index] }

    /// The present client; it may be closed at any time.
    var client: SyncClient { self.state.withLock { $0.client } }

    /// Closes the client while others use it, and opens the store again.
    ///
    /// - Returns: The new client; nil if another caller is reopening it.
    func reopen() async throws -> SyncClient? {
        let (former, number) = self.state.withLock { state -> (SyncClient?, UInt64) in
            guard !state.isReopening else { return (nil, 0) }
            state.isReopening = true
            state.openings += 1
            return (state.client, state.openings)
        }
        guard let former else { return nil }
        await former.close()
        self.disk?.heal()
        let client = try self.open(number)
        self.state.withLock { state in
            state.client = client
            state.isReopening = false
        }
        return client
    }
}
