import TidemarkJSON
import TidemarkMachine
import TidemarkRules

// The records of a transaction. A call that needs a damaged record gets an error with its name, and the other records are not
// affected (R24).

extension EngineTransaction {
    /// Returns the record, ready to receive inputs; an absent one if it is not stored.
    func load(_ pk: String) throws(TidemarkError) -> Record {
        guard let stored = try self.store.record(pk, in: self.collection) else { return Record(pk: pk) }
        return try self.revive(stored)
    }

    /// Returns the stored record for a row of a page: the one with the row's name, or else the one with its pk.
    func stored(_ row: FeedPage.Row, of page: FeedPage) throws(TidemarkError) -> StoredRecord? {
        if let name = page.name(of: row), let named = try self.store.record(named: name, in: self.collection) {
            return named
        }
        return try self.store.record(page.pk(of: row), in: self.collection)
    }

    /// Returns the record in its stored phase.
    func read(_ stored: StoredRecord) throws(TidemarkError) -> Record {
        if let record = self.exchange.sent.record(storedAs: stored) { return record }
        return try self.naming(stored.pk) { () throws(TidemarkError) in try Record(stored) }
    }

    /// Returns the record, ready to receive inputs.
    ///
    /// An upload that is in no request of this process was in a request that has ended: its outcome is unknown (R17).
    func revive(_ stored: StoredRecord) throws(TidemarkError) -> Record {
        var record = try self.read(stored)
        guard stored.phase.activity == .uploading, let upload = stored.upload, !self.configuration.readsCopy else {
            return record
        }
        guard !self.exchange.machine.request.posted.contains(where: { $0.requestID == upload.requestID }) else {
            return record
        }
        try self.naming(stored.pk) { () throws(TidemarkError) in
            _ = try record.machine.receive(.lost, self.algebra)
        }
        return record
    }

    /// Returns the uploading and unconfirmed records, without those that are known to be damaged.
    func unsettledRecords() throws(TidemarkError) -> [StoredRecord] {
        let damaged = self.damaged
        return try self.store.unsettledRecords(in: self.collection).filter {
            !damaged.contains(CodePointString($0.pk))
        }
    }

    /// Returns the idle records, without those that are known to be damaged.
    func idleRecords(limit: Int) throws(TidemarkError) -> [StoredRecord] {
        let damaged = self.damaged
        var idle = try self.store.recordsToSend(in: self.collection, limit: limit + damaged.count)
        idle.removeAll { damaged.contains(CodePointString($0.pk)) }
        idle.removeLast(max(0, idle.count - limit))
        return idle
    }
}

// MARK: - Damage

extension EngineTransaction {
    /// Adds the pk to an error about a damaged record.
    func naming<Value>(
        _ pk: String, _ body: () throws(TidemarkError) -> Value
    ) throws(TidemarkError) -> Value {
        do {
            return try body()
        } catch {
            throw error.naming(pk, in: self.collection)
        }
    }

    /// Runs the body, unless a record in it is damaged.
    ///
    /// - Returns: The damage; nil if the body ran.
    func damage(_ body: () throws(TidemarkError) -> Void) throws(TidemarkError) -> TidemarkError? {
        do {
            try body()
            return nil
        } catch {
            guard error.code == .recordDamaged else { throw error }
            return error
        }
    }

    /// Returns a record that can be sent; nil for a damaged one, which is left out of this sync.
    func undamaged(_ stored: StoredRecord) throws(TidemarkError) -> Record? {
        var record: Record?
        let damage = try self.damage { () throws(TidemarkError) in record = try self.revive(stored) }
        guard damage != nil else { return record }
        self.leaveOut(stored.pk)
        return nil
    }

    /// Returns a record by its pk; nil for a damaged one, which is left out of this sync.
    func undamaged(_ pk: String) throws(TidemarkError) -> Record? {
        guard let stored = try self.store.record(pk, in: self.collection) else { return Record(pk: pk) }
        return try self.undamaged(stored)
    }

    /// Whether a record is known to be damaged.
    func isLeftOut(_ pk: String) -> Bool { self.damaged.contains(CodePointString(pk)) }

    private var damaged: Set<CodePointString> { self.exchange.sync?.damaged ?? [] }

    /// Leaves a damaged record out of the running sync.
    func leaveOut(_ pk: String) {
        self.exchange.sync?.damaged.insert(CodePointString(pk))
    }
}
