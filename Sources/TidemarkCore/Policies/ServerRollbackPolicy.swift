/// What happens to confirmed values that a server has lost because it was rolled back to an earlier state, for example by a
/// restored backup (Contract §6).
///
/// With each choice the values are in the journal with the reason ``JournalEntry/Reason/serverRolledBack``, and counted in
/// ``CollectionReport/lostByServer``. So are the deletions, and the removals of members, that this device made and the server
/// had confirmed: the last ones of each collection (``SyncLimits/removals``). Another device journals its own.
public enum ServerRollbackPolicy: String, CaseIterable, Hashable, Sendable {
    /// The server's state is kept. ``SyncCollection/restoreAll(reason:)`` sends the values again.
    case journal

    /// The values are sent again at once, as edits of the server's present state. A value that is known to have been written
    /// after the rollback is not replaced: versions that are numbers show it. If a record was changed here after the rollback,
    /// or while an upload of it is unconfirmed, these changes are not replaced: the lost value is in the journal, and counts
    /// as lost until it is restored.
    case sendAgain

    /// No request is sent until the app resumes the sync (``SyncClient/resume()``); then as ``journal``.
    case pause
}
