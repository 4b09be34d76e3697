/// The results of the running sync of one collection so far.
///
/// A class, to which only committed transactions add: a report grows with the sync, and is not copied for each answer.
final class SyncTally {
    /// The results of one ``EngineTransaction``, or of a whole sync.
    struct Counters {
        var pushed: [String] = []
        var merged: [String] = []
        var pulled = 0
        var received = 0
        var requests = 0
        var notices: [String] = []
        var lostByServer: Int?

        private static let noticeLimit = 10
        private static let noticeSize = 1_024

        /// Keeps the first notices only, shortened: a server may send many.
        mutating func note(_ notices: [String]) {
            self.notices = notices.prefix(Self.noticeLimit).map { $0.cut(after: Self.noticeSize) }
        }

        mutating func add(_ other: Counters) {
            self.pushed += other.pushed
            self.merged += other.merged
            self.pulled += other.pulled
            self.received += other.received
            self.requests += other.requests
            self.notices = CollectionReport.once(self.notices + other.notices).suffix(Self.noticeLimit)
            if let lost = other.lostByServer { self.lostByServer = (self.lostByServer ?? 0) + lost }
        }
    }

    /// The results of the earlier transactions.
    private(set) var counters = Counters()

    /// Adds the results of a committed transaction.
    func add(_ counters: Counters) {
        self.counters.add(counters)
    }

    /// Makes the report, including the results of the present transaction.
    func report(of collection: String, with counters: Counters) -> CollectionReport {
        var all = self.counters
        all.add(counters)
        var report = CollectionReport(collection: collection)
        report.pushed = CollectionReport.once(all.pushed)
        report.merged = CollectionReport.once(all.merged)
        report.pulled = all.pulled
        report.requests = all.requests
        report.notices = all.notices
        report.lostByServer = all.lostByServer
        return report
    }
}
