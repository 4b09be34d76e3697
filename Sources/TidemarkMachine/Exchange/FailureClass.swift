/// How an exchange can fail (Contract §3.5). Each class has its own policy, which an app can replace.
public enum FailureClass: String, CaseIterable, Hashable, Sendable {
    /// No route, a reset, a timeout, a truncated body: the outcome of a POST is unknown.
    case offline

    /// 408, 425, 429, 500, 502, 503, 504: the outcome of a POST is unknown.
    case busy

    /// 401, 407.
    case auth

    /// 511, a web page instead of an answer, a redirect to another origin: a network that requires its own sign-in (a captive
    /// portal) answers in the server's place. This is no evidence about the credentials.
    case portal

    /// 404 for the request as a whole: a collection is never missing (Contract §5), so the URL is not that of the server.
    case notFound

    /// 400, 403, 409, 413, 422 for the request as a whole.
    case refused

    /// A malformed answer. It never means "no rows".
    case invalidAnswer = "protocol"

    /// 410, or another epoch.
    case historyLost

    /// Another account behind the same URL.
    case identityChanged

    /// The app cancelled the waiting task: the outcome of a POST is unknown, and nothing has failed.
    case cancelled
}

extension FailureClass {
    /// Whether the failure concerns the credentials or the account, and not whether the server can be reached.
    package var isOfAccess: Bool {
        switch self {
        case .auth, .identityChanged: true
        case .offline, .busy, .portal, .notFound, .refused, .invalidAnswer, .historyLost, .cancelled: false
        }
    }

    /// Whether a pause may have lost its reason without the app: credentials that were rejected, or a URL without a server, may be
    /// valid now.
    var mayHaveEnded: Bool {
        switch self {
        case .auth, .notFound: true
        case .offline, .busy, .portal, .refused, .invalidAnswer, .historyLost, .identityChanged, .cancelled: false
        }
    }
}

/// What the machine of an exchange reads of a failure.
@usableFromInline package protocol ExchangeFailure: Hashable, Sendable {
    /// The class, which has a policy (Contract §3.5).
    var failureClass: FailureClass { get }

    /// Whether the server was rolled back, so that it has lost acknowledged writes (Contract §6).
    var serverRolledBack: Bool { get }
}

/// The likely cause of a failure, as far as it shows (Contract §3.6).
public enum FailureBlame: Hashable, Sendable {
    /// Unknown: it may be the edits that were sent.
    case unknown

    /// The server, whatever it is sent: it does not support the path, or the method.
    case server

    /// The edits or the account: a refusal without a reason is about one of them.
    case sender

    /// The size of the answer: the same request would return the same answer.
    case answerSize
}

/// The choice of a policy for an exchange that failed as a whole (Contract §3.5).
package enum FailureDisposition: String, CaseIterable, Hashable, Sendable {
    /// Try again: after a wait, or, if the history was lost, at once and with a full resync.
    case retry

    /// Send no request until the app resumes the exchange.
    case pause
}
