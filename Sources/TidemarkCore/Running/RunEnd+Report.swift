package import TidemarkMachine

extension RunEnd {
    /// Makes the end of a sync from its report.
    ///
    /// - Parameters:
    ///   - report: The report.
    ///   - hasUnsent: Whether there is still a change to send.
    package init(_ report: CollectionReport, hasUnsent: Bool) {
        if let time = report.nextTry {
            self = .later(time)
            return
        }
        switch report.failure?.failureClass {
        case nil:
            let hasNews = report.pulled > 0 || !report.pushed.isEmpty || !report.merged.isEmpty
            self = .done(hasNews: hasNews, hasUnsent: hasUnsent)
        // A proxy that is being configured may answer 404 for a while, so it is retried as seldom as rejected credentials.
        case .auth, .notFound: self = .unauthorized
        // The run loop has not cancelled it: it was sent with earlier credentials, or the remote reports a cancellation by
        // itself.
        case .cancelled: self = .broken
        // There is no next try, so a policy has paused it.
        case .offline, .busy, .portal, .refused, .invalidAnswer, .historyLost, .identityChanged: self = .stopped
        }
    }
}
