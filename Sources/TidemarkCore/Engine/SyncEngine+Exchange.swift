import TidemarkMachine
package import TidemarkRules

// Inputs from whoever owns the network and the clock.

extension SyncEngine {
    /// Begins a sync of a collection. While one is going on, this joins it.
    ///
    /// A sync does not wait out a back-off: it tries at once. It tries once, too, where it pauses for credentials that
    /// were bad: they may be good by now. Any other pause stays one; see ``renew(_:)``.
    package func sync(_ collection: String, now: Duration) throws(TidemarkError) -> [SyncEffect] {
        try self.commit(in: collection) { (turn) throws(TidemarkError) in
            try ExchangeDriver(turn: turn, now: now).begin()
        }.effects
    }

    /// Takes in an answer. One that comes late, twice, or for another process is dropped.
    package func receive(
        _ answer: ExchangeAnswer, for token: ExchangeToken, now: Duration
    ) throws(TidemarkError) -> [SyncEffect] {
        try self.settle(token, now) { (driver) throws(TidemarkError) in try driver.take(answer) }
    }

    /// Takes in that an exchange brought no answer.
    package func fail(
        _ failure: RemoteFailure, for token: ExchangeToken, now: Duration
    ) throws(TidemarkError) -> [SyncEffect] {
        try self.settle(token, now) { (driver) throws(TidemarkError) in try driver.take(failure) }
    }

    /// Tries again if it is time to. Does nothing when the exchange does not wait, or not so long any more.
    package func wake(_ collection: String, now: Duration) throws(TidemarkError) -> [SyncEffect] {
        let exchange = try self.look(in: collection) { $0.exchange }
        guard exchange.machine.phase == .waiting, let until = exchange.until, now >= until else { return [] }
        return try self.sync(collection, now: now)
    }

    /// Takes in that the app renewed its credentials, or wants what was paused to go on (SPEC §3.5).
    ///
    /// The next request is a GET, whatever is to be sent: only its answer shows whose account this is, and nothing of
    /// the queue goes to another one.
    package func renew(_ collection: String) throws(TidemarkError) -> [SyncEffect] {
        try self.commit(in: collection) { (turn) throws(TidemarkError) in
            try ExchangeDriver(turn: turn, now: .zero).renew()
        }.effects
    }

    /// One answer is one transaction (SPEC §3.2). When the store fails, the answer counts as lost: the uploads are
    /// sent again as they were, and the server gives the same answer (ack-write-fails).
    private func settle(
        _ token: ExchangeToken, _ now: Duration, _ body: (ExchangeDriver) throws(TidemarkError) -> Void
    ) throws(TidemarkError) -> [SyncEffect] {
        let machine = try self.look(in: token.collection) { $0.exchange.machine }
        guard machine.isAwaiting(token.number) else { return [] }
        do {
            return try self.commit(in: token.collection) { (turn) throws(TidemarkError) in
                try body(ExchangeDriver(turn: turn, now: now))
            }.effects
        } catch {
            self.noteStoreFailure(in: token.collection)
            throw error
        }
    }
}
