/// The state machine of one record: a phase, and the data that belongs to it (Contract §2).
///
/// The machine decides and never acts. Pass an ``Input``, and it returns a ``Step``: the event, the phases, and the actions. It
/// has no clock, no network, no store and no randomness, so the same inputs always give the same steps.
///
/// ``RecordPhase/transition(on:)`` is the only place that chooses a phase. The extensions either classify an input as an event,
/// or update the data.
///
/// All of it is inlinable: a module that knows the algebra compiles a specialized machine, without type lookups at run time.
/// That is why its properties can be set from everywhere, as they can with the initializer for stored values.
public struct RecordMachine<Algebra: ChangeAlgebra>: Sendable {
    /// A whole record.
    public typealias Content = Algebra.Content

    /// The difference that leads from one content to another.
    public typealias Change = Algebra.Change

    /// The server's state under a pk.
    public enum ServerState: Hashable, Sendable {
        /// No row, and no tombstone.
        case nothing

        /// A tombstone: the record was deleted. With its version.
        case tombstone(version: String)

        /// A record and its version. The version is opaque: copied, compared for equality, never computed (Contract §1).
        case row(version: String, Content)
    }

    /// The part of a change that is in a request. It is immutable until it is settled (I5).
    public struct Upload: Hashable, Sendable {
        /// The operation of the upload.
        public enum Intent: String, Hashable, Sendable {
            /// Create the record.
            case create = "CREATED"

            /// Change the record.
            case edit = "EDITED"

            /// Delete the record.
            case delete = "DELETED"
        }

        /// The request id under which the server stores its answer (W4).
        public var requestID: String

        /// The operation of the upload.
        public var intent: Intent

        /// The version that the change is based on; nil for a create without a tombstone.
        public var version: String?

        /// The change; nil for a delete.
        public var change: Change?

        /// Whether it was sent before, so that the server may have accepted it already.
        public var wasResent: Bool

        /// How the client learns that the server accepted the upload if the first answer was lost.
        public var recognition: Recognition

        /// Makes an upload, as the store does when it reads one back.
        @inlinable public init(
            requestID: String, intent: Intent, version: String?, change: Change?, wasResent: Bool,
            recognition: Recognition = .byAnswer
        ) {
            self.requestID = requestID
            self.intent = intent
            self.version = version
            self.change = change
            self.wasResent = wasResent
            self.recognition = recognition
        }
    }

    /// The phase.
    public var phase: RecordPhase

    /// The last confirmed state of the server: the base of every merge, unless ``base`` is set.
    public var confirmed: ServerState

    /// The upload that is in flight or unconfirmed; nil for none.
    public var upload: Upload?

    /// The local changes that are not in the upload.
    public var edits: Change?

    /// A later state of the server that could not be applied yet.
    public var seen: ServerState?

    /// How often a change was returned with a clash, while the server accepted nothing of it (Contract §3.3).
    public var rounds: Int

    /// The base of the open conflict if it is not the confirmed state: `data` and the upload when an answer arrived whose row
    /// may hide another writer (R4). It is set only together with ``seen`` and never together with an upload; settling
    /// clears it.
    public var base: Content?

    /// Makes the machine of a record that is absent.
    @inlinable public init() {
        self.init(phase: .absent, confirmed: .nothing)
    }

    /// Makes a machine from stored values.
    @inlinable public init(
        phase: RecordPhase, confirmed: ServerState, upload: Upload? = nil, edits: Change? = nil,
        seen: ServerState? = nil,
        rounds: Int = 0, base: Content? = nil
    ) {
        self.phase = phase
        self.confirmed = confirmed
        self.upload = upload
        self.edits = edits
        self.seen = seen
        self.rounds = rounds
        self.base = base
    }

    /// The common base of both sides of a merge or of a conflict.
    @inlinable public var mergeBase: Content? { self.base ?? self.confirmed.content }

    /// Whether ``base`` is set only while a conflict is open, or may be open again.
    @inlinable public var hasLawfulBase: Bool {
        guard self.base != nil else { return true }
        return self.seen != nil && self.upload == nil && [.deciding, .held].contains(self.phase.activity)
    }
}

/// How the client recognizes that the server accepted an upload whose first answer was lost (R18).
public enum Recognition: String, CaseIterable, Hashable, Sendable {
    /// The server repeats its answer to a request (W4): only its *accepted* counts. A row with the same content may be another
    /// user's write, and two equal differences of a sum are two.
    case byAnswer

    /// The server can't repeat its answers, or its history was lost since the upload was sent: a row that has the uploaded
    /// values on every uploaded path is this client's own write.
    case byContent
}

extension RecordMachine: Equatable {}
extension RecordMachine: Hashable {}

extension RecordMachine.ServerState {
    /// The record, or nil.
    @inlinable public var content: Algebra.Content? {
        switch self {
        case .row(_, let content): content
        case .nothing, .tombstone: nil
        }
    }

    /// The version; nil when there is no row.
    @inlinable public var version: String? {
        switch self {
        case .row(let version, _), .tombstone(let version): version
        case .nothing: nil
        }
    }
}

// MARK: - The view of the app

extension RecordMachine {
    /// Returns the content after the upload is accepted.
    @inlinable func contentOfUpload(_ algebra: Algebra) throws(Algebra.Failure) -> Content? {
        guard let upload = self.upload else { return self.confirmed.content }
        guard let change = upload.change else { return nil }
        return try algebra.apply(change, to: self.confirmed.content)
    }

    /// Returns the content with all local changes, whether or not the app has deleted the record since.
    @inlinable func contentOfEdits(_ algebra: Algebra) throws(Algebra.Failure) -> Content? {
        let content = try self.contentOfUpload(algebra)
        guard let edits = self.edits else { return content }
        return try algebra.apply(edits, to: content)
    }

    /// Whether the app sees the record.
    @inlinable public var isVisible: Bool {
        switch self.phase {
        case .synced, .edited, .created: true
        case .absent, .deleted: false
        }
    }

    /// The content for the app: `data` + upload + `edited_data`; nil while absent or DELETED (Contract §1).
    @inlinable public func view(_ algebra: Algebra) throws(Algebra.Failure) -> Content? {
        switch self.phase {
        case .absent, .deleted: nil
        case .synced: self.confirmed.content
        case .edited, .created: try self.contentOfEdits(algebra)
        }
    }
}
