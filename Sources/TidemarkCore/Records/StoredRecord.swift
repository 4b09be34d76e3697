public import TidemarkMachine

/// A record as a store keeps it: plain columns, nothing to decide.
public struct StoredRecord: Hashable, Sendable {
    /// The name of the record in its collection.
    public var pk: String

    /// Where it stands; never ``RecordPhase/absent``.
    public var phase: RecordPhase

    /// What the server last confirmed.
    public var confirmed: StoredVersion

    /// What is under way, or may be; nil when nothing is.
    public var upload: StoredUpload?

    /// What was changed here beyond the upload: an RFC 6902 patch in the canonical form of SPEC §4; nil when nothing.
    public var editedData: [UInt8]?

    /// A later state of the server that could not be applied yet.
    public var seen: StoredVersion?

    /// How often a change came back with a clash, without the server taking anything of it.
    public var rounds: Int

    /// How often the record failed alone while others passed (SPEC §3.6), or was refused and is to be sent again.
    public var failures: Int

    /// The order in which records were changed: a number that grows from one to the next, in the whole store.
    public var sequence: Int64

    /// Why the record is held, as a problem document (RFC 9457); nil when it is not.
    public var hold: [UInt8]?

    /// The number of the listing that last named the record; see ``CollectionState/listing``.
    public var listing: Int64

    /// What the last merge of the record did, path by path, as JSON (see ``RecordExplanation/MergeSummary``); nil when it was
    /// never merged.
    public var lastMerge: [UInt8]?

    /// The server's own name of the record, where it makes the names (SPEC §12); nil where pk is the name, or it is not known.
    /// A store keeps it, also when a row of the feed without one replaces the record.
    public var name: String?

    /// What the server acknowledged and is watched for a while, where it checks a version and then writes (SPEC §12), as JSON;
    /// nil where nothing is. A store keeps it as ``name``.
    public var watched: [UInt8]?

    /// What the open conflict grew from, if that is not what the server confirmed: the payload that was sent, and taken (SPEC R4);
    /// nil otherwise.
    public var base: [UInt8]?

    /// Makes a record.
    public init(
        pk: String, phase: RecordPhase, confirmed: StoredVersion, upload: StoredUpload? = nil,
        editedData: [UInt8]? = nil,
        seen: StoredVersion? = nil, rounds: Int = 0, failures: Int = 0, sequence: Int64 = 0,
        hold: [UInt8]? = nil, listing: Int64 = 0, lastMerge: [UInt8]? = nil, name: String? = nil,
        watched: [UInt8]? = nil, base: [UInt8]? = nil
    ) {
        self.pk = pk
        self.phase = phase
        self.confirmed = confirmed
        self.upload = upload
        self.editedData = editedData
        self.seen = seen
        self.rounds = rounds
        self.failures = failures
        self.sequence = sequence
        self.hold = hold
        self.listing = listing
        self.lastMerge = lastMerge
        self.name = name
        self.watched = watched
        self.base = base
    }
}

/// What the server has under a pk: a row (both parts), a tombstone (only a stamp), or nothing (neither).
public struct StoredVersion: Hashable, Sendable {
    /// The JSON text of `updated_at`, as it came.
    public var stamp: String?

    /// The payload, byte for byte as it came (I4).
    public var data: [UInt8]?

    /// Makes a version.
    public init(stamp: String? = nil, data: [UInt8]? = nil) {
        self.stamp = stamp
        self.data = data
    }
}

/// An upload as a store keeps it.
public struct StoredUpload: Hashable, Sendable {
    /// The name under which the server remembers its answer (W4).
    public var requestID: String

    /// The EDIT of SPEC §5, frozen as bytes before it was first sent (I5).
    public var edit: [UInt8]

    /// Whether it was sent more than once.
    public var wasResent: Bool

    /// What shows that the server took it, when its first answer was lost.
    public var recognition: Recognition

    /// Makes an upload.
    public init(requestID: String, edit: [UInt8], wasResent: Bool, recognition: Recognition = .byAnswer) {
        self.requestID = requestID
        self.edit = edit
        self.wasResent = wasResent
        self.recognition = recognition
    }
}
