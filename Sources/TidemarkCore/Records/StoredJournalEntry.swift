/// A ``JournalEntry`` in its stored form: plain columns, without logic.
public struct StoredJournalEntry: Hashable, Sendable {
    /// The reason for a loss.
    public typealias Reason = JournalEntry.Reason

    /// The side whose value lost.
    public typealias Side = JournalEntry.Side

    /// The number of the entry in its store; 0 before the store has assigned one.
    public var number: Int64

    /// The pk of the record.
    public var pk: String

    /// The reason.
    public var reason: Reason

    /// The side whose value lost.
    public var lost: Side

    /// The JSON pointer of the value (RFC 6901); "" for the whole record.
    public var path: String

    /// The JSON text of the lost value; nil if a removal lost.
    public var value: [UInt8]?

    /// The version of the server's row at the time, as JSON text; nil if there was none.
    public var version: String?

    /// The JSON text that the server showed at this path after a rollback. Nil if it showed no value, if that value was written
    /// later, and for every other reason.
    public var shown: [UInt8]?

    /// Whether it was restored, or needs no further action.
    public var isRestored: Bool

    /// Makes an entry.
    public init(
        number: Int64 = 0, pk: String, reason: Reason, lost: Side, path: String, value: [UInt8]?, version: String?,
        shown: [UInt8]? = nil, isRestored: Bool = false
    ) {
        self.number = number
        self.pk = pk
        self.reason = reason
        self.lost = lost
        self.path = path
        self.value = value
        self.version = version
        self.shown = shown
        self.isRestored = isRestored
    }
}

extension StoredJournalEntry {
    /// The lost value as a sentence without its end: `the client's value at /price lost: 2`.
    package var sentence: String {
        let side = "the \(self.lost.rawValue)'s"
        let place = self.path.isEmpty ? "the record" : self.path
        guard let value = self.value else { return "\(side) removal of \(place) lost" }
        let what = self.path.isEmpty ? "record" : "value at \(place)"
        return "\(side) \(what) lost: \(String(decoding: value, as: UTF8.self))"
    }
}
