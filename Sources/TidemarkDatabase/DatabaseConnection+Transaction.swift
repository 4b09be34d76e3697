import CSQLite

/// An error that a database failure can be converted to, so that a transaction's body may throw one type.
package protocol DatabaseErrorConvertible: Error {
    init(_ error: DatabaseError)
}

extension DatabaseConnection {
    /// Whether a transaction is open.
    package var isInTransaction: Bool {
        unsafe self.handle.pointer != nil && sqlite3_get_autocommit(self.handle.pointer) == 0
    }

    /// Runs all of `body` or nothing: commits when it returns, rolls back when it throws.
    ///
    /// The write lock is taken first (`BEGIN IMMEDIATE`), so `busy` is thrown before anything is done.
    ///
    /// - Throws: the error of `body`, `nestedTransaction`, or the reason why the commit failed (then nothing was saved).
    package func transaction<Result>(
        _ body: () throws(DatabaseError) -> Result
    ) throws(DatabaseError) -> Result {
        try self.begin()
        do throws(DatabaseError) {
            let result = try body()
            try self.commit()
            return result
        } catch {
            self.rollback()
            throw error
        }
    }

    /// Runs `body` in a transaction; the body and this function throw another type of error.
    ///
    ///     try database.transaction(failingWith: StoreError.self) { … }
    package func transaction<Result, Failure: DatabaseErrorConvertible>(
        failingWith failure: Failure.Type, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        do throws(DatabaseError) {
            try self.begin()
        } catch {
            throw Failure(error)
        }
        let result: Result
        do throws(Failure) {
            result = try body()
        } catch {
            self.rollback()
            throw error
        }
        do throws(DatabaseError) {
            try self.commit()
        } catch {
            self.rollback()
            throw Failure(error)
        }
        return result
    }

    /// Runs `body` with one state of the file, whatever others commit meanwhile.
    package func snapshot<Result>(
        _ body: () throws(DatabaseError) -> Result
    ) throws(DatabaseError) -> Result {
        try self.begin(.snapshot)
        defer { self.rollback() }
        return try body()
    }

    /// Runs `body` with one state of the file; the body and this function throw another type of error.
    package func snapshot<Result, Failure: DatabaseErrorConvertible>(
        failingWith failure: Failure.Type, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        do throws(DatabaseError) {
            try self.begin(.snapshot)
        } catch {
            throw Failure(error)
        }
        defer { self.rollback() }
        return try body()
    }

    /// Begins a transaction and takes the write lock; for callers that can't use a closure.
    package func begin() throws(DatabaseError) {
        try self.begin(.write)
    }

    /// Makes the open transaction durable; after an error call `rollback()`.
    package func commit() throws(DatabaseError) {
        try self.run(.commit)
    }

    /// Rolls the open transaction back; does nothing outside a transaction.
    package func rollback() {
        // SQLite rolls back automatically after some failures (a full disk), and a second rollback would be an error.
        if self.isInTransaction {
            try? self.run(.rollback)
        }
    }

    private func begin(_ bound: Bound) throws(DatabaseError) {
        guard !self.isInTransaction else {
            throw DatabaseError(
                code: .nestedTransaction,
                message: "\(self.path): a transaction is already open. Finish it before the next one is begun.")
        }
        try self.run(bound)
    }

    private func run(_ bound: Bound) throws(DatabaseError) {
        try self.statement(at: bound).run()
    }
}
