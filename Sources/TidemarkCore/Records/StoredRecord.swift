public import TidemarkMachine

/// A record in its stored form: plain columns, without logic.
public struct StoredRecord: Hashable, Sendable {
    /// The pk of the record in its collection.
    public var pk: String

    /// The phase; never ``RecordPhase/absent``.
    public var phase: RecordPhase

    /// The state that the server confirmed last: version and payload.
    public var confirmed: StoredVersion

    /// The upload that is in flight or unconfirmed, or nil.
    public var upload: StoredUpload?

    /// The local changes since the upload: an RFC 6902 patch in the canonical form of Contract §4, or nil.
    public var editedData: [UInt8]?

    /// A later state of the server that could not be applied yet.
    public var seen: StoredVersion?

    /// The number of conflicts in a row, without the server accepting any of the change.
    public var rounds: Int

    /// How often the record failed alone while others succeeded (Contract §3.6), or was refused and is to be sent again.
    public var failures: Int

    /// The order in which records were changed: a growing number, in the whole store.
    public var sequence: Int64

    /// Why the record is held, as a problem document (RFC 9457); nil if it is not.
    public var hold: [UInt8]?

    /// The number of the last full resync that contained the record; see ``CollectionState/resyncGeneration``.
    public var resyncGeneration: Int64

    /// The result of the last merge of the record, path by path, as JSON (see ``RecordExplanation/MergeSummary``); nil if it
    /// was never merged.
    public var lastMerge: [UInt8]?

    /// The server's name of the record, if the server makes the names (Contract §12); nil if pk is the name, or the name is
    /// unknown. A store keeps it, also if a feed row without a name replaces the record.
    public var name: String?

    /// The acknowledged write that is watched for a while, if the server checks a version and then writes (Contract §12), as JSON,
    /// or nil. A store keeps it like ``name``.
    public var watched: [UInt8]?

    /// The base of the open conflict, if it is not the confirmed version: the payload that was sent, and accepted (R4);
    /// nil otherwise.
    public var base: [UInt8]?

    /// Makes a record.
    public init(
        pk: String, phase: RecordPhase, confirmed: StoredVersion, upload: StoredUpload? = nil,
        editedData: [UInt8]? = nil,
        seen: StoredVersion? = nil, rounds: Int = 0, failures: Int = 0, sequence: Int64 = 0,
        hold: [UInt8]? = nil, resyncGeneration: Int64 = 0, lastMerge: [UInt8]? = nil, name: String? = nil,
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
        self.resyncGeneration = resyncGeneration
        self.lastMerge = lastMerge
        self.name = name
        self.watched = watched
        self.base = base
    }
}

extension StoredRecord {
    /// The records of a collection that wait for the user.
    public struct Waiting: Hashable, Sendable {
        /// A held record.
        public struct Held: Hashable, Sendable {
            /// The pk of the record.
            public let pk: String

            /// Why it is held; see ``StoredRecord/hold``.
            public let hold: [UInt8]?

            /// Makes one.
            public init(pk: String, hold: [UInt8]?) {
                self.pk = pk
                self.hold = hold
            }
        }

        /// The pks of the records whose phase is deciding.
        public var deciding: [String]

        /// The records whose phase is held.
        public var held: [Held]

        /// Makes a list of both.
        public init(deciding: [String] = [], held: [Held] = []) {
            self.deciding = deciding
            self.held = held
        }
    }
}

/// The server's state of a pk: a row (both parts), a tombstone (only a version), or nothing (neither).
public struct StoredVersion: Hashable, Sendable {
    /// The JSON text of `updated_at`, byte for byte.
    public var version: String?

    /// The payload, byte for byte (I4).
    public var data: [UInt8]?

    /// Makes a state.
    public init(version: String? = nil, data: [UInt8]? = nil) {
        self.version = version
        self.data = data
    }
}

/// An upload in its stored form.
public struct StoredUpload: Hashable, Sendable {
    /// The id by which the server remembers its answer (W4).
    public var requestID: String

    /// The EDIT of Contract §5, whose bytes were fixed before it was first sent (I5).
    public var edit: [UInt8]

    /// Whether it was sent more than once.
    public var wasResent: Bool

    /// How the client recognizes that the server accepted the upload, if its first answer was lost.
    public var recognition: Recognition

    /// Makes an upload.
    public init(requestID: String, edit: [UInt8], wasResent: Bool, recognition: Recognition = .byAnswer) {
        self.requestID = requestID
        self.edit = edit
        self.wasResent = wasResent
        self.recognition = recognition
    }
}
