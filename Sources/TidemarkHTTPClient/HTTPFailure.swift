/// Why a request got no answer.
///
/// An answer is never a failure, whatever its status: the remote decides the meaning of a 404 or a web page, with the help of
/// ``HTTPAnswer/meaning``.
public struct HTTPFailure: Error, Hashable, Sendable {
    /// The kind of failure. The enumeration is closed, so that a remote maps each kind to a failure of a sync.
    ///
    /// ```swift
    /// func failureClass(_ failure: HTTPFailure) -> FailureClass {
    ///     switch failure.kind {
    ///     case .unreachable, .brokenOff: .offline
    ///     case .notUnderstood, .tooLarge, .unsendable: .invalidAnswer
    ///     case .noCredentials: .auth
    ///     case .cancelled: .cancelled
    ///     }
    /// }
    /// ```
    public enum Kind: Hashable, Sendable, CaseIterable {
        /// No connection, or no secure one: nothing was sent.
        case unreachable

        /// The answer did not arrive, or not completely, or not in time: whether the request arrived is unknown.
        case brokenOff

        /// The server does not speak HTTP, or compressed its answer in a way that was not requested.
        case notUnderstood

        /// The answer is larger than ``HTTPClient/Limits/answerSize``; the same request would return the same answer.
        case tooLarge

        /// There are no valid credentials: a token contains a space, or no new one could be obtained
        /// (``HTTPAuth/renewing(_:_:)``), and the user has to sign in. Nothing was sent, or the server accepted nothing of it.
        case noCredentials

        /// The task was cancelled: whether the request arrived is unknown.
        case cancelled

        /// The URL or the request is invalid; nothing was sent.
        case unsendable
    }

    /// The kind.
    public var kind: Kind

    /// What happened and what to do, for users.
    public var message: String

    /// Makes a failure.
    public init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }
}

extension HTTPFailure: CustomStringConvertible {
    /// The message.
    public var description: String { self.message }
}
