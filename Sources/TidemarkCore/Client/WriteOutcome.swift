public import TidemarkJSON

/// The outcome of a local write.
///
/// ```swift
/// try await notes["42"].edit { $0.title = "Oat milk" }
/// switch try await notes["42"].outcome() {
/// case .rejected(let hold), .held(let hold): print(hold.reason)
/// default: break
/// }
/// ```
public enum WriteOutcome: Hashable, Sendable {
    /// The server has accepted the write.
    case accepted

    /// The server has accepted the write, merged with changes that were made there meanwhile.
    ///
    /// - Parameter paths: The paths that both sides had changed, sorted; the root for the whole record.
    case merged([JSONPointer])

    /// The write has no effect: a later local change replaced it, it was discarded here, or the server's side won.
    case superseded

    /// The server refused it and the app's policy discarded it. It is in the journal.
    ///
    /// - Parameter hold: The server's reason.
    case rejected(RecordHold)

    /// The write is held: stored but not sent, until it is edited, retried or resigned.
    ///
    /// - Parameter hold: The server's reason, or the limit that was reached.
    case held(RecordHold)

    /// The user has to resolve a conflict about it.
    case asking

    /// The write waits for another record (Contract §11), which is held or in conflict, or waits for such a one.
    case waiting(collection: String, pk: String)
}

/// Whether the outcome of a write is known.
package enum WriteWait: Hashable, Sendable {
    /// The outcome is known; nil if no change was pending.
    case known(WriteOutcome?)

    /// The outcome is not known: ``SyncEffect/settle(write:_:)`` delivers it with this number.
    case awaited(Int)
}
