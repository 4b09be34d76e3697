/// The phase of one record: its state, and the activity of the client for it (Contract §2).
///
/// The set of phases is finite and a phase carries no data, so every phase can be listed and drawn. The data is in
/// `RecordMachine`.
///
/// ```swift
/// let phase = RecordPhase.synced
/// #expect(phase.transition(on: .edited) == .move(.edited(.idle), [.save, .notify]))
/// ```
public enum RecordPhase: Hashable, Sendable {
    /// The client has no such record.
    case absent

    /// The app's view equals the payload that the server last confirmed.
    case synced

    /// The record has changes that the server has not confirmed.
    case edited(Activity)

    /// The record was created here and the server has not confirmed it.
    case created(Activity)

    /// The record was deleted here and the server has not confirmed it.
    case deleted(Activity)

    /// The client's activity for a record that has something to send.
    public enum Activity: String, CaseIterable, Sendable {
        /// Ready to be sent.
        case idle

        /// The upload is in a POST.
        case uploading

        /// The upload was in a POST whose outcome is unknown (R17).
        case unconfirmed

        /// The server's version changed; a tactic or the user decides.
        case deciding

        /// Kept and shown, but not sent until the app or the user acts.
        case held
    }
}

extension RecordPhase: CaseIterable {
    /// Every phase, in the order of the diagrams.
    public static let allCases: [RecordPhase] =
        [.absent, .synced]
        + Activity.allCases.map(RecordPhase.edited)
        + Activity.allCases.map(RecordPhase.created)
        + Activity.allCases.map(RecordPhase.deleted)
}

extension RecordPhase: LosslessStringConvertible {
    /// The stored spelling: `absent`, `SYNCD`, `EDITED.idle`, …
    public var description: String {
        switch self {
        case .absent: "absent"
        case .synced: "SYNCD"
        case .edited(let activity): "EDITED.\(activity)"
        case .created(let activity): "CREATED.\(activity)"
        case .deleted(let activity): "DELETED.\(activity)"
        }
    }

    /// Reads the stored spelling; `SYNCED` is accepted for `SYNCD` (Contract §1).
    public init?(_ description: String) {
        let known =
            description == "SYNCED" ? RecordPhase.synced : RecordPhase.allCases.first { $0.description == description }
        guard let known else { return nil }
        self = known
    }
}

extension RecordPhase {
    /// The state without the activity; nil when the record is absent.
    public var state: SyncState? {
        switch self {
        case .absent: nil
        case .synced: .synced
        case .edited: .edited
        case .created: .created
        case .deleted: .deleted
        }
    }

    /// The activity; nil when there is nothing to send.
    public var activity: Activity? {
        switch self {
        case .absent, .synced: nil
        case .edited(let activity), .created(let activity), .deleted(let activity): activity
        }
    }
}

extension RecordPhase {
    /// Whether the record has changes that the server has not confirmed yet.
    public var isPending: Bool { self.activity != nil }

    /// Whether the app or the user has to act before the changes of the record can be sent: it is in conflict or held.
    public var needsAttention: Bool { self.activity == .deciding || self.activity == .held }
}

/// The four states of a record, in the spelling of store and wire (Contract §1).
public enum SyncState: String, CaseIterable, Sendable {
    /// Equal to what the server confirmed.
    case synced = "SYNCD"

    /// Changed here.
    case edited = "EDITED"

    /// Made here.
    case created = "CREATED"

    /// Deleted here.
    case deleted = "DELETED"
}
