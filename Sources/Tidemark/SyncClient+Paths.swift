public import TidemarkCore
public import TidemarkMachine
public import TidemarkRules

#if canImport(Network)
    import Dispatch
    import Network
    import Synchronization
#endif

extension SyncClient {
    /// Keeps every collection in sync until the task is cancelled, and follows the state of the network if the system reports
    /// it; see ``SyncClient/run(_:connectivity:)``.
    ///
    /// ```swift
    /// let running = Task { try await client.run() }
    /// running.cancel()                     // it returns, and all work has ended
    /// ```
    ///
    /// On Apple's systems `NWPathMonitor` reports whether there is a network. On other systems the client assumes that there is
    /// one, and each try shows whether that is true.
    ///
    /// - Parameter plan: When to sync.
    /// - Throws: ``TidemarkError/Code/alreadyRunning`` while another call of it runs, ``TidemarkError/Code/clientClosed``, and
    ///   the errors of the store at the beginning.
    public func run(_ plan: RunPlan = RunPlan()) async throws(TidemarkError) {
        try await self.run(plan, connectivity: Self.paths)
    }

    private static var paths: AsyncStream<Bool> {
        #if canImport(Network)
            AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
                let paths = Paths()
                continuation.onTermination = { _ in paths.stop() }
                paths.start { continuation.yield($0) }
            }
        #else
            AsyncStream { $0.finish() }
        #endif
    }
}

#if canImport(Network)
    /// The system's monitor of network paths.
    ///
    /// Whether `NWPathMonitor` is `Sendable` depends on the SDK, so a lock owns it.
    private final class Paths: Sendable {
        private let monitor = Mutex(NWPathMonitor())

        func start(_ report: @escaping @Sendable (Bool) -> Void) {
            // A path that must be connected first, such as a VPN on demand, counts as connected.
            self.monitor.withLock { monitor in
                monitor.pathUpdateHandler = { report($0.status != .unsatisfied) }
                monitor.start(queue: DispatchQueue(label: "tidemark.network"))
            }
        }

        func stop() { self.monitor.withLock { $0.cancel() } }
    }
#endif
