package import TidemarkJSON
package import TidemarkMachine
package import TidemarkRules

/// What an engine has in mind of one collection besides its store, as far as it has a say in what comes next: for
/// exploration, which has to know two states for the same.
package struct EngineShape: Hashable {
    /// What the machine of the exchange has in mind.
    package let exchange: ExchangeMachine<CodePointString, RemoteFailure>.Shape

    /// Whether a sync goes on.
    package let isSyncing: Bool

    /// Whether the app let a sync go on that was paused since the server went back.
    package let maySyncAfterWentBack: Bool

    /// Until when it waits, from 1970-01-01T00:00:00Z; nil where it does not.
    package let until: Duration?

    /// Until when the server wants to be left alone, from 1970-01-01T00:00:00Z; nil where it never said so.
    package let restsUntil: Duration?
}

extension SyncEngine {
    /// What the engine has in mind of a collection.
    package func shape(of collection: String) throws(TidemarkError) -> EngineShape {
        try self.look(in: collection) { (turn) in
            let exchange = turn.exchange
            return EngineShape(
                exchange: exchange.machine.shape(turn.exchangeLimits), isSyncing: exchange.tally != nil,
                maySyncAfterWentBack: exchange.maySyncAfterWentBack,
                until: exchange.machine.phase == .waiting ? exchange.until : nil, restsUntil: exchange.restsUntil)
        }
    }
}
