import TidemarkJSON
import TidemarkMachine
import TidemarkRules

// The records of a turn. One that the store holds in a form that no one can read is told by name to whoever asks for it,
// and the others go on (R24).

extension Turn {
    /// The record, ready to receive inputs; one that is not there is absent.
    func load(_ pk: String) throws(TidemarkError) -> Record {
        guard let stored = try self.store.record(pk, in: self.collection) else { return Record(pk: pk) }
        return try self.revive(stored)
    }

    /// The record that a row of a page is about, as it is stored: the one that the server has under its name, else that of pk.
    func stored(_ row: FeedPage.Row, of page: FeedPage) throws(TidemarkError) -> StoredRecord? {
        if let name = page.name(of: row), let named = try self.store.record(named: name, in: self.collection) {
            return named
        }
        return try self.store.record(page.pk(of: row), in: self.collection)
    }

    /// The record as it is stored.
    func read(_ stored: StoredRecord) throws(TidemarkError) -> Record {
        if let record = self.exchange.record(storedAs: stored) { return record }
        return try self.naming(stored.pk) { () throws(TidemarkError) in try Record(stored) }
    }

    /// The record, ready to receive inputs.
    ///
    /// An upload that no exchange of this process carries was in the hands of one that ended: its fate is unknown (R17).
    func revive(_ stored: StoredRecord) throws(TidemarkError) -> Record {
        var record = try self.read(stored)
        guard stored.phase.activity == .uploading, let upload = stored.upload else { return record }
        guard !self.exchange.machine.request.posted.contains(where: { $0.requestID == upload.requestID }) else {
            return record
        }
        try self.naming(stored.pk) { () throws(TidemarkError) in
            _ = try record.machine.receive(.lost, self.algebra)
        }
        return record
    }

    /// What is uploading or unconfirmed, without what is known to be damaged.
    func unsettledRecords() throws(TidemarkError) -> [StoredRecord] {
        try self.store.unsettledRecords(in: self.collection).filter {
            !self.exchange.damaged.contains(CodePointString($0.pk))
        }
    }

    /// What is idle, without what is known to be damaged.
    func idleRecords(limit: Int) throws(TidemarkError) -> [StoredRecord] {
        let damaged = self.exchange.damaged
        let idle = try self.store.recordsToSend(in: self.collection, limit: limit + damaged.count)
        return Array(idle.filter { !damaged.contains(CodePointString($0.pk)) }.prefix(limit))
    }
}

// MARK: - Damage

extension Turn {
    /// Gives damage that comes up in the body the name of its record.
    func naming<Value>(
        _ pk: String, _ body: () throws(TidemarkError) -> Value
    ) throws(TidemarkError) -> Value {
        do {
            return try body()
        } catch {
            throw error.naming(pk, in: self.collection)
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
    func undamaged(_ stored: StoredRecord) throws(TidemarkError) -> Record? {
        var record: Record?
        let damage = try self.damage { () throws(TidemarkError) in record = try self.revive(stored) }
        guard damage != nil else { return record }
        self.leaveOut(stored.pk)
        return nil
    }

    /// A record by its name; nil for one that is damaged, which is left out of this sync.
    func undamaged(_ pk: String) throws(TidemarkError) -> Record? {
        guard let stored = try self.store.record(pk, in: self.collection) else { return Record(pk: pk) }
        return try self.undamaged(stored)
    }

    /// Leaves a damaged record out of the sync that goes on.
    func leaveOut(_ pk: String) {
        self.exchange.damaged.insert(CodePointString(pk))
    }
}
