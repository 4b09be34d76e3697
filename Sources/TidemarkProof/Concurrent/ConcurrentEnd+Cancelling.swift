import TidemarkCore
import TidemarkSimulation
import TidemarkTesting
import TidemarkRules

// Whoever is cancelled leaves a sync, at once and alone (SPEC §3.5).

extension ConcurrentEnd {
    /// Three ask for the same sync, whose request does not get through: one who joined leaves, then the one who began. The third
    /// carries it on, and nothing has failed.
    func checkCancelling() async throws {
        guard let device = self.devices.first else { return }
        let (client, network) = (device.client, device.network)
        network.hold(true)
        defer { network.hold(false) }
        let first = Self.sync(client)
        try await Self.wait("a sync asks for nothing") { network.held == 1 }
        let second = Self.sync(client)
        try await Self.wait("a sync is not joined") { await client.joinedCount(in: Self.collection) == 1 }
        let third = Self.sync(client)
        try await Self.wait("a sync is not joined") { await client.joinedCount(in: Self.collection) == 2 }

        second.cancel()
        try await Self.wait("who is cancelled goes on waiting") { await client.joinedCount(in: Self.collection) == 1 }
        first.cancel()
        try Self.check(await first.value, is: .cancelled, "a sync that was cancelled ends as if it had not been")
        try Self.check(await second.value, is: .cancelled, "a sync that was cancelled ends as if it had not been")
        network.hold(false)
        try Self.check(await third.value, is: nil, "a sync is cancelled that another one began")
    }

    private static let collection = SimulationSetting.counts

    /// A caller of its own.
    ///
    /// - Returns: What the call was refused with; nil where it was not.
    private static func sync(_ client: SyncClient) -> Task<TidemarkError.Code?, Never> {
        Task {
            do throws(TidemarkError) {
                _ = try await client[Self.collection].sync()
                return nil
            } catch {
                return error.code
            }
        }
    }

    private static func check(_ code: TidemarkError.Code?, is expected: TidemarkError.Code?, _ kind: String) throws {
        guard code != expected else { return }
        throw SimulationViolation("§3.5", kind, code.map { "“\($0)”" } ?? "no error")
    }

    /// Lets the others go on until it is so.
    private static func wait(_ kind: String, until isSo: () async -> Bool) async throws {
        let clock = ContinuousClock()
        let end = clock.now + .seconds(20)
        while await !isSo() {
            guard clock.now < end else { throw SimulationViolation("§3.5", kind) }
            await Task.yield()
        }
    }
}
