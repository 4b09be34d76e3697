import TidemarkJSON
import TidemarkMachine
import TidemarkRules

// Events for the app: of counters and reports that are committed. The changes of single records don't suffice, since one input with
// too many of them replaces all by one.

extension SyncClient {
    /// Calls the app's handler.
    func raise(
        _ kind: SyncConfiguration.Event.Kind, of collection: String? = nil,
        _ set: (inout SyncConfiguration.Event) -> Void = { _ in }
    ) {
        guard let onEvent = self.onEvent else { return }
        var event = SyncConfiguration.Event(kind, of: collection, time: self.time.now)
        set(&event)
        onEvent(event)
    }

    /// Raises the events of a committed input, those of a sync's end last; before its report is the last one.
    func raiseEvents(_ effects: [SyncEffect]) {
        guard self.onEvent != nil else { return }
        for case .leftToUser(let collection, let conflicts, let held) in effects {
            if conflicts > 0 { self.raise(.conflict, of: collection) { $0.number = conflicts } }
            if held > 0 { self.raise(.held, of: collection) { $0.number = held } }
        }
        for case .finish(let report) in effects {
            let name = report.collection
            if let lost = report.lostByServer { self.raise(.rolledBack, of: name) { $0.number = lost } }
            let wasPaused = self.lastReports[CodePointString(name)]?.isPause ?? false
            if report.isPause, !wasPaused { self.raise(.paused, of: name) { $0.set(report.failure) } }
            if wasPaused, !report.isPause { self.raise(.resumed, of: name) }
            self.raise(.syncEnded, of: name) { event in
                event.totals = SyncConfiguration.Event.Totals(report)
                event.set(report.failure)
            }
        }
    }
}

extension SyncConfiguration.Event {
    fileprivate mutating func set(_ failure: RemoteFailure?) {
        self.failure = failure?.failureClass
        self.status = failure?.problem?.status
    }
}

extension CollectionReport {
    /// Whether the sync ended with a pause: a failure without a next try, unless it was cancelled.
    fileprivate var isPause: Bool {
        self.failure != nil && self.nextTry == nil && self.failure?.failureClass != .cancelled
    }
}
