public import TidemarkJSON
import TidemarkRules

/// A value that lost, with the reason, so that it can be restored (Contract §1).
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

        /// Makes a reason of an app, or one that was stored.
        public init(_ name: String) {
            self.name = name
        }

        /// The name.
        public var description: String { self.name }

        /// The server's side was taken.
        public static let takeServer = Reason("take-server")

        /// The client's side was taken.
        public static let takeClient = Reason("take-client")

        /// Both sides were merged, and one value was replaced.
        public static let merge = Reason("merge")

        /// The local change was discarded.
        public static let resign = Reason("resign")

        /// The server refused the local change, and the app's policy discarded it.
        public static let rejected = Reason("rejected")

        /// The server had confirmed the value, and lost it when it was rolled back to an earlier state (Contract §6).
        public static let serverRolledBack = Reason("server-rolled-back")

        /// A value that was restored together with many others replaced it.
        public static let restore = Reason("restore")

        /// The server checks a version and then writes, and an acknowledged value was overwritten (Contract §12). If the value from
        /// before the edit returned, the acknowledged value was sent again, and the entry has the returned value; if another
        /// value arrived, that is kept, and the entry has the acknowledged value.
        public static let overwritten = Reason("overwritten")

        /// The server accepted the value and returned another one: for example it rounds numbers, or another client has changed
        /// it since (Contract §12).
        public static let altered = Reason("altered")

        /// The server had accepted the value, and another client replaced it, or deleted the record. Only with
        /// ``SyncConfiguration/journalsReplacedFor``.
        public static let replaced = Reason("replaced")

        /// The reasons of the library.
        public static let known: [Reason] = [
            .takeServer, .takeClient, .merge, .resign, .rejected, .serverRolledBack, .restore, .overwritten, .altered,
            .replaced,
        ]
    }

    /// The side whose value lost.
    public enum Side: String, Hashable, Sendable {
        /// A local change.
        case client

        /// A change of another client.
        case server
    }

    /// The bytes in the store.
    public let raw: StoredJournalEntry

    /// The path of the value in the record; the root for the whole record.
    public let path: JSONPointer

    /// The number of the entry in its store, for ``SyncCollection/restore(_:)``.
    public var number: Int64 { self.raw.number }

    /// The pk of the record.
    public var pk: String { self.raw.pk }

    /// Why the value lost.
    public var reason: Reason { self.raw.reason }

    /// The side whose value lost.
    public var lostSide: Side { self.raw.lost }

    /// The lost value; nil if a removal lost.
    ///
    /// It is parsed from ``raw`` at each read.
    ///
    /// - Throws: ``TidemarkError/Code/recordDamaged`` if the store was damaged after the entry was written.
    public var lostValue: JSON? {
        get throws(TidemarkError) { try self.json(self.raw.value) }
    }

    /// The server's version of the record at the time, opaque to the client; nil if there was none.
    ///
    /// - Throws: ``TidemarkError/Code/recordDamaged``.
    public var version: JSON? {
        get throws(TidemarkError) { try self.json(self.raw.version.map { Array($0.utf8) }) }
    }

    /// Makes an entry for a preview or a test.
    public init(
        number: Int64 = 0, pk: String, reason: Reason, lostSide: Side, path: JSONPointer, lostValue: JSON?,
        version: JSON? = nil
    ) {
        self.path = path
        self.raw = StoredJournalEntry(
            number: number, pk: pk, reason: reason, lost: lostSide, path: path.text, value: lostValue?.bytes,
            version: version?.text
        )
    }

    /// - Throws: ``TidemarkError/Code/recordDamaged`` if its path is not a JSON pointer.
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
