public import TidemarkRules

// Opening a client that waits for its store.

extension SyncClient {
    /// How long opening waits for a store that another client has open, by default: longer than commands of the tool take to
    /// end, and short enough for a waiting user.
    public static let openingLimit = Duration.seconds(5)

    /// Makes a client, and waits for a busy store without blocking a thread of Swift's pool; see
    /// ``init(store:remote:configuration:collections:time:seed:)``.
    ///
    /// - Parameters:
    ///   - store: Opens the store; evaluated again, on a separate thread, while it throws `storeBusy`.
    ///   - remote: The server.
    ///   - configuration: The rules that decide conflicts, and all limits.
    ///   - collections: The only collections that may be used; nil for any.
    ///   - time: The clock.
    ///   - seed: The seed for jitter, also for the pauses between two tries.
    ///   - limit: How long to wait for a store that is busy.
    /// - Throws: ``TidemarkError/Code/storeBusy`` if the store is busy after that time, ``TidemarkError/Code/cancelled`` if the
    ///   task was cancelled, and the errors of `init`.
    public static func open<Store: RecordStore & SendableMetatype>(
        store: @autoclosure @escaping @Sendable () throws(TidemarkError) -> sending Store, remote: some Remote,
        configuration: SyncConfiguration, collections: [String]? = nil, time: some TimeSource, seed: UInt64,
        waiting limit: Duration = SyncClient.openingLimit
    ) async throws(TidemarkError) -> SyncClient {
        try await self.whenFree(within: limit, time: time, seed: seed) { () throws(TidemarkError) in
            try SyncClient(
                store: store(), remote: remote, configuration: configuration, collections: collections, time: time,
                seed: seed)
        }
    }

    /// Calls a function that opens a store until it does not throw `storeBusy`, on a separate thread.
    ///
    /// Two clients that open a file at the same moment can each hold a lock that the other needs. So each releases its lock,
    /// and tries again after a random pause.
    package static func whenFree<Value: Sendable>(
        within limit: Duration, time: some TimeSource, seed: UInt64,
        _ open: @escaping @Sendable () throws(TidemarkError) -> Value
    ) async throws(TidemarkError) -> Value {
        let executor = ClientExecutor()
        var generator = SeededGenerator(seed: seed)
        var waited = Duration.zero
        while true {
            let result = await executor.run { () -> Result<Value, TidemarkError> in
                do throws(TidemarkError) {
                    return .success(try open())
                } catch {
                    return .failure(error)
                }
            }
            // Pauses are added up, so that a clock that is set meanwhile does not change the limit.
            guard case .failure(let error) = result, error.code == .storeBusy, waited < limit else {
                return try result.get()
            }
            let pause = Duration.milliseconds(Int64.random(in: Self.pause, using: &generator))
            waited += pause
            do {
                try await time.sleep(until: time.now + pause)
            } catch {
                throw .cancelled("The wait for the store", cause: error)
            }
        }
    }

    /// How many milliseconds to wait before a busy store is tried again: less than a command takes, more than opening does.
    private static let pause: ClosedRange<Int64> = 5...40
}
