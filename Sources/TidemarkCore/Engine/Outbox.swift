import TidemarkJSON
import TidemarkMachine
import TidemarkRules

/// Chooses what is sent, and freezes it.
struct Outbox {
    let turn: Turn

    /// Whether a POST is due (SPEC §3.1).
    ///
    /// Without a watermark the server can't tell that another account made the queue (W8), so where the store belongs to
    /// an account, the first exchange of a collection is a GET: its answer names the account before anything is sent.
    ///
    /// While a full resync is requested or running nothing is due (SPEC §6). Only its end shows what the server lacks,
    /// and until then an edit would be made on a row that may be gone. So no result ever has to count as listed: a row
    /// that the feed shows does, and nothing else. It holds nothing back that could go out, since the answer to a POST
    /// brings the very page that can't be had.
    func hasSomethingToSend() throws(TidemarkError) -> Bool {
        let state = try self.turn.state()
        guard !state.isResyncing else { return false }
        if state.watermark == nil, try self.turn.store.setting(SyncEngine.accountKey) != nil { return false }
        guard try !self.turn.unsettledRecords().contains(where: self.hasItsTurn) else { return true }
        return try !self.idle(limit: 1).isEmpty
    }

    /// What goes into the next POST, saved before it is sent: what is unconfirmed first and alone (R17), then what is idle, in
    /// the order in which it was changed.
    func take() throws(TidemarkError) -> [UploadRequest] {
        let limits = self.turn.limits
        var uploads: [UploadRequest] = []
        var (size, answerSize) = (0, 0)
        for stored in try self.chosen() {
            guard var record = try self.turn.undamaged(stored) else { continue }
            let requestID = self.turn.memory.ids.uuid()
            if let upload = record.machine.nextUpload(requestID, limits.rounds, self.turn.recognition) {
                let bytes = record.freeze(upload, change: stored.editedData)
                // The server answers each edit with the whole record.
                let row = max(bytes.count, stored.confirmed.data?.count ?? 0)
                let fits = size + bytes.count <= limits.bodySize && answerSize + row <= limits.answerSize
                guard uploads.isEmpty || fits else { break }
                var request = UploadRequest(upload, of: record.pk, on: stored.confirmed.data, frozen: bytes)
                request.members = self.turn.members
                request.name = request.intent == .create ? nil : record.name
                uploads.append(request)
                size += bytes.count
                answerSize += row
            }
            // One that has used up its tries, by limits that were others when it was last sent, is held by this (I8).
            let input = Record.Machine.Input.send(
                requestID: requestID, roundLimit: limits.rounds, recognition: self.turn.recognition)
            try RecordDriver(turn: self.turn).drive(&record, input)
            guard record.machine.upload != nil else { continue }
            self.turn.tell(record.pk, .upload, record.machine.phase)
        }
        return uploads
    }

    /// The records that the next POST carries, if they fit.
    private func chosen() throws(TidemarkError) -> [StoredRecord] {
        let all = try self.turn.unsettledRecords()
        let unsettled = all.filter(self.hasItsTurn)
        let batch = self.turn.exchange.machine.batch(
            unconfirmed: unsettled.map { CodePointString($0.pk) }, isWaiting: unsettled.count < all.count,
            self.turn.exchangeLimits)
        switch batch {
        case .unconfirmed(let places): return Array(unsettled[places])
        case .idle(let limit): return try self.idle(limit: limit)
        case .idleOrFirst: return [try self.idle(limit: 1).first ?? unsettled[0]]
        }
    }

    /// Whether a record may go out in this sync. What was refused in it is sent again with the next, and the others do not wait for
    /// that one (SPEC §3.6).
    private func hasItsTurn(_ record: StoredRecord) -> Bool {
        self.turn.exchange.machine.postponed.tries[CodePointString(record.pk)] == nil
    }

    /// What is idle and has its turn.
    private func idle(limit: Int) throws(TidemarkError) -> [StoredRecord] {
        let idle = try self.turn.idleRecords(limit: limit + self.turn.exchange.machine.postponed.tries.count)
        return Array(idle.filter(self.hasItsTurn).prefix(limit))
    }
}

// MARK: - A dry run

extension Outbox {
    /// What the next POST would send, in its order: what is unconfirmed, or else what is idle.
    func preview() throws(TidemarkError) -> [PlannedUpload] {
        let (store, collection) = (self.turn.store, self.turn.collection)
        let unsettled = try store.unsettledRecords(in: collection)
        let idle =
            try unsettled.isEmpty ? store.recordsToSend(in: collection, limit: self.turn.exchangeLimits.batchSize) : []
        var plan: [PlannedUpload] = []
        for stored in unsettled + idle {
            // One that is damaged hides no other.
            _ = try self.turn.damage { () throws(TidemarkError) in
                if let planned = try self.plan(stored) { plan.append(planned) }
            }
        }
        return plan
    }

    private func plan(_ stored: StoredRecord) throws(TidemarkError) -> PlannedUpload? {
        let machine = try self.turn.revive(stored).machine
        guard let upload = machine.nextUpload("", self.turn.limits.rounds, self.turn.recognition),
            let state = SyncState(rawValue: upload.intent.rawValue)
        else { return nil }
        return PlannedUpload(
            pk: stored.pk, state: state, stamp: upload.stamp, patch: upload.change,
            requestID: upload.wasResent ? upload.requestID : nil)
    }
}

extension UploadRequest {
    /// An upload as it goes out.
    ///
    /// - Parameter base: What the server confirmed. It does not move while an upload is unsettled, so it is what the upload was
    ///   made on.
    fileprivate init(_ upload: Record.Machine.Upload, of pk: String, on base: [UInt8]?, frozen: [UInt8]) {
        let intent: Intent =
            switch upload.intent {
            case .create: .create
            case .edit: .edit
            case .delete: .delete
            }
        self.init(
            requestID: upload.requestID, pk: pk, intent: intent, version: upload.stamp, patch: upload.change,
            base: base,
            wasResent: upload.wasResent, frozen: frozen)
    }
}
