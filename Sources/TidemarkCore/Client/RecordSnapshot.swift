public import TidemarkJSON
public import TidemarkMachine
import TidemarkRules

/// A record at one moment: the version that the server confirmed, the local changes, and the app's view.
///
/// ```swift
/// for record in try await notes.list(states: [.edited]) {
///     print(record.pk, try record.content ?? .null, try record.pendingPatch ?? [])
/// }
/// ```
///
/// A snapshot holds the bytes of the store (``raw``), and a property parses them at each read: a list of thousands of records of
/// which only the phase is shown costs no parsing, and code that needs a value twice should keep it. The bytes were checked when
/// they were stored, so a property throws only if the store was damaged after that. A property never returns nil for damaged
/// bytes.
public struct RecordSnapshot: Hashable, Sendable {
    /// The name of the collection.
    public let collection: String

    /// The pk of the record.
    public let pk: String

    /// The phase of the record.
    public let phase: RecordPhase

    /// The bytes in the store.
    public let raw: Raw

    /// Why the record is held; nil if it is not.
    public let hold: RecordHold?

    /// Why the stored record can't be read, and has no content; nil if no damage is known.
    public internal(set) var damage: String?

    init(_ stored: StoredRecord, in collection: String, view: [UInt8]?) {
        self.collection = collection
        self.pk = stored.pk
        self.phase = stored.phase
        self.raw = Raw(
            version: stored.confirmed.version, confirmed: stored.confirmed.data, upload: stored.upload,
            pendingPatch: stored.editedData, content: view)
        self.hold = stored.hold.map { RecordHold(stored: $0) }
    }

    /// A SYNCD record without other parts.
    init(synced pk: String, version: String, _ data: [UInt8], in collection: String) {
        self.collection = collection
        self.pk = pk
        self.phase = .synced
        self.raw = Raw(version: version, confirmed: data, upload: nil, pendingPatch: nil, content: data)
        self.hold = nil
    }
}

extension RecordSnapshot {
    /// The bytes of a ``RecordSnapshot``, as the store holds them or as they are sent.
    public struct Raw: Hashable, Sendable {
        /// The JSON text of the server's version (`updated_at`); nil if the server never confirmed one.
        public let version: String?

        /// The payload that the server confirmed, byte for byte (I4); nil if the server confirmed no record.
        public let confirmed: [UInt8]?

        /// The upload that is in flight or unconfirmed, or nil.
        public let upload: StoredUpload?

        /// The local changes since the upload: an RFC 6902 patch as JSON text, or nil.
        public let pendingPatch: [UInt8]?

        /// The app's view as JSON text: ``confirmed`` byte for byte if nothing was changed; nil if deleted or damaged.
        public let content: [UInt8]?
    }
}

// MARK: - As values

extension RecordSnapshot {
    /// The app's view; nil if the record was deleted here.
    ///
    /// - Throws: ``TidemarkError/Code/recordDamaged`` if the store holds it in a form that can't be read.
    public var content: JSON? {
        get throws(TidemarkError) {
            if let damage = self.damage { throw TidemarkError(.recordDamaged, damage) }
            return try self.json(self.raw.content)
        }
    }

    /// The content that the server confirmed last (I4); nil if the server never had the record, or has deleted it.
    ///
    /// - Throws: ``TidemarkError/Code/recordDamaged``.
    public var confirmed: JSON? {
        get throws(TidemarkError) { try self.json(self.raw.confirmed) }
    }

    /// The server's version of the record (`updated_at`), opaque to the client; nil if the server never confirmed one.
    ///
    /// - Throws: ``TidemarkError/Code/recordDamaged``.
    public var version: JSON? {
        get throws(TidemarkError) { try self.json(self.raw.version.map { Array($0.utf8) }) }
    }

    /// The local changes that are not being sent yet, relative to ``confirmed`` and the upload, or nil.
    ///
    /// - Throws: ``TidemarkError/Code/recordDamaged``.
    public var pendingPatch: JSONPatch? {
        get throws(TidemarkError) {
            guard let bytes = self.raw.pendingPatch else { return nil }
            do {
                return try JSONPatch(parsing: bytes)
            } catch {
                throw TidemarkError.damaged("the stored local change is not a JSON Patch", error)
                    .naming(self.pk, in: self.collection)
            }
        }
    }

    private func json(_ bytes: [UInt8]?) throws(TidemarkError) -> JSON? {
        guard let bytes else { return nil }
        do throws(TidemarkError) {
            return try RecordPayload.json(bytes)
        } catch {
            throw error.naming(self.pk, in: self.collection)
        }
    }
}
