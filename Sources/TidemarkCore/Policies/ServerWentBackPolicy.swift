/// What becomes of confirmed values that a server has lost because it went back to an earlier state, as when a backup was
/// put in its place (SPEC §6).
///
/// Whatever is chosen, the values are in the journal with the reason ``JournalEntry/Reason/serverWentBack``, and counted
/// in ``CollectionReport/lostByServer``. So are the deletions, and the removals of members, that this device made and the
/// server had confirmed: the last ones of each collection (``SyncLimits/removals``). Those of another device that one journals.
public enum ServerWentBackPolicy: String, CaseIterable, Hashable, Sendable {
    /// What the server has stands. ``SyncCollection/restoreAll(reason:)`` sends the values again.
    case journal

    /// The values are sent again at once, as edits of what the server has now. What is known to have been written after the
    /// server went back is not replaced: versions that are numbers show it. Where a record
    /// was changed here since, and while an upload of it is in doubt, nothing is put in the place of that: what was lost is in
    /// the journal, and counts as lost until someone brings it back.
    case sendAgain

    /// Nothing is asked or sent until the app lets the sync go on (``SyncClient/resume()``); then as ``journal``.
    case pause
}
