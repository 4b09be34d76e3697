public import TidemarkRules

// A client that waits for its store.

extension SyncClient {
    /// How long opening waits for a store that another client has open, unless the caller says otherwise: longer than commands
    /// of the tool take to end, and short enough for a user who waits.
    public static let openingLimit = Duration.seconds(5)

    /// Makes a client, and waits for its store without blocking a thread of Swift's pool; see ``init(store:remote:configuration:collections:time:seed:)``.
    ///
    /// - Parameters:
    ///   - store: Opens the store; evaluated again, on a thread of its own, as long as that throws `storeBusy`.
    ///   - remote: The server.
    ///   - configuration: What decides conflicts, and all limits.
    ///   - collections: The only collections that may be used; nil for any.
    ///   - time: What time it is.
    ///   - seed: Where jitter comes from, that of the pauses between two tries, too.
    ///   - limit: How long to wait for a store that is busy.
    /// - Throws: ``TidemarkError/Code/storeBusy`` if the store is busy after that time, ``TidemarkError/Code/cancelled`` to a
    ///   task that was cancelled, and what `init` throws.
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

    /// Calls what opens a store until it does not throw `storeBusy`, on a thread of its own.
    ///
    /// Two that open a file at the same moment can each hold what the other needs, so each lets go of it, and comes again after
    /// a pause of a different length.
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
