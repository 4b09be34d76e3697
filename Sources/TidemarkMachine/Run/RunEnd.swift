/// How a sync of a collection ended, as far as it decides when the next one is due.
package enum RunEnd: Hashable, Sendable {
    /// Nothing is left to do now; the remaining records wait for the user, or are held.
    ///
    /// - Parameters:
    ///   - hasNews: Whether anything was sent or received.
    ///   - hasUnsent: Whether there is still something to send.
    case done(hasNews: Bool, hasUnsent: Bool)

    /// The next sync is useful at this time, and not before.
    case later(Duration)

    /// The server or a proxy rejected the credentials, or there is no server at the URL. That may change later.
    case unauthorized

    /// Only the app can resume it: another account answers, or a policy paused it.
    case stopped

    /// The store failed, or the sync ended without a time for the next try.
    case broken

    /// The caller of the sync cancelled it.
    case cancelled
}

extension RunEnd {
    /// Whether the server certainly answered. A sync with a next try may have got an answer or none.
    package var isAnswered: Bool {
        switch self {
        case .done, .unauthorized: true
        case .later, .stopped, .broken, .cancelled: false
        }
    }

    /// Whether the sync failed. A cancellation is not a failure.
    var isFailure: Bool {
        switch self {
        case .done, .cancelled: false
        case .later, .unauthorized, .stopped, .broken: true
        }
    }
}
