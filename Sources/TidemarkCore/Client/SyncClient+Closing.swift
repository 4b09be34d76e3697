import TidemarkMachine
public import TidemarkRules

// Closing a client.

extension SyncClient {
    /// Whether the client was closed; every call of a closed client throws ``TidemarkError/Code/clientClosed``.
    public var isClosed: Bool { self.turn.phase == .closed }

    /// Closes the client and its store before it returns: the files are released then, and another client can open them.
    ///
    /// Every sequence of values, of changes and of progress ends. A caller that waits for a sync that another caller began, or
    /// for the outcome of a write, gets ``TidemarkError/Code/clientClosed``. A caller whose sync has a request in flight gets
    /// that error when its request ends. No data is lost: the next client sends the content of that request again, in the
    /// same bytes (R17). Closing twice does nothing.
    ///
    /// ```swift
    /// await client.close()
    /// let next = try SyncClient(store: .sqlite(at: path), remote: remote)
    /// ```
    ///
    /// A client that is deinitialized closes its store as well, but only when the last task that uses it has ended.
    public func close() {
        guard !self.isClosed else { return }
        _ = self.turn.close()
        self.openEngine?.close()
        self.openEngine = nil
        self.absence = nil
        self.hub.finish()
        self.progressHub.finish()
        self.outcomes.end(throwing: .closed)
        self.waiters.end(throwing: .closed)
        self.mailbox?.finish()
        self.waking.raise()
    }

    /// Removes all data of this store, and closes the client: for a user who signs out.
    ///
    /// Records, journal, conflicts, cursors, the account and the app's settings are removed from this device; the server keeps
    /// its data. Use a separate file for each account.
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
    /// - Parameter evenUnsent: Whether to discard changes that the server does not have yet. They can't be restored.
    /// - Throws: ``TidemarkError/Code/unsentChanges`` with the number of such changes, and the errors of the store. Then no
    ///   data is removed, and the client stays open.
    public func erase(evenUnsent: Bool = false) throws(TidemarkError) {
        try self.engine.erase(evenUnsent: evenUnsent)
        self.close()
    }
}
