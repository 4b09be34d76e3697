import TidemarkJSON
import TidemarkMachine

/// The status of a client, over all collections: for a status line.
///
/// ```swift
/// for try await status in client.statuses {
///     spinner.isHidden = !status.progress.isSyncing
///     label.text = "\(status.unsentCount) not sent, \(status.conflictCount) to decide"
/// }
/// ```
public struct SyncStatus: Sendable {
    /// The status of each collection, in the order of the UTF-8 bytes of the names.
    public let collections: [SyncStatus.Collection]

    /// The progress of the running syncs.
    public let progress: SyncStatus.Progress

    /// The report of the last sync of each collection, since this client was made.
    public let lastReports: [CollectionReport]

    /// The status of the run loop; nil while it does not run.
    public let run: SyncStatus.Run?

    /// Makes a value for a preview or a test.
    public init(
        collections: [SyncStatus.Collection], progress: SyncStatus.Progress = SyncStatus.Progress(collections: []),
        lastReports: [CollectionReport] = [], run: SyncStatus.Run? = nil
    ) {
        self.collections = collections
        self.progress = progress
        self.lastReports = lastReports
        self.run = run
    }

    /// Whether no record is pending, in conflict or held in any collection.
    public var isInSync: Bool { self.collections.allSatisfy(\.isInSync) }

    /// The number of records with local changes that the server has not confirmed.
    public var unsentCount: Int {
        self.collections.reduce(0) { sum, status in
            sum + status.counts.reduce(0) { $0 + ($1.key == .synced ? 0 : $1.value) }
        }
    }

    /// The number of records whose conflict waits for the user.
    public var conflictCount: Int { self.collections.reduce(0) { $0 + $1.conflicts.count } }

    /// The number of held records and quarantined feed items.
    public var heldCount: Int { self.collections.reduce(0) { $0 + $1.held.count } }

    /// The outcome of the last syncs: the worst of ``lastReports``; nil before the first one.
    public var outcome: SyncReport.Outcome? { self.lastReports.map(\.outcome).min() }

    /// The failure of the last syncs, of the first collection that has one, or nil.
    public var failure: RemoteFailure? { self.lastReports.lazy.compactMap(\.failure).first }
}
