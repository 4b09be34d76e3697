package import TidemarkJSON
package import TidemarkMachine

/// The state machine of one record: a phase, and the data that belongs to it (Contract §2).
///
/// The machine decides and never acts. Pass an ``Input``, and it returns a ``Step``: the event, the phases, and the actions. It
/// has no clock, no network, no store and no randomness, so the same inputs always give the same steps.
///
/// ``RecordPhase/transition(on:)`` is the only place that chooses a phase. The extensions either classify an input as an event,
/// or update the data.
///
/// The properties can be set from everywhere, as they can with the initializer for stored values.
package struct RecordMachine: Hashable, Sendable {
    /// The server's state under a pk.
    package enum ServerState: Hashable, Sendable {
        /// No row, and no tombstone.
        case nothing

        /// A tombstone: the record was deleted. With its version.
        case tombstone(version: String)

        /// A record and its version. The version is opaque: copied, compared for equality, never computed (Contract §1).
        case row(version: String, RecordPayload)
    }

    /// The part of a change that is in a request. It is immutable until it is settled (I5).
    package struct Upload: Hashable, Sendable {
        /// The operation of the upload.
        package enum Intent: String, Hashable, Sendable {
            /// Create the record.
            case create = "CREATED"

            /// Change the record.
            case edit = "EDITED"

            /// Delete the record.
            case delete = "DELETED"
        }

        /// The request id under which the server stores its answer (W4).
        package var requestID: String

        /// The operation of the upload.
        package var intent: Intent

        /// The version that the change is based on; nil for a create without a tombstone.
        package var version: String?

        /// The change; nil for a delete.
        package var change: JSONPatch?

        /// Whether it was sent before, so that the server may have accepted it already.
        package var wasResent: Bool

        /// How the client learns that the server accepted the upload if the first answer was lost.
        package var recognition: Recognition

        /// Makes an upload, as the store does when it reads one back.
        package init(
            requestID: String, intent: Intent, version: String?, change: JSONPatch?, wasResent: Bool,
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
    package var phase: RecordPhase

    /// The last confirmed state of the server: the base of every merge, unless ``base`` is set.
    package var confirmed: ServerState

    /// The upload that is in flight or unconfirmed; nil for none.
    package var upload: Upload?

    /// The local changes that are not in the upload.
    package var edits: JSONPatch?

    /// A later state of the server that could not be applied yet.
    package var seen: ServerState?

    /// How often a change was returned with a clash, while the server accepted nothing of it (Contract §3.3).
    package var rounds: Int

    /// The base of the open conflict if it is not the confirmed state: `data` and the upload when an answer arrived whose row
    /// may hide another writer (R4). It is set only together with ``seen`` and never together with an upload; settling
    /// clears it.
    package var base: RecordPayload?

    /// Makes the machine of a record that is absent.
    package init() {
        self.init(phase: .absent, confirmed: .nothing)
    }

    /// Makes a machine from stored values.
    package init(
        phase: RecordPhase, confirmed: ServerState, upload: Upload? = nil, edits: JSONPatch? = nil,
        seen: ServerState? = nil,
        rounds: Int = 0, base: RecordPayload? = nil
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
    package var mergeBase: RecordPayload? { self.base ?? self.confirmed.content }

    /// Whether ``base`` is set only while a conflict is open, or may be open again.
    package var hasLawfulBase: Bool {
        guard self.base != nil else { return true }
        return self.seen != nil && self.upload == nil && [.deciding, .held].contains(self.phase.activity)
    }
}

extension RecordMachine.ServerState {
    /// The record, or nil.
    package var content: RecordPayload? {
        switch self {
        case .row(_, let content): content
        case .nothing, .tombstone: nil
        }
    }

    /// The version; nil when there is no row.
    package var version: String? {
        switch self {
        case .row(let version, _), .tombstone(let version): version
        case .nothing: nil
        }
    }
}

// MARK: - The view of the app

extension RecordMachine {
    /// Returns the content after the upload is accepted.
    func contentOfUpload(_ algebra: JSONChanges) throws(TidemarkError) -> RecordPayload? {
        guard let upload = self.upload else { return self.confirmed.content }
        guard let change = upload.change else { return nil }
        return try algebra.apply(change, to: self.confirmed.content)
    }

    /// Returns the content with all local changes, whether or not the app has deleted the record since.
    func contentOfEdits(_ algebra: JSONChanges) throws(TidemarkError) -> RecordPayload? {
        let content = try self.contentOfUpload(algebra)
        guard let edits = self.edits else { return content }
        return try algebra.apply(edits, to: content)
    }

    /// Whether the app sees the record.
    package var isVisible: Bool {
        switch self.phase {
        case .synced, .edited, .created: true
        case .absent, .deleted: false
        }
    }

    /// The content for the app: `data` + upload + `edited_data`; nil while absent or DELETED (Contract §1).
    package func view(_ algebra: JSONChanges) throws(TidemarkError) -> RecordPayload? {
        switch self.phase {
        case .absent, .deleted: nil
        case .synced: self.confirmed.content
        case .edited, .created: try self.contentOfEdits(algebra)
        }
    }
}
