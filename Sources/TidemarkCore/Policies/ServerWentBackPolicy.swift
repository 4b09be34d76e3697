/// What becomes of confirmed values that a server has lost because it went back to an earlier state, as when a backup was
/// put in its place (SPEC §6).
///
/// Whatever is chosen, the values are in the journal with the reason ``JournalEntry/Reason/serverWentBack``, and counted
/// in ``CollectionReport/lostByServer``. A deletion that the server has forgotten is not among them: a device keeps
/// nothing of what it saw deleted.
public enum ServerWentBackPolicy: String, CaseIterable, Hashable, Sendable {
    /// What the server has stands. ``SyncCollection/restoreAll(reason:)`` sends the values again.
    case journal

    /// The values are sent again at once, as edits of what the server has now. Of several devices the last to sync is
    /// heard; a value that another has written meanwhile goes to the journal (``JournalEntry/Reason/restore``). Where a record
    /// was changed here since, and while an upload of it is in doubt, nothing is put in the place of that: what was lost is in
    /// the journal, and counts as lost until someone brings it back.
    case sendAgain

    /// Nothing is asked or sent until the app lets the sync go on (``SyncClient/resume()``); then as ``journal``.
    case pause
}
