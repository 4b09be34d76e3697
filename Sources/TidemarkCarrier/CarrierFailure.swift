/// Why a request brought no answer.
///
/// Any answer is none of these, whatever its status: what a 404 or a web page means is for the remote to say, with the
/// help of ``CarrierAnswer/meaning``.
public struct CarrierFailure: Error, Hashable, Sendable {
    /// The kind of failure. All of them are here, so that a remote says of each what it means to a sync.
    ///
    /// ```swift
    /// func failureClass(_ failure: CarrierFailure) -> FailureClass {
    ///     switch failure.kind {
    ///     case .unreachable, .brokenOff: .offline
    ///     case .notUnderstood, .tooLarge, .unsendable: .protocol
    ///     case .noCredentials: .auth
    ///     case .cancelled: .cancelled
    ///     }
    /// }
    /// ```
    public enum Kind: Hashable, Sendable, CaseIterable {
        /// No connection, or none that is safe: nothing was sent.
        case unreachable

        /// The answer did not come, or not whole, or not in time: whether the request arrived is unknown.
        case brokenOff

        /// What answers does not speak HTTP, or packed its answer in a way that was not asked for.
        case notUnderstood

        /// The answer is larger than ``HTTPCarrier/Limits/answerSize``; the same request would bring the same again.
        case tooLarge

        /// There are none that could be sent: a token with a blank in it, or no new one could be got
        /// (``HTTPAuth/renewing(_:_:)``), and the person has to sign in. Nothing was sent, or nothing of it was taken.
        case noCredentials

        /// The task was cancelled: whether the request arrived is unknown.
        case cancelled

        /// The URL or the request can't be right; nothing was sent.
        case unsendable
    }

    /// The kind.
    public var kind: Kind

    /// What happened and what to do, for a person.
    public var message: String

    /// Makes a failure.
    public init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }
}

extension CarrierFailure: CustomStringConvertible {
    /// The message.
    public var description: String { self.message }
}
