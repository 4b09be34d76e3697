/// What the client has to do after a transition: names only, in one fixed order.
///
/// A set instead of a list, because the order never varies: what lost is journalled, the record is saved or erased in
/// the same transaction, and only then anyone is told. A set also lives in one byte, so a transition allocates nothing
/// (SPEC §9).
public struct RecordActions: OptionSet, Hashable, Sendable {
    /// One bit for each action.
    public let rawValue: UInt8

    /// Makes a set from its bits.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Write what lost to the journal.
    public static let journal = RecordActions(rawValue: 1 << 0)

    /// Write the record to the store.
    public static let save = RecordActions(rawValue: 1 << 1)

    /// Remove the record from the store.
    public static let erase = RecordActions(rawValue: 1 << 2)

    /// Ask the tactic.
    public static let consult = RecordActions(rawValue: 1 << 3)

    /// Tell the app that the record changed.
    public static let notify = RecordActions(rawValue: 1 << 4)

    /// Tell the app that the record needs someone.
    public static let report = RecordActions(rawValue: 1 << 5)

    /// Every action with its name, in the order in which they are carried out.
    public static let named: [(name: String, action: RecordActions)] = [
        ("journal", .journal), ("save", .save), ("erase", .erase), ("consult", .consult), ("notify", .notify),
        ("report", .report),
    ]
}

extension RecordActions: CustomStringConvertible {
    /// The names, in the order in which they are carried out.
    public var description: String {
        Self.named.filter { self.contains($0.action) }.map(\.name).joined(separator: ", ")
    }
}

/// What one event does to one phase of a record.
public enum RecordTransition: Hashable, Sendable {
    /// The record moves to a phase, and the client then acts.
    case move(Phase, RecordActions)

    /// The event is legal here and changes nothing.
    case stay

    /// The event cannot occur here. Receiving it is a programmer's mistake (R24).
    case impossible
}
