package import TidemarkJSON
package import TidemarkMachine
package import TidemarkRules

/// The in-memory state of an engine for one collection, as far as it affects later steps: for exploration, which has to
/// recognize equal states.
package struct EngineShape: Hashable {
    /// The state of the exchange's machine.
    package let exchange: ExchangeMachine<CodePointString, RemoteFailure>.Shape

    /// Whether a sync is running.
    package let isSyncing: Bool

    /// Whether the app resumed a sync that was paused after the server was rolled back.
    package let maySyncAfterRollback: Bool

    /// The end of the back-off, since 1970-01-01T00:00:00Z; nil if the exchange does not wait.
    package let until: Duration?

    /// Until when the server throttles requests, since 1970-01-01T00:00:00Z; nil if it did not.
    package let throttledUntil: Duration?
}

extension SyncEngine {
    /// Returns the in-memory state for a collection.
    package func shape(of collection: String) throws(TidemarkError) -> EngineShape {
        try self.look(in: collection) { (transaction) in
            let exchange = transaction.exchange
            return EngineShape(
                exchange: exchange.machine.shape(transaction.exchangeLimits), isSyncing: exchange.tally != nil,
                maySyncAfterRollback: exchange.maySyncAfterRollback,
                until: exchange.machine.phase == .waiting ? exchange.until : nil,
                throttledUntil: exchange.throttledUntil)
        }
    }
}
