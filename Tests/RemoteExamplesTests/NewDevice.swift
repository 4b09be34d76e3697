import TidemarkAdapters
import TidemarkCore
import TidemarkTesting
import Testing

/// Makes a device with an empty store, and a clock that only the test moves.
func device(
    over remote: some Remote, clock: ManualClock = ManualClock(), seed: UInt64 = 1, collections: [String] = ["notes"]
) throws -> SyncClient {
    try SyncClient(
        store: MemoryStore(), remote: remote, configuration: SyncConfiguration(), collections: collections,
        time: clock, seed: seed)
}

/// Syncs devices one after the other, a minute apart.
func syncInTurn(_ devices: [SyncClient], _ clock: ManualClock) async throws {
    for device in devices {
        clock.advance(by: .seconds(60))
        #expect(try await device.sync().outcome == .inSync)
    }
}
