public import TidemarkCore
public import TidemarkMachine
public import TidemarkRules

#if canImport(Network)
    import Dispatch
    import Network
#endif

extension SyncClient {
    /// Keeps every collection in step until the task is cancelled, and knows by itself when there is a network, where the system
    /// says so; see ``SyncClient/run(_:connectivity:)``.
    ///
    /// ```swift
    /// let running = Task { try await client.run() }
    /// running.cancel()                     // it returns, and nothing goes on
    /// ```
    ///
    /// On Apple's systems `NWPathMonitor` says whether there is a network. Elsewhere there is always one, and each try shows
    /// what it is worth.
    ///
    /// - Parameter plan: When to sync.
    /// - Throws: ``TidemarkError/Code/alreadyRunning`` while another call of it goes on, ``TidemarkError/Code/clientClosed``,
    ///   and what the store throws at the beginning.
    public func run(_ plan: RunPlan = RunPlan()) async throws(TidemarkError) {
        try await self.run(plan, connectivity: Self.paths)
    }

    private static var paths: AsyncStream<Bool> {
        #if canImport(Network)
            AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
                let monitor = NWPathMonitor()
                // One that has to be connected first, as by a VPN on demand, is as good as one.
                monitor.pathUpdateHandler = { continuation.yield($0.status != .unsatisfied) }
                continuation.onTermination = { _ in monitor.cancel() }
                monitor.start(queue: DispatchQueue(label: "tidemark.network"))
            }
        #else
            AsyncStream { $0.finish() }
        #endif
    }
}
