import TidemarkJSON
import TidemarkMachine
import TidemarkRules

/// Chooses the edits to send, and fixes their bytes.
struct Outbox {
    let transaction: EngineTransaction

    /// Returns the records whose edits are due, for one POST; none if no POST is due (Contract §3.1).
    ///
    /// Without a cursor the server can't detect that the queued edits belong to another account (W8). So if the store belongs
    /// to an account, the first exchange of a collection is a GET: its answer names the account before any edit is sent.
    ///
    /// While a full resync is requested or running, no POST is due (Contract §6). Only its end shows which records the server
    /// lacks, and until then an edit could be based on a row that no longer exists. Hence only rows of the feed count as
    /// contained in the full resync, never results.
    ///
    /// - Parameter isAtEnd: Whether the sync ends if no POST is due.
    func due(isAtEnd: Bool = true) throws(TidemarkError) -> [StoredRecord] {
        let state = try self.transaction.state()
        guard !state.isResyncing else { return [] }
        if state.cursor == nil, try self.transaction.store.setting(SyncEngine.accountKey) != nil { return [] }
        return try self.batch(isAtEnd: isAtEnd)
    }

    /// Returns the edits of a POST, saved as they will be sent: as many of the records as fit.
    func freeze(_ records: [StoredRecord]) throws(TidemarkError) -> [UploadRequest] {
        let limits = self.transaction.limits
        var uploads: [UploadRequest] = []
        var (size, answerSize) = (0, 0)
        for stored in records {
            guard var record = try self.transaction.undamaged(stored) else { continue }
            let requestID = self.transaction.memory.ids.uuid()
            if let upload = record.machine.nextUpload(requestID, limits.rounds, self.transaction.recognition) {
                let bytes = record.freeze(upload, change: stored.editedData)
                // The server returns the whole record for each edit.
                let row = max(bytes.count, stored.confirmed.data?.count ?? 0)
                let fits = size + bytes.count <= limits.bodySize && answerSize + row <= limits.answerSize
                guard uploads.isEmpty || fits else { break }
                var request = UploadRequest(upload, of: record.pk, on: stored.confirmed.data, encodedEdit: bytes)
                request.members = self.transaction.members
                request.name = request.intent == .create ? nil : record.name
                uploads.append(request)
                size += bytes.count
                answerSize += row
            }
            // A change that has used all its rounds, because the limits were different when it was last sent, is held here
            // (I8).
            let input = Record.Machine.Input.send(
                requestID: requestID, roundLimit: limits.rounds, recognition: self.transaction.recognition)
            try RecordDriver(transaction: self.transaction).drive(&record, input)
            guard record.machine.upload != nil else { continue }
            self.transaction.tell(record.pk, .upload, record.machine.phase)
        }
        ReferenceRule(self.transaction)?.noteSent(Set(uploads.map { CodePointString($0.pk) }), of: records)
        return uploads
    }

    /// Returns the records of the next POST: unconfirmed ones first and alone (R17), then idle ones, in the order in which they
    /// were changed.
    private func batch(isAtEnd: Bool) throws(TidemarkError) -> [StoredRecord] {
        let all = try self.transaction.unsettledRecords()
        let unsettled = all.filter(self.hasItsTurn)
        let batch = self.transaction.exchange.machine.batch(
            unconfirmed: unsettled.map { CodePointString($0.pk) }, isWaiting: unsettled.count < all.count,
            self.transaction.exchangeLimits)
        switch batch {
        case .unconfirmed(let places): return Array(unsettled[places])
        case .idle(let limit): return try self.idle(limit: limit, isAtEnd: isAtEnd)
        case .idleOrFirst:
            if let idle = try self.idle(limit: 1, isAtEnd: true).first { return [idle] }
            return [try self.probe() ?? unsettled[0]]
        }
    }

    /// Whether a record may be sent in this sync. A change that was refused in it is sent again with the next sync, and
    /// other changes do not wait for it (Contract §3.6).
    private func hasItsTurn(_ record: StoredRecord) -> Bool {
        self.transaction.exchange.machine.postponed.tries[CodePointString(record.pk)] == nil
    }

    /// Returns the idle records that may be sent in this sync, and that wait for no other record (R26, R27).
    private func idle(limit: Int, isAtEnd: Bool) throws(TidemarkError) -> [StoredRecord] {
        if let rule = ReferenceRule(self.transaction) {
            return try rule.next(limit: limit, isAtEnd: isAtEnd, self.mayBeSent)
        }
        var idle = try self.transaction.idleRecords(
            limit: limit + self.transaction.exchange.machine.postponed.tries.count)
        idle.removeAll { !self.hasItsTurn($0) }
        idle.removeLast(max(0, idle.count - limit))
        return idle
    }

    private func mayBeSent(_ record: StoredRecord) -> Bool {
        self.hasItsTurn(record) && !self.transaction.isLeftOut(record.pk)
    }

    /// Returns a record that waits for others, but was never sent: while all others are unconfirmed, only its answer shows whether the
    /// server accepts edits (Contract §3.6).
    private func probe() throws(TidemarkError) -> StoredRecord? {
        try ReferenceRule(self.transaction)?.probe(self.mayBeSent)
    }
}

// MARK: - A dry run

extension Outbox {
    /// Returns the edits of the next POST, in their order: unconfirmed ones, or else idle ones.
    func preview() throws(TidemarkError) -> [SyncClient.PlannedUpload] {
        let (store, collection) = (self.transaction.store, self.transaction.collection)
        let unsettled = try store.unsettledRecords(in: collection)
        let idle =
            try unsettled.isEmpty
            ? self.idle(limit: self.transaction.exchangeLimits.batchSize, isAtEnd: true) : []
        var plan: [SyncClient.PlannedUpload] = []
        for stored in unsettled + idle {
            // A damaged record does not hide other records.
            _ = try self.transaction.damage { () throws(TidemarkError) in
                if let planned = try self.plan(stored) { plan.append(planned) }
            }
        }
        return plan
    }

    private func plan(_ stored: StoredRecord) throws(TidemarkError) -> SyncClient.PlannedUpload? {
        let machine = try self.transaction.revive(stored).machine
        guard let upload = machine.nextUpload("", self.transaction.limits.rounds, self.transaction.recognition),
            let state = SyncState(rawValue: upload.intent.rawValue)
        else { return nil }
        return SyncClient.PlannedUpload(
            pk: stored.pk, state: state, version: upload.version, patch: upload.change,
            requestID: upload.wasResent ? upload.requestID : nil)
    }
}

extension UploadRequest {
    /// Makes the request of an upload.
    ///
    /// - Parameter base: The content that the server confirmed. It does not change while an upload is unsettled, so the upload
    ///   was based on it.
    fileprivate init(_ upload: Record.Machine.Upload, of pk: String, on base: [UInt8]?, encodedEdit: [UInt8]) {
        let intent: Intent =
            switch upload.intent {
            case .create: .create
            case .edit: .edit
            case .delete: .delete
            }
        self.init(
            requestID: upload.requestID, pk: pk, intent: intent, version: upload.version, patch: upload.change,
            base: base,
            wasResent: upload.wasResent, encodedEdit: encodedEdit)
    }
}
