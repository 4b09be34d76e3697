/// How an exchange can fail (SPEC §3.5). Each class has its own policy, which an app can replace.
public enum FailureClass: String, CaseIterable, Hashable, Sendable {
    /// No route, a reset, a timeout, a truncated body: the outcome of a POST is unknown.
    case offline

    /// 408, 425, 429, 500, 502, 503, 504: the outcome of a POST is unknown.
    case busy

    /// 401, 407.
    case auth

    /// 511, a web page where an answer was due, a redirect to another origin: a network that wants a sign-in of its own
    /// answers in the server's place. It says nothing about who we are to the server.
    case portal

    /// 404 for the request as a whole: a collection is never missing (SPEC §5), so the URL is not that of the server.
    case notFound

    /// 400, 403, 409, 413, 422 for the request as a whole.
    case refused

    /// An answer that makes no sense. It is never taken for "no rows".
    case `protocol`

    /// 410, or another epoch.
    case historyLost

    /// Another account behind the same URL.
    case identityChanged

    /// The app cancelled the task that waited: the outcome of a POST is unknown, and nothing has failed.
    case cancelled
}

/// Who or what can have caused a failure, as far as it shows (SPEC §3.6).
public enum FailureBlame: Hashable, Sendable {
    /// Nobody can tell: it may be what was sent.
    case unknown

    /// The server, whatever it is sent: it does not know the path, or the method.
    case server

    /// What was sent, or whoever sent it: a refusal that names no reason is one or the other.
    case sender

    /// The size of the answer: the same request would bring the same again.
    case answerSize
}

/// What a policy makes of an exchange that failed as a whole (SPEC §3.5).
package enum FailureCourse: String, CaseIterable, Hashable, Sendable {
    /// It is tried again: after a wait, or, where history was lost, at once and from the start.
    case retry

    /// Nothing is sent or asked until the app says so.
    case pause
}
