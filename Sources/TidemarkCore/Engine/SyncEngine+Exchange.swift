import TidemarkMachine
package import TidemarkRules

// The inputs from the owner of the network and the clock.

extension SyncEngine {
    /// Begins a sync of a collection, or joins a running one.
    ///
    /// A sync does not wait for a back-off: it tries at once. It also tries once if the collection is paused because of
    /// rejected credentials: they may be valid now. Any other pause is kept; see ``renew(_:)``.
    ///
    /// - Parameter large: The large merges that were made before; see ``LargeMerges``.
    package func sync(
        _ collection: String, now: Duration, _ large: LargeMerges? = nil
    ) throws(TidemarkError) -> [SyncEffect] {
        try self.commit(in: collection, large) { (transaction) throws(TidemarkError) in
            transaction.exchange.note(now)
            try ExchangeDriver(transaction: transaction, now: now).begin()
        }.effects
    }

    /// Applies an answer. A late or repeated answer, or one for another process, is dropped.
    ///
    /// - Parameter large: The large merges that were made before; see ``LargeMerges``.
    package func receive(
        _ answer: ExchangeAnswer, for token: ExchangeToken, now: Duration, _ large: LargeMerges? = nil
    ) throws(TidemarkError) -> [SyncEffect] {
        try self.settle(token, now, large) { (driver) throws(TidemarkError) in try driver.apply(answer) }
    }

    /// Handles an exchange that failed without an answer.
    package func fail(
        _ failure: RemoteFailure, for token: ExchangeToken, now: Duration
    ) throws(TidemarkError) -> [SyncEffect] {
        try self.settle(token, now) { (driver) throws(TidemarkError) in try driver.handle(failure) }
    }

    /// Tries again if the back-off has ended. Does nothing if the exchange does not wait, or has to wait longer.
    package func wake(_ collection: String, now: Duration) throws(TidemarkError) -> [SyncEffect] {
        let exchange = try self.look(in: collection) { $0.exchange }
        guard exchange.machine.phase == .waiting, exchange.hasWaited(at: now) else { return [] }
        return try self.sync(collection, now: now)
    }

    /// Records that the app renewed its credentials, or resumes a paused sync (Contract §3.5).
    ///
    /// The next request is a GET, even if there are edits to send: only its answer shows the account, so that no edit is sent
    /// to another one.
    package func renew(_ collection: String) throws(TidemarkError) -> [SyncEffect] {
        try self.commit(in: collection) { (transaction) throws(TidemarkError) in
            try ExchangeDriver(transaction: transaction, now: .zero).renew()
        }.effects
    }

    /// Handles one answer in one transaction (Contract §3.2). If the store fails, the answer counts as lost: the uploads are sent
    /// again in the same bytes, and the server gives the same answer.
    private func settle(
        _ token: ExchangeToken, _ now: Duration, _ large: LargeMerges? = nil,
        _ body: (ExchangeDriver) throws(TidemarkError) -> Void
    ) throws(TidemarkError) -> [SyncEffect] {
        guard token.engine == self.number else { return [] }
        let machine = try self.look(in: token.collection) { $0.exchange.machine }
        guard machine.isAwaiting(token.number) else { return [] }
        do {
            return try self.commit(in: token.collection, large) { (transaction) throws(TidemarkError) in
                transaction.exchange.note(now)
                try body(ExchangeDriver(transaction: transaction, now: now))
            }.effects
        } catch {
            if error.code != .mergesMissing { self.noteStoreFailure(in: token.collection) }
            throw error
        }
    }
}
