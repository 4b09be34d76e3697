public import TidemarkJSON
public import TidemarkMachine
import TidemarkRules

/// A record as it is at one moment: what the server confirmed, what was changed here, and what the app sees.
///
/// ```swift
/// for record in try await notes.list(states: [.edited]) {
///     print(record.pk, try record.content ?? .null, try record.pendingPatch ?? [])
/// }
/// ```
///
/// It holds the bytes of the store as they are (``raw``), and a value is made from them when it is asked for, and each time:
/// who lists thousands of records to look at their phase pays for no parsing, and who needs a value twice keeps it. The
/// bytes were checked when they came in, so a property throws for one reason alone: the store was damaged since. Nil
/// never stands for that.
public struct RecordSnapshot: Hashable, Sendable {
    /// The collection.
    public let collection: String

    /// The name of the record.
    public let pk: String

    /// Where it stands.
    public let phase: RecordPhase

    /// What the store holds, byte for byte.
    public let raw: Raw

    /// Why the record is held; nil when it is not.
    public let hold: RecordHold?

    /// What is wrong with the record in this store, when it can't be read: then there is no content; nil when nothing is known
    /// to be.
    public internal(set) var damage: String?

    init(_ stored: StoredRecord, in collection: String, view: [UInt8]?) {
        self.collection = collection
        self.pk = stored.pk
        self.phase = stored.phase
        self.raw = Raw(
            stamp: stored.confirmed.stamp, confirmed: stored.confirmed.data, upload: stored.upload,
            pendingPatch: stored.editedData, content: view)
        self.hold = stored.hold.map { RecordHold(stored: $0) }
    }
}

extension RecordSnapshot {
    /// The bytes that a ``RecordSnapshot`` is made of, as the store holds them or as they go over the wire.
    public struct Raw: Hashable, Sendable {
        /// The JSON text of the server's version (`updated_at`); nil when the server never confirmed one.
        public let stamp: String?

        /// The payload that the server confirmed, byte for byte (I4); nil when there is none.
        public let confirmed: [UInt8]?

        /// What is under way, or may be; nil when nothing is.
        public let upload: StoredUpload?

        /// What was changed here beyond the upload: an RFC 6902 patch as JSON text; nil when nothing was.
        public let pendingPatch: [UInt8]?

        /// What the app sees, as JSON text: ``confirmed`` as it came while nothing was changed; nil when deleted or damaged.
        public let content: [UInt8]?
    }
}

// MARK: - As values

extension RecordSnapshot {
    /// What the app sees; nil when the record was deleted here.
    ///
    /// - Throws: ``TidemarkError/Code/recordDamaged`` when the store holds it in a form that can't be read.
    public var content: JSON? {
        get throws(TidemarkError) {
            if let damage = self.damage { throw TidemarkError(.recordDamaged, damage) }
            return try self.json(self.raw.content)
        }
    }

    /// What the server confirmed last (I4); nil when it never had the record, or has deleted it.
    ///
    /// - Throws: ``TidemarkError/Code/recordDamaged``.
    public var confirmed: JSON? {
        get throws(TidemarkError) { try self.json(self.raw.confirmed) }
    }

    /// The server's version of the record (`updated_at`), which has a meaning for the server only; nil when the server never
    /// confirmed one.
    ///
    /// - Throws: ``TidemarkError/Code/recordDamaged``.
    public var stamp: JSON? {
        get throws(TidemarkError) { try self.json(self.raw.stamp.map { Array($0.utf8) }) }
    }

    /// What was changed here and is not on its way yet, over ``confirmed`` and what is on its way; nil when nothing was.
    ///
    /// - Throws: ``TidemarkError/Code/recordDamaged``.
    public var pendingPatch: JSONPatch? {
        get throws(TidemarkError) {
            guard let bytes = self.raw.pendingPatch else { return nil }
            do {
                return try JSONPatch(parsing: bytes)
            } catch {
                throw TidemarkError.damaged("its change is not a patch", error).naming(self.pk, in: self.collection)
            }
        }
    }

    private func json(_ bytes: [UInt8]?) throws(TidemarkError) -> JSON? {
        guard let bytes else { return nil }
        do throws(TidemarkError) {
            return try RecordPayload(bytes: bytes).json()
        } catch {
            throw error.naming(self.pk, in: self.collection)
        }
    }
}
