public import TidemarkMachine

/// A record as it is at one moment: what the server confirmed, what is under way, what was changed here, and what the
/// app sees.
public struct RecordSnapshot: Hashable, Sendable {
    /// The name of the record.
    public let pk: String

    /// Where it stands.
    public let phase: Phase

    /// The JSON text of the server's version; nil when the server never confirmed one.
    public let stamp: String?

    /// The payload that the server confirmed, byte for byte (I4); nil when there is none.
    public let data: [UInt8]?

    /// What is under way, or may be; nil when nothing is.
    public let upload: StoredUpload?

    /// What was changed here beyond the upload: an RFC 6902 patch as JSON text; nil when nothing was.
    public let editedData: [UInt8]?

    /// What the app sees, as JSON text: `data` as it came while nothing was changed; nil when deleted.
    public let view: [UInt8]?

    /// Why the record is held, as a problem document (RFC 9457); nil when it is not.
    public let hold: [UInt8]?

    /// What is wrong with the record in this store, when it can't be read: then there is no view; nil when nothing is.
    public internal(set) var damage: String?

    init(_ stored: StoredRecord, view: [UInt8]?) {
        self.pk = stored.pk
        self.phase = stored.phase
        self.stamp = stored.confirmed.stamp
        self.data = stored.confirmed.data
        self.upload = stored.upload
        self.editedData = stored.editedData
        self.view = view
        self.hold = stored.hold
    }
}

/// How a collection stands.
public struct CollectionStatus: Hashable, Sendable {
    /// The collection.
    public let collection: String

    /// How many records there are of each state.
    public let counts: [SyncState: Int]

    /// The pks that wait for a person.
    public let conflicts: [String]

    /// The records that are held, and the feed items that were set aside, with the reason.
    public let held: [ItemSetAside]

    /// How many values the server lost when it went back to an earlier state, and nobody has sent again (SPEC §6).
    public let lostByServer: Int

    /// Where the server's feed was read to; nil before the first sync.
    public let watermark: String?

    /// Whether nothing is pending, asked or held.
    public var isInStep: Bool {
        self.conflicts.isEmpty && self.held.isEmpty
            && SyncState.allCases.allSatisfy { $0 == .synced || self.counts[$0, default: 0] == 0 }
    }
}

/// Why a record is not in step, and what happens next, in words.
public struct Explanation: Hashable, Sendable {
    /// The record.
    public let pk: String

    /// Where it stands.
    public let phase: Phase

    /// Why it stands there.
    public let why: String

    /// What happens next, and who has to act.
    public let next: String

    /// When another try is worthwhile, counted from 1970-01-01T00:00:00Z; nil when nothing has to be waited out.
    public let nextTry: Duration?

    /// What the last merge of the record did, path by path; nil when it was never merged.
    public let lastMerge: MergeSummary?
}
