/// Where one record stands, and what the client is doing about it (SPEC §2).
///
/// A phase is finite and carries no data, so every phase can be listed, drawn and explored. The data that belongs
/// to it lives in ``RecordMachine``.
///
/// ```swift
/// let phase = RecordPhase.synced
/// #expect(phase.transition(on: .edited) == .move(.edited(.idle), [.save, .notify]))
/// ```
public enum RecordPhase: Hashable, Sendable {
    /// The client knows no such record.
    case absent

    /// The view equals the payload that the server last confirmed.
    case synced

    /// The record has changes that the server has not confirmed.
    case edited(Activity)

    /// The record was made here and the server has not confirmed it.
    case created(Activity)

    /// The record was deleted here and the server has not confirmed it.
    case deleted(Activity)

    /// What the client is doing about a record that it has to send.
    public enum Activity: String, CaseIterable, Sendable {
        /// Waiting for its turn.
        case idle

        /// Its bytes are in a POST.
        case uploading

        /// Its bytes were in a POST whose fate is unknown (R17).
        case unconfirmed

        /// The server's version moved; a tactic, or a person, decides.
        case deciding

        /// Kept, shown, not sent, until the app or a person acts.
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

    /// Reads the stored spelling; `SYNCED` is accepted for `SYNCD` (SPEC §1).
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

/// The four states of a record, in the spelling of store and wire (SPEC §1).
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
