package import TidemarkCore
import TidemarkDatabase
package import TidemarkRules

/// Takes turns with a store in a file; see `DatabaseTurns`.
package final class StoreTurns: TurnTaking {
    /// Nil if the store does not take turns.
    private let turns: DatabaseTurns?
    private let path: String

    /// - Parameter isTaken: Whether the store takes turns.
    /// - Throws: `cannotOpen` if the file system can't have a pipe.
    init?(_ location: DatabaseLocation, isTaken: Bool) throws(DatabaseError) {
        guard case .file(let path) = location else { return nil }
        // Once, since a relative path is another one after a change of the current folder.
        self.path = DatabaseLocation.resolved(path)
        self.turns = isTaken ? try DatabaseTurns(path: self.path) : nil
        try self.turns?.writeHolder()
    }

    package func listen(_ asked: @escaping @Sendable () -> Void) throws(TidemarkError) {
        do throws(DatabaseError) {
            try self.turns?.listen(asked)
        } catch {
            throw TidemarkError(error)
        }
    }

    package func stop() { self.turns?.stop() }

    package func ask() { DatabaseTurns.ask(for: self.path) }

    package var holder: SyncClient.Holder? { Self.holder(of: self.path) }

    /// The client that has a store open; nil if none has, or if the system does not say it.
    ///
    /// - Parameter path: The store; it may be one that does not take turns.
    package static func holder(of path: String) -> SyncClient.Holder? {
        guard let process = DatabaseClaim.holder(of: path) else { return nil }
        // The line of an earlier holder, if the present one does not take turns.
        guard let holder = DatabaseTurns.holder(of: path), holder.process == process else {
            return SyncClient.Holder(process: process)
        }
        return SyncClient.Holder(
            process: process, program: holder.program.isEmpty ? nil : holder.program, since: holder.since)
    }
}

extension SQLiteStore: TurnTakingStore {}
