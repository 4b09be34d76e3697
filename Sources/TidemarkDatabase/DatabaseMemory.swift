import CSQLite

/// SQLite's memory allocation, which is one setting for the whole process.
package enum DatabaseMemory {
    /// Stops SQLite from counting the memory that it uses. It counts under one lock, at every allocation of every thread, so
    /// readers wait for writers.
    ///
    /// Does nothing if SQLite is in use already. It is meant for a server process: another process may need the count.
    package static func giveUpCounting() { _ = self.isGivenUp }

    private static let isGivenUp = tidemark_sqlite_without_statistics() == SQLITE_OK
}
