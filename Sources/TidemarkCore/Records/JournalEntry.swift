public import TidemarkJSON
import TidemarkRules

/// A value that lost, with why, so that it can be brought back (SPEC §1).
///
/// ```swift
/// for entry in try await notes.journal {
///     print(entry.pk, entry.path, try entry.lostValue ?? "removed", entry.reason)
/// }
/// ```
public struct JournalEntry: Hashable, Sendable {
    /// Why a value lost.
    public struct Reason: Hashable, Sendable, CustomStringConvertible {
        /// The name, as it is stored and printed.
        public let name: String

        /// Makes a reason of an app's own, or one that was stored.
        public init(_ name: String) {
            self.name = name
        }

        /// The name.
        public var description: String { self.name }

        /// The server's side was taken.
        public static let takeServer = Reason("take-server")

        /// The client's side was taken.
        public static let takeClient = Reason("take-client")

        /// Both sides were merged, and one value had to give way.
        public static let merge = Reason("merge")

        /// The local change was given up.
        public static let resign = Reason("resign")

        /// The server refused the local change, and the app's policy gave it up.
        public static let rejected = Reason("rejected")

        /// The server had confirmed the value, and lost it when it went back to an earlier state (SPEC §6).
        public static let serverWentBack = Reason("server-went-back")

        /// A value that was brought back, among many, took its place.
        public static let restore = Reason("restore")

        /// The server checks a version and then writes, and what it had acknowledged was overwritten (SPEC §12). Where what was
        /// there before came back, the acknowledged value was put back, and the entry has what came; where something else
        /// came, that stands, and the entry has the acknowledged value.
        public static let overwritten = Reason("overwritten")

        /// The server took the value and shows another one: it rounds numbers, say, or someone else has changed it since (SPEC §12).
        public static let altered = Reason("altered")

        /// The reasons that the library gives.
        public static let known: [Reason] = [
            .takeServer, .takeClient, .merge, .resign, .rejected, .serverWentBack, .restore, .overwritten, .altered,
        ]
    }

    /// Which side lost.
    public enum Side: String, Hashable, Sendable {
        /// What was changed here.
        case client

        /// What was changed elsewhere.
        case server
    }

    /// What the store holds, byte for byte.
    public let raw: StoredJournalEntry

    /// Where the value was in the record; the root for the whole record.
    public let path: JSONPointer

    /// The number of the entry in its store, for ``SyncCollection/restore(_:)``.
    public var number: Int64 { self.raw.number }

    /// The record.
    public var pk: String { self.raw.pk }

    /// Why it lost.
    public var reason: Reason { self.raw.reason }

    /// Which side lost.
    public var lostSide: Side { self.raw.lost }

    /// The value that lost; nil when what lost was a removal.
    ///
    /// It is made from ``raw`` each time it is asked for.
    ///
    /// - Throws: ``TidemarkError/Code/recordDamaged`` when the store was damaged since.
    public var lostValue: JSON? {
        get throws(TidemarkError) { try self.json(self.raw.value) }
    }

    /// The server's version of the record at the time, which has a meaning for the server only; nil when there was none.
    ///
    /// - Throws: ``TidemarkError/Code/recordDamaged``.
    public var stamp: JSON? {
        get throws(TidemarkError) { try self.json(self.raw.stamp.map { Array($0.utf8) }) }
    }

    /// Makes an entry, as a preview or a test needs one.
    public init(
        number: Int64 = 0, pk: String, reason: Reason, lostSide: Side, path: JSONPointer, lostValue: JSON?,
        stamp: JSON? = nil
    ) {
        self.path = path
        self.raw = StoredJournalEntry(
            number: number, pk: pk, reason: reason, lost: lostSide, path: path.text, value: lostValue?.bytes,
            stamp: stamp?.text
        )
    }

    /// - Throws: ``TidemarkError/Code/recordDamaged`` when its path is no pointer.
    init(_ stored: StoredJournalEntry, in collection: String) throws(TidemarkError) {
        do {
            self.path = try JSONPointer(parsing: stored.path)
        } catch {
            throw TidemarkError(
                .recordDamaged,
                "The journal of \(collection) is damaged in this store: the path of entry \(stored.number) is “\(stored.path)” (\(error)).",
                cause: error)
        }
        self.raw = stored
    }

    private func json(_ bytes: [UInt8]?) throws(TidemarkError) -> JSON? {
        guard let bytes else { return nil }
        do {
            return try JSON(parsing: bytes)
        } catch {
            throw TidemarkError(
                .recordDamaged,
                "Entry \(self.number) of the journal, about “\(self.pk)”, is damaged in this store: \(error).",
                cause: error)
        }
    }
}
