import Synchronization

extension ServerCore {
    /// Runs `work` with the storage's accounts and tokens, alone on the storage.
    ///
    /// - Throws: `ServerStorageError`: `.refused` if the call is not allowed, with a message for the operator.
    public func withAccounts<Outcome: Sendable>(
        _ work: (AccountBook) throws(ServerStorageError) -> Outcome
    ) throws(ServerStorageError) -> Outcome {
        defer { self.tokenMemory.forget() }
        for _ in 0..<PostGroup.tries {
            do throws(ServerStorageError) {
                return try self.withAccountsOnce(work).get()
            } catch {
                guard error.code == .interrupted else { throw error }
            }
        }
        return try self.withAccountsOnce(work).get()
    }

    private func withAccountsOnce<Outcome: Sendable>(
        _ work: (AccountBook) throws(ServerStorageError) -> Outcome
    ) -> Result<Outcome, ServerStorageError> {
        self.withStorage { (storage) throws(ServerStorageError) in
            try work(try AccountBook(anyOf: storage, limits: self.limits, now: self.now))
        }
    }

    /// Whether requests need no token and share one account: there are no tokens, and there never was an account.
    public func isOpenToAll() throws(ServerStorageError) -> Bool {
        guard self.accounts.isEmpty else { return false }
        return try self.withStorage { (storage) throws(ServerStorageError) in
            try storage.snapshot { () throws(ServerStorageError) in try !storage.keepsAccounts() }
        }.get()
    }

    /// Copies the committed data to a new file, while requests are answered.
    ///
    /// - Throws: `ServerStorageError`: `.refused` if the database's own tools make the backup.
    public func backUp(to path: String) throws(ServerStorageError) {
        guard let backup = self.storage.withLock({ $0.backup }) else {
            throw ServerStorageError(.refused, "this storage is backed up with the tools of its database")
        }
        try backup.write(to: path)
    }
}
