public import TidemarkMachine

/// Why a record is not in sync, and what happens next, in words.
public struct RecordExplanation: Hashable, Sendable {
    /// The pk of the record.
    public let pk: String

    /// The phase of the record.
    public let phase: RecordPhase

    /// Why the record is not in sync, as a code.
    public let reason: Reason

    /// Why the record is in this phase, in English.
    public let why: String

    /// What happens next, as a code.
    public let step: Step

    /// What happens next, and who has to act, in English.
    public let next: String

    /// When another try is useful, since 1970-01-01T00:00:00Z; nil if there is nothing to wait for.
    public let nextTry: Duration?

    /// The result of the last merge of the record, path by path; nil if it was never merged.
    public let lastMerge: MergeSummary?

    /// The values of this device that the server had accepted and another client replaced, from the oldest to the newest, without
    /// those that were restored; empty unless ``SyncConfiguration/journalsReplacedFor`` is set.
    public let replaced: [JournalEntry]

    /// Why a record is not in sync.
    public enum Reason: String, CaseIterable, Hashable, Sendable {
        /// The store has no such record.
        case absent

        /// The record is in sync.
        case synced

        /// A change was not sent yet.
        case notSent

        /// A change was not sent yet, since it waits for another record (Contract §11).
        case waiting

        /// A change is being sent.
        case uploading

        /// A change was sent, and the outcome is unknown.
        case unconfirmed

        /// The user has to decide a conflict.
        case conflict

        /// The change is held (``RecordSnapshot/hold``).
        case held

        /// The server sent a malformed item.
        case malformed
    }

    /// What happens next to a record.
    public enum Step: String, CaseIterable, Hashable, Sendable {
        /// Nothing.
        case none

        /// The next sync sends the change.
        case nextSync

        /// The change is sent after that of another record.
        case otherRecord

        /// The next sync after a wait sends the change (``nextTry``).
        case retry

        /// The app ends a pause: new credentials, another URL, or ``SyncClient/resume()``.
        case resume

        /// The server answers.
        case answer

        /// The user decides the conflict.
        case decision

        /// The user edits, retries or resigns the held record.
        case userAction

        /// The server sends another version.
        case nextVersion
    }
}
