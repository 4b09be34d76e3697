import TidemarkMachine

/// The policy of each class of failure (SPEC §3.5). Each can be replaced by itself.
///
/// ```swift
/// var configuration = SyncConfiguration()
/// configuration.policies.refused = .retry(tries: 3)
/// configuration.policies.busy = .retryThenPause(tries: 10)
/// ```
public struct FailurePolicies: Sendable {
    /// One change was refused for its content: it is left, held with the server's problem.
    public var refused: any RefusalPolicy = .leave

    /// No route, a reset, a timeout: wait and try again.
    public var offline: any FailurePolicy = .retry

    /// The server is busy or broken: wait, as long as it says, and try again.
    public var busy: any FailurePolicy = .retry

    /// The server does not know us: pause until the app renews, or someone asks for a sync.
    public var auth: any FailurePolicy = .pause

    /// There is no server at the URL: pause until the app has another one, or someone asks for a sync.
    public var notFound: any FailurePolicy = .pause

    /// The network wants a sign-in of its own: wait and try again. Whoever signs in need not tell the app.
    public var portal: any FailurePolicy = .retry

    /// An answer that makes no sense, or a GET that is refused: wait and try again.
    public var `protocol`: any FailurePolicy = .retry

    /// Another account answers: pause. Trying again mixes nothing, since each answer is checked before it is taken in.
    public var identityChanged: any FailurePolicy = .pause

    /// The server knows the watermark no more: a full resync, at once (SPEC §6).
    public var historyLost: any FailurePolicy = .retry

    /// The policies as they are by default.
    public init() {}

    /// The policy for an exchange that failed as a whole.
    subscript(failure: FailureClass) -> any FailurePolicy {
        switch failure {
        case .offline: self.offline
        case .busy: self.busy
        case .auth: self.auth
        case .notFound: self.notFound
        case .portal: self.portal
        // What a POST is refused for is an edit's affair. Only a GET gets here.
        case .refused, .protocol: self.protocol
        case .identityChanged: self.identityChanged
        case .historyLost: self.historyLost
        // The app itself has decided; the table asks no policy.
        case .cancelled: .retry
        }
    }
}
