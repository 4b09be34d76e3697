import TidemarkMachine

/// The policy of each class of failure (Contract §3.5). Each can be replaced separately.
///
/// ```swift
/// var configuration = SyncConfiguration()
/// configuration.policies.refused = .retry(tries: 3)
/// configuration.policies.busy = .retryThenPause(tries: 10)
/// ```
public struct FailurePolicies: Sendable {
    /// One change was refused for its content: it is held with the server's problem.
    public var refused: any RefusalPolicy = .leave

    /// No route, a reset, a timeout: wait and retry.
    public var offline: any FailurePolicy = .retry

    /// The server is busy or broken: wait, as long as the server demands, and retry.
    public var busy: any FailurePolicy = .retry

    /// The server rejects the credentials: pause until the app renews them, or a sync is requested.
    public var auth: any FailurePolicy = .pause

    /// There is no server at the URL: pause until the app sets another one, or a sync is requested.
    public var notFound: any FailurePolicy = .pause

    /// The network requires a sign-in (captive portal): wait and retry. The user who signs in need not tell the app.
    public var portal: any FailurePolicy = .retry

    /// A malformed answer, or a refused GET: wait and retry.
    public var invalidAnswer: any FailurePolicy = .retry

    /// Another account answers: pause. A retry can't mix data of two accounts, because each answer is checked before it is
    /// applied.
    public var identityChanged: any FailurePolicy = .pause

    /// The server no longer knows the cursor: a full resync, at once (Contract §6).
    public var historyLost: any FailurePolicy = .retry

    /// Makes the default policies.
    public init() {}

    /// Returns the policy for an exchange that failed as a whole.
    subscript(failure: FailureClass) -> any FailurePolicy {
        switch failure {
        case .offline: self.offline
        case .busy: self.busy
        case .auth: self.auth
        case .notFound: self.notFound
        case .portal: self.portal
        // A refused POST concerns one edit. Only a GET gets here.
        case .refused, .invalidAnswer: self.invalidAnswer
        case .identityChanged: self.identityChanged
        case .historyLost: self.historyLost
        // The app itself has decided; the transition table uses no policy.
        case .cancelled: .retry
        }
    }
}
