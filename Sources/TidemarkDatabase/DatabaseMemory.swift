import CSQLite

/// How SQLite gets its memory, which is one thing for all of a process.
package enum DatabaseMemory {
    /// Lets SQLite no longer count the memory that it uses. It does so under one lock, at every allocation of every thread: who
    /// reads waits there for who writes.
    ///
    /// Nothing happens where SQLite is in use already. It is for a process that is a server: another one may want to know.
    package static func giveUpCounting() { _ = self.isGivenUp }

    private static let isGivenUp = tidemark_sqlite_without_statistics() == SQLITE_OK
}
