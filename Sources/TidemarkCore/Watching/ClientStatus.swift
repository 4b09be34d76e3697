import TidemarkJSON
import TidemarkMachine

/// How a client stands, over all collections: what a status line shows.
///
/// ```swift
/// for try await status in client.statuses {
///     spinner.isHidden = !status.progress.isSyncing
///     label.text = "\(status.unsentCount) not sent, \(status.conflictCount) to decide"
/// }
/// ```
public struct ClientStatus: Sendable {
    /// How each collection stands, in the order of the UTF-8 bytes of the names.
    public let collections: [CollectionStatus]

    /// How far the syncs are that go on.
    public let progress: SyncProgress

    /// How the last sync of each collection ended, since this client was made.
    public let lastReports: [CollectionReport]

    /// How the run loop stands; nil while none runs.
    public let run: RunStatus?

    /// Makes a value, as a preview or a test needs one.
    public init(
        collections: [CollectionStatus], progress: SyncProgress = SyncProgress(collections: []),
        lastReports: [CollectionReport] = [], run: RunStatus? = nil
    ) {
        self.collections = collections
        self.progress = progress
        self.lastReports = lastReports
        self.run = run
    }

    /// Whether nothing is pending, asked or held in any collection.
    public var isInStep: Bool { self.collections.allSatisfy(\.isInStep) }

    /// How many records were changed here and are not confirmed by the server.
    public var unsentCount: Int {
        self.collections.reduce(0) { sum, status in
            sum + status.counts.reduce(0) { $0 + ($1.key == .synced ? 0 : $1.value) }
        }
    }

    /// How many records wait for a person.
    public var conflictCount: Int { self.collections.reduce(0) { $0 + $1.conflicts.count } }

    /// How many records are held, and feed items were set aside.
    public var heldCount: Int { self.collections.reduce(0) { $0 + $1.held.count } }

    /// How the last syncs ended: the worst of ``lastReports``; nil before the first one has.
    public var outcome: SyncReport.Outcome? { self.lastReports.map(\.outcome).min() }

    /// What went wrong in the last syncs, of the first collection with a failure; nil when nothing did.
    public var failure: RemoteFailure? { self.lastReports.lazy.compactMap(\.failure).first }
}
