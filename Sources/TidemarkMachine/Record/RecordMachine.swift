/// The state machine of one record: a phase, and the data that belongs to it (SPEC §2).
///
/// The machine decides and never acts. Give it an ``Input``, and it hands back a ``Step``: what happened, where that
/// leads, and what to do about it. It has no clock, no network, no store and no randomness, so the same inputs always
/// give the same steps.
///
/// ``RecordPhase/transition(on:)`` is the only place that chooses a phase. What stands in the extensions either names the
/// event that an input amounts to, or fills in the data that goes with it.
///
/// The whole of it is inlinable: a module that knows the algebra compiles a machine of its own, which looks up no type while
/// it runs. That is why its parts can be set from everywhere, as they can be by making it from what a store kept.
public struct RecordMachine<Algebra: ChangeAlgebra>: Sendable {
    /// A whole record.
    public typealias Content = Algebra.Content

    /// What leads from one content to another.
    public typealias Change = Algebra.Change

    /// What the server has under a pk.
    public enum ServerState: Hashable, Sendable {
        /// No row, and no trace of one.
        case nothing

        /// A row that says the record was deleted, and its version.
        case tombstone(stamp: String)

        /// A record and its version. The stamp is opaque: copied, compared for equality, never computed (SPEC §1).
        case row(stamp: String, Content)
    }

    /// The part of a change that is in a request. It never changes until it is settled (I5).
    public struct Upload: Hashable, Sendable {
        /// What the upload asks for.
        public enum Intent: String, Hashable, Sendable {
            /// Make the record.
            case create = "CREATED"

            /// Change the record.
            case edit = "EDITED"

            /// Delete the record.
            case delete = "DELETED"
        }

        /// The name under which the server remembers its answer (W4).
        public var requestID: String

        /// What the upload asks for.
        public var intent: Intent

        /// The version that the change was made on; nil for a create over nothing.
        public var stamp: String?

        /// The change; nil for a delete.
        public var change: Change?

        /// Whether it was sent before, so that the server may have taken it already.
        public var wasResent: Bool

        /// What shows that the server took it, when its first answer was lost.
        public var recognition: Recognition

        /// Makes an upload, as the store does when it reads one back.
        @inlinable public init(
            requestID: String, intent: Intent, stamp: String?, change: Change?, wasResent: Bool,
            recognition: Recognition = .byAnswer
        ) {
            self.requestID = requestID
            self.intent = intent
            self.stamp = stamp
            self.change = change
            self.wasResent = wasResent
            self.recognition = recognition
        }
    }

    /// Where the record stands.
    public var phase: RecordPhase

    /// What the server last confirmed: the base of every merge, unless ``base`` is set.
    public var confirmed: ServerState

    /// What is under way, or may be.
    public var upload: Upload?

    /// What was changed here beyond the upload.
    public var edits: Change?

    /// A later state of the server that could not be applied yet.
    public var seen: ServerState?

    /// How often a change came back with a clash, without the server taking anything of it (SPEC §3.3).
    public var rounds: Int

    /// What the open conflict grew from, if that is not what the server confirmed: `data` and the upload as an answer found them
    /// whose row may hide another writer (SPEC R4). It is set only beside ``seen`` and never beside an upload; settling clears it.
    public var base: Content?

    /// Makes the machine of a record that is not there.
    @inlinable public init() {
        self.init(phase: .absent, confirmed: .nothing)
    }

    /// Makes a machine from what a store kept.
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

    /// What both sides of a merge, or of a conflict, grew from.
    @inlinable public var mergeBase: Content? { self.base ?? self.confirmed.content }

    /// Whether ``base`` is only where an open conflict is, or may be again.
    @inlinable public var hasLawfulBase: Bool {
        guard self.base != nil else { return true }
        return self.seen != nil && self.upload == nil && [.deciding, .held].contains(self.phase.activity)
    }
}

/// What shows that the server took an upload whose first answer was lost (R18).
public enum Recognition: String, CaseIterable, Hashable, Sendable {
    /// The server answers a request as it did before (W4): only its *accepted* counts. A row that looks like what was sent
    /// may be someone else's, and two equal differences of a sum are two.
    case byAnswer

    /// The server can't repeat its answers, or its history was lost since the bytes were sent: a row that has what was
    /// sent, on every path that was sent, is our own write.
    case byContent
}

extension RecordMachine: Equatable {}
extension RecordMachine: Hashable {}

extension RecordMachine.ServerState {
    /// The record; nil when there is none.
    @inlinable public var content: Algebra.Content? {
        switch self {
        case .row(_, let content): content
        case .nothing, .tombstone: nil
        }
    }

    /// The version; nil when there is no row.
    @inlinable public var stamp: String? {
        switch self {
        case .row(let stamp, _), .tombstone(let stamp): stamp
        case .nothing: nil
        }
    }
}

// MARK: - What the app sees

extension RecordMachine {
    /// What the record is once the upload is taken.
    @inlinable func contentOfUpload(_ algebra: Algebra) throws(Algebra.Failure) -> Content? {
        guard let upload = self.upload else { return self.confirmed.content }
        guard let change = upload.change else { return nil }
        return try algebra.apply(change, to: self.confirmed.content)
    }

    /// What was changed here, whether or not the app has deleted it since.
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

    /// What the app sees: `data` + upload + `edited_data`; nil while absent or DELETED (SPEC §1).
    @inlinable public func view(_ algebra: Algebra) throws(Algebra.Failure) -> Content? {
        switch self.phase {
        case .absent, .deleted: nil
        case .synced: self.confirmed.content
        case .edited, .created: try self.contentOfEdits(algebra)
        }
    }
}
