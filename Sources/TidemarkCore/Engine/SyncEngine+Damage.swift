import TidemarkJSON
import TidemarkMachine

// A record that the store holds in a form that no one can read. Whoever asks for it is told so by name; the others go on.

extension SyncEngine {
    /// Gives damage that comes up in the body the name of its record.
    func naming<Value>(
        _ pk: String, in collection: String, _ body: () throws(TidemarkError) -> Value
    ) throws(TidemarkError) -> Value {
        do {
            return try body()
        } catch {
            throw error.naming(pk, in: collection)
        }
    }

    /// Does something with a record, unless it is damaged.
    ///
    /// - Returns: What is wrong with it; nil when it was done.
    func damage(_ body: () throws(TidemarkError) -> Void) throws(TidemarkError) -> TidemarkError? {
        do {
            try body()
            return nil
        } catch {
            guard error.code == .recordDamaged else { throw error }
            return error
        }
    }

    /// A record that can be sent; nil for one that is damaged, which is left out of this sync.
    func undamaged(_ stored: StoredRecord, in collection: String) throws(TidemarkError) -> Record? {
        var record: Record?
        let damage = try self.damage { () throws(TidemarkError) in
            record = try self.revive(stored, in: collection)
        }
        guard damage != nil else { return record }
        self.leaveOut(stored.pk, of: collection)
        return nil
    }

    /// A record by its name; nil for one that is damaged, which is left out of this sync.
    func undamaged(_ pk: String, in collection: String) throws(TidemarkError) -> Record? {
        guard let stored = try self.store.record(pk, in: collection) else { return Record(pk: pk) }
        return try self.undamaged(stored, in: collection)
    }

    /// Leaves a damaged record out of the sync that goes on.
    func leaveOut(_ pk: String, of collection: String) {
        var exchange = self.exchange(of: collection)
        exchange.damaged.insert(CodePointString(pk))
        self.keep(exchange, of: collection)
    }

    /// What is uploading or unconfirmed, without what is known to be damaged.
    func unsettledRecords(in collection: String) throws(TidemarkError) -> [StoredRecord] {
        let damaged = self.exchange(of: collection).damaged
        return try self.store.unsettledRecords(in: collection).filter { !damaged.contains(CodePointString($0.pk)) }
    }

    /// What is idle, without what is known to be damaged.
    func idleRecords(in collection: String, limit: Int) throws(TidemarkError) -> [StoredRecord] {
        let damaged = self.exchange(of: collection).damaged
        let idle = try self.store.recordsToSend(in: collection, limit: limit + damaged.count)
        return Array(idle.filter { !damaged.contains(CodePointString($0.pk)) }.prefix(limit))
    }

    /// Applies a row to a record that is damaged: it is set aside, so that the others of its page go on.
    func setAsideDamaged(_ pk: String, in collection: String, _ damage: TidemarkError) throws(TidemarkError) {
        try self.store.setAside(ItemSetAside(pk: pk, reason: damage.message), in: collection)
    }

    /// Gives a damaged record up: what is left of it goes to the journal as text, and the next sync reads the collection
    /// from the start, so that the server's version comes again.
    func giveUpDamaged(
        _ pk: String, in collection: String, _ damage: TidemarkError, _ effects: inout [Effect]
    ) throws(TidemarkError) {
        switch self.exchange(of: collection).phase {
        case .idle, .waiting, .paused: break
        // Its answer is for the present listing, and would end the new one before it began.
        case .getting, .posting:
            throw TidemarkError(
                .recordDamaged, "\(damage.message) A sync of \(collection) is going on: resign it once that has ended.",
                cause: damage.cause)
        }
        guard let stored = try self.store.record(pk, in: collection) else { return }
        for bytes in [stored.upload?.edit, stored.editedData].compactMap({ $0 }) {
            let text = JSON.string(JSONString(String(decoding: bytes, as: UTF8.self)))
            let entry = StoredJournalEntry(
                pk: pk, reason: .resign, lost: .client, path: "", value: text.bytes, stamp: stored.confirmed.stamp)
            _ = try self.store.append(entry, in: collection)
        }
        try self.store.erase(pk, in: collection)
        try self.store.clearAside(pk, in: collection)
        var state = try self.store.state(of: collection)
        state.watermark = nil
        state.listing += 1
        state.isListing = true
        try self.store.save(state, of: collection)
        effects.append(.tell(Change(collection: collection, pk: pk, origin: .resignation, phase: .absent)))
    }
}
