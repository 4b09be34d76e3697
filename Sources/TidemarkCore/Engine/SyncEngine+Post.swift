import TidemarkJSON
import TidemarkMachine

// What goes into a request.

extension SyncEngine {
    /// Whether a POST is due (SPEC §3.1).
    ///
    /// Without a watermark the server can't tell that another account made the queue (W8), so where the store belongs to
    /// an account, the first exchange of a collection is a GET: its answer names the account before anything is sent.
    ///
    /// While a listing from the start is under way nothing is due (SPEC §6). Only its end shows what the server lacks,
    /// and until then an edit would be made on a row that may be gone. So no result ever has to count as listed: a row
    /// that the feed shows does, and nothing else. It holds nothing back that could go out, since the answer to a POST
    /// brings the very page that can't be had.
    func hasSomethingToSend(in collection: String) throws(TidemarkError) -> Bool {
        let state = try self.store.state(of: collection)
        guard !state.isListing else { return false }
        let isFirst = state.watermark == nil
        if isFirst, try self.store.setting(Self.accountKey) != nil { return false }
        guard try self.unsettledRecords(in: collection).isEmpty else { return true }
        return try !self.idle(in: collection, limit: 1).isEmpty
    }

    /// Chooses what to send, saves it, and sends it: what is unconfirmed first and alone (R17), then what is idle, in
    /// the order in which it was changed.
    func post(_ collection: String, _ effects: inout [Effect]) throws(TidemarkError) {
        let limits = self.configuration.limits
        var edits: [[UInt8]] = []
        var posted: [String: String] = [:]
        var size = 0
        var answerSize = 0
        for stored in try self.chosen(in: collection) {
            guard var record = try self.undamaged(stored, in: collection) else { continue }
            let before = record
            let requestID = self.memory.generator.uuid()
            let input = Record.Machine.Input.send(
                requestID: requestID, roundLimit: limits.rounds, recognition: .byAnswer)
            guard let edit = try self.edit(of: &record, input, in: collection) else {
                // It has used up its tries, by limits that were others when it was last sent: it is held, and not chosen
                // again (I8).
                record = before
                try self.drive(&record, input, in: collection, &effects)
                continue
            }
            // The server answers each edit with the whole record.
            let row = max(edit.count, stored.confirmed.data?.count ?? 0)
            let fits = size + edit.count <= limits.bodySize && answerSize + row <= limits.answerSize
            guard edits.isEmpty || fits else { break }
            record = before
            try self.drive(&record, input, in: collection, &effects)
            guard let upload = record.machine.upload else { continue }
            posted[upload.requestID] = record.pk
            self.tellUpload(of: record, in: collection, &effects)
            edits.append(edit)
            size += edit.count
            answerSize += row
        }
        try self.send(edits, of: posted, in: collection, &effects)
    }

    /// The records that the next POST carries, if they fit.
    ///
    /// Where several failed alone and nothing went through, each try sends one, and each time the next one: that finds
    /// out whether the server takes anything again, and no record stands before the others for ever. Only then does
    /// what is idle have its turn while something is unconfirmed (SPEC §3.6: one bad record never blocks the others).
    private func chosen(in collection: String) throws(TidemarkError) -> [StoredRecord] {
        let exchange = self.exchange(of: collection)
        let count = exchange.batchSize ?? self.configuration.limits.batchSize
        let unsettled = try self.unsettledRecords(in: collection)
        guard let first = unsettled.first else { return try self.idle(in: collection, limit: count) }
        guard let last = exchange.loners.last, exchange.loners.areSeveral else { return Array(unsettled.prefix(count)) }
        let place = unsettled.firstIndex { CodePointString($0.pk) == CodePointString(last) }
        let next = place.map { $0 + 1 } ?? 0
        guard next == unsettled.count else { return [unsettled[next]] }
        return [try self.idle(in: collection, limit: 1).first ?? first]
    }

    /// What waits for its turn, without what was refused in this sync and is sent again with the next.
    private func idle(in collection: String, limit: Int) throws(TidemarkError) -> [StoredRecord] {
        let postponed = self.exchange(of: collection).postponed
        let idle = try self.idleRecords(in: collection, limit: limit + postponed.count)
        return Array(idle.filter { postponed[CodePointString($0.pk)] == nil }.prefix(limit))
    }

    /// The bytes that a record would send.
    private func edit(
        of record: inout Record, _ input: Record.Machine.Input, in collection: String
    ) throws(TidemarkError) -> [UInt8]? {
        _ = try record.machine.receive(input, self.algebra(of: collection))
        return record.machine.upload.map { record.edit(of: $0) }
    }

    func send(
        _ edits: [[UInt8]], of posted: [String: String], in collection: String, _ effects: inout [Effect]
    ) throws(TidemarkError) {
        var exchange = self.exchange(of: collection)
        self.memory.tokens += 1
        exchange.token = self.memory.tokens
        exchange.posted = posted
        exchange.report?.requests += 1
        self.keep(exchange, of: collection)
        let request = ExchangeRequest(
            collection: collection, edits: edits, watermark: try self.store.state(of: collection).watermark,
            limit: exchange.pageSize ?? self.configuration.limits.pageSize,
            countsRows: exchange.report?.requests == 1)
        effects.append(.progress(exchange.progress(of: collection, isOver: false)))
        effects.append(.send(request, ExchangeToken(collection: collection, number: exchange.token)))
    }
}
