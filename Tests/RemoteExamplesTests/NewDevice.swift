import TidemarkAdapters
import TidemarkCore
import TidemarkTesting

/// Makes a device with an empty store, and a clock that only the test moves.
func device(over remote: some Remote, clock: ManualClock = ManualClock(), seed: UInt64 = 1) throws -> SyncClient {
    try SyncClient(
        store: MemoryStore(), remote: remote, configuration: SyncConfiguration(), collections: ["notes"],
        time: clock, seed: seed)
}
