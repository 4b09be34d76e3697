/// What a sync of one collection has done so far.
///
/// An object, and added to only by turns that were committed: a report grows with the sync, and is never copied for one
/// answer more.
final class SyncTally {
    /// What one turn, or a whole sync, has done.
    struct Gains {
        var pushed: [String] = []
        var merged: [String] = []
        var pulled = 0
        var received = 0
        var requests = 0
        var notices: [String] = []
        var lostByServer: Int?

        private static let noticeLimit = 10
        private static let noticeSize = 1_024

        /// A server may say a lot.
        mutating func note(_ notices: [String]) {
            self.notices = notices.prefix(Self.noticeLimit).map { String($0.prefix(Self.noticeSize)) }
        }

        mutating func add(_ other: Gains) {
            self.pushed += other.pushed
            self.merged += other.merged
            self.pulled += other.pulled
            self.received += other.received
            self.requests += other.requests
            self.notices = CollectionReport.once(self.notices + other.notices).suffix(Self.noticeLimit)
            if let lost = other.lostByServer { self.lostByServer = (self.lostByServer ?? 0) + lost }
        }
    }

    /// What the turns before have done.
    private(set) var gains = Gains()

    /// One that has done the same, and goes on by itself.
    func copied() -> SyncTally {
        let copy = SyncTally()
        copy.gains = self.gains
        return copy
    }

    /// A turn was committed.
    func add(_ gains: Gains) {
        self.gains.add(gains)
    }

    /// Everything, with what the turn that goes on has done.
    func report(of collection: String, with gains: Gains) -> CollectionReport {
        var all = self.gains
        all.add(gains)
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
