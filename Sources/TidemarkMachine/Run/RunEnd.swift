/// How a sync of a collection ended, as far as it says when the next one is due.
package enum RunEnd: Hashable, Sendable {
    /// There is nothing more to do now; what is left waits for a person, or is held.
    ///
    /// - Parameters:
    ///   - brought: Whether anything was sent or received.
    ///   - hasUnsent: Whether there is something to send all the same.
    case done(brought: Bool, hasUnsent: Bool)

    /// Another sync is worthwhile at this time, and not before.
    case later(Duration)

    /// The server, or a proxy, does not know us, or there is no server at the URL. That may be otherwise later.
    case unauthorised

    /// Only the app can let it go on: another account answers, or a policy paused it.
    case stopped

    /// The store failed, or the sync broke off without saying when to try again.
    case broken

    /// Whoever began the sync has cancelled it.
    case cancelled
}

extension RunEnd {
    /// Whether something failed, and nobody wanted that.
    var isFailure: Bool {
        switch self {
        case .done, .cancelled: false
        case .later, .unauthorised, .stopped, .broken: true
        }
    }
}
