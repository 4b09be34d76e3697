import TidemarkCore
import TidemarkSimulation
import TidemarkTesting
import TidemarkRules

// A caller that is cancelled leaves a sync at once, and the sync continues for the others (Contract §3.5).

extension ConcurrentEnd {
    /// Three callers start the same sync, whose request is held: a caller that joined is cancelled, then the first caller. The
    /// third caller completes the sync without an error.
    func checkCancelling() async throws {
        guard let device = self.devices.first else { return }
        let (client, network) = (device.client, device.network)
        network.hold(true)
        defer { network.hold(false) }
        let first = Self.sync(client)
        try await Self.wait("a sync sends no request") { network.held == 1 }
        let second = Self.sync(client)
        try await Self.wait("a sync is not joined") { await client.joinedCount(in: Self.collection) == 1 }
        let third = Self.sync(client)
        try await Self.wait("a sync is not joined") { await client.joinedCount(in: Self.collection) == 2 }

        second.cancel()
        try await Self.wait("a cancelled caller is still waiting") {
            await client.joinedCount(in: Self.collection) == 1
        }
        first.cancel()
        try Self.check(await first.value, is: .cancelled, "a sync that was cancelled ends as if it had not been")
        try Self.check(await second.value, is: .cancelled, "a sync that was cancelled ends as if it had not been")
        network.hold(false)
        try Self.check(await third.value, is: nil, "a sync is cancelled because another caller was cancelled")
    }

    private static let collection = SimulationSetting.counts

    /// Starts a separate caller.
    ///
    /// - Returns: The error of the call; nil if it succeeded.
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

    /// Lets the other tasks run until a condition holds.
    private static func wait(_ kind: String, until isSo: () async -> Bool) async throws {
        let clock = ContinuousClock()
        let end = clock.now + .seconds(20)
        while await !isSo() {
            guard clock.now < end else { throw SimulationViolation("§3.5", kind) }
            await Task.yield()
        }
    }
}
