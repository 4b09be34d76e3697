public import TidemarkRules

// The end of a client.

extension SyncClient {
    /// The engine; a closed client has none.
    var engine: SyncEngine {
        get throws(TidemarkError) {
            guard let engine = self.openEngine else { throw .closed }
            return engine
        }
    }

    /// Whether the client was closed; every call of a closed client throws ``TidemarkError/Code/clientClosed``.
    public var isClosed: Bool { self.openEngine == nil }

    /// Closes the client and its store, on this line: when it returns, the files are released and another client can open
    /// them.
    ///
    /// Every sequence of values, of changes and of progress ends. Whoever waits for a sync that another caller began, or for
    /// the outcome of a write, gets ``TidemarkError/Code/clientClosed``; so does a sync whose request is out, once that ends. Nothing is lost by it: what
    /// the request carried is sent again by the next client, in the same bytes (R17). Closing twice does nothing.
    ///
    /// ```swift
    /// await client.close()
    /// let next = try SyncClient(store: .sqlite(at: path), remote: remote)
    /// ```
    ///
    /// A client that is let go closes its store as well, but only when the last task that uses it has ended.
    public func close() {
        guard let engine = self.openEngine else { return }
        self.openEngine = nil
        engine.close()
        self.hub.finish()
        self.progressHub.finish()
        self.outcomes.end(throwing: .closed)
        self.waiters.end(throwing: .closed)
        self.mailbox?.finish()
    }

    /// Removes everything that this store holds, and closes the client: for a person who signs out.
    ///
    /// Records, journal, conflicts, watermarks, the account and the app's settings are gone from this device; the server
    /// keeps what it has. Each account has a file of its own, so the next account gets another one.
    ///
    /// ```swift
    /// do {
    ///     try await client.erase()
    /// } catch {
    ///     guard error.code == .unsentChanges else { throw error }
    ///     guard await office.agrees(to: error.message) else { return }   // 3 changes were not sent yet (notes: 2, …
    ///     try await client.erase(evenUnsent: true)
    /// }
    /// ```
    ///
    /// - Parameter evenUnsent: Whether to throw away what the server does not have yet. It can't be brought back.
    /// - Throws: ``TidemarkError/Code/unsentChanges``, which says how many there are; what the store throws. Nothing is
    ///   removed then, and the client stays open.
    public func erase(evenUnsent: Bool = false) throws(TidemarkError) {
        try self.engine.erase(evenUnsent: evenUnsent)
        self.close()
    }
}

extension TidemarkError {
    fileprivate static var closed: TidemarkError {
        TidemarkError(.clientClosed, "This client was closed. Make another one over the same store.")
    }
}
