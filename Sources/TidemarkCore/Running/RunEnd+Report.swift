package import TidemarkMachine

extension RunEnd {
    /// How a sync ended that was carried to its end.
    ///
    /// - Parameters:
    ///   - report: What it says.
    ///   - hasUnsent: Whether there is something to send all the same.
    package init(_ report: CollectionReport, hasUnsent: Bool) {
        if let time = report.nextTry {
            self = .later(time)
            return
        }
        switch report.failure?.failureClass {
        case nil:
            let brought = report.pulled > 0 || !report.pushed.isEmpty || !report.merged.isEmpty
            self = .done(brought: brought, hasUnsent: hasUnsent)
        // A proxy that is set up anew answers with 404 for a while, so it is tried again as seldom as credentials are.
        case .auth, .notFound: self = .unauthorised
        // Nobody here has cancelled it: it was asked with former credentials, or the remote says so by itself.
        case .cancelled: self = .broken
        // Nothing is waited for, so a policy has paused it.
        case .offline, .busy, .portal, .refused, .protocol, .historyLost, .identityChanged: self = .stopped
        }
    }
}
