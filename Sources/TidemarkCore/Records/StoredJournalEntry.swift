/// A ``JournalEntry`` as a store keeps it: plain columns, nothing to decide.
public struct StoredJournalEntry: Hashable, Sendable {
    /// Why a value lost.
    public typealias Reason = JournalEntry.Reason

    /// Which side lost.
    public typealias Side = JournalEntry.Side

    /// The number of the entry in its store; 0 before the store has given it one.
    public var number: Int64

    /// The record.
    public var pk: String

    /// Why it lost.
    public var reason: Reason

    /// Which side lost.
    public var lost: Side

    /// The JSON pointer of the value (RFC 6901); "" for the whole record.
    public var path: String

    /// The JSON text of the value that lost; nil when what lost was a removal.
    public var value: [UInt8]?

    /// The version of the server's row at the time, as JSON text; nil when there was none.
    public var stamp: String?

    /// The JSON text that a restored server showed in place of the lost value. Nil if it showed nothing, if that was written later,
    /// and for every other reason.
    public var shown: [UInt8]?

    /// Whether it was brought back, or nothing more is to be done about it.
    public var isRestored: Bool

    /// Makes an entry.
    public init(
        number: Int64 = 0, pk: String, reason: Reason, lost: Side, path: String, value: [UInt8]?, stamp: String?,
        shown: [UInt8]? = nil, isRestored: Bool = false
    ) {
        self.number = number
        self.pk = pk
        self.reason = reason
        self.lost = lost
        self.path = path
        self.value = value
        self.stamp = stamp
        self.shown = shown
        self.isRestored = isRestored
    }
}

extension StoredJournalEntry {
    /// What lost, as a sentence without its end: `the client's value at /price lost: 2`.
    package var sentence: String {
        let side = "the \(self.lost.rawValue)'s"
        let place = self.path.isEmpty ? "the record" : self.path
        guard let value = self.value else { return "\(side) removal of \(place) lost" }
        let what = self.path.isEmpty ? "record" : "value at \(place)"
        return "\(side) \(what) lost: \(String(decoding: value, as: UTF8.self))"
    }
}
