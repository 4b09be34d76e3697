public import TidemarkJSON

/// What became of what was written here.
///
/// ```swift
/// try await notes["42"].edit { $0.title = "Oat milk" }
/// switch try await notes["42"].outcome() {
/// case .rejected(let why), .held(let why): print(why)
/// default: break
/// }
/// ```
public enum WriteOutcome: Hashable, Sendable {
    /// The server has what was written.
    case accepted

    /// The server has what was written, merged with what was changed there meanwhile.
    ///
    /// - Parameter paths: Where both sides had changed something, sorted; the root for the record.
    case merged([JSONPointer])

    /// It came to nothing: something later took its place here, it was given up here, or the server's side won.
    case superseded

    /// The server refused it and the app's policy gave it up. It is in the journal.
    ///
    /// - Parameter why: What the server said.
    case rejected(String)

    /// It is kept and not sent, until it is edited, released or resigned.
    ///
    /// - Parameter why: What the server said, or which limit was reached.
    case held(String)

    /// A person has to decide a conflict about it.
    case asking
}

/// Whether the outcome of a write is known.
package enum WriteWait: Hashable, Sendable {
    /// It is; nil when nothing was pending.
    case known(WriteOutcome?)

    /// It is not: ``SyncEffect/settle(write:_:)`` brings it with this number.
    case awaited(Int)
}
