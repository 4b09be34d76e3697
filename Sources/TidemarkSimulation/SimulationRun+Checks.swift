import TidemarkCore
import TidemarkMachine
import TidemarkRules
import TidemarkTesting

// The invariants after each step, from a model of the user's input and of the server's rows.

extension SimulationRun {
    /// R17, I5: an edit is saved before it is sent, and sent again as it was, alone.
    func look(
        at outgoing: StoredDevice<FaultyStore>.Outgoing, of device: SimulatedDevice
    ) throws {
        let request = outgoing.request
        device.awaited[request.collection] = outgoing.token
        try self.checkReading(before: request, of: device)
        if !request.uploads.isEmpty { device.posts[request.collection, default: 0] += 1 }
        self.digest.add(request.collection)
        self.digest.add(request.cursor ?? "")
        var (isNew, isAgain) = (false, false)
        for (index, upload) in request.uploads.enumerated() {
            self.digest.add(upload.encodedEdit)
            if device.firstSent[upload.requestID] == nil {
                device.firstSent[upload.requestID] = (device.posts[request.collection, default: 0], index)
            }
            let former = device.encodedEdit.updateValue(upload.encodedEdit, forKey: upload.requestID)
            if former == nil { isNew = true } else { isAgain = true }
            try SimulationViolation.unless(
                former == nil || former == upload.encodedEdit, "I5", "an edit is sent again with other bytes",
                "“\(upload.pk)” on \(device.name)")
            let stored = try device.store.record(upload.pk, in: request.collection)
            try SimulationViolation.unless(
                stored?.upload?.requestID == upload.requestID && stored?.phase.activity == .uploading, "R17",
                "an edit is sent that was not saved before", "“\(upload.pk)” on \(device.name)")
        }
        try self.checkBatch(request, isNew: isNew, of: device)
        if self.setting.references > 0, isNew { try self.foresee(request, of: device) }
        try SimulationViolation.unless(
            !isNew || !isAgain, "R17", "a repeated upload is sent together with new ones",
            "\(request.collection) on \(device.name)")
        // An edit alone may be sent to find out whether the server takes any edit, if others failed alone (Contract §3.6).
        guard isNew, request.uploads.count > 1 else { return }
        for record in try device.store.unsettledRecords(in: request.collection)
        where record.phase.activity == .unconfirmed {
            throw SimulationViolation(
                "R17", "an edit is sent before an unconfirmed one", "“\(record.pk)” on \(device.name)")
        }
    }

    /// Checks a device's records and journal after each input.
    ///
    /// - Parameter isVoid: Whether the input had no effect, as when the store failed.
    func look(at device: SimulatedDevice, _ collection: String, isVoid: Bool = false) throws {
        let traces = device.device.traces
        for (index, trace) in traces.enumerated().dropFirst(device.tracesSeen) {
            self.tell?("    \(device.name): \(trace.pk) \(trace.event), \(trace.source) → \(trace.target)")
            let expected: RecordPhase? =
                switch trace.source.transition(on: trace.event) {
                case .move(let target, _): target
                case .stay: trace.source
                case .impossible: nil
                }
            try SimulationViolation.unless(
                trace.target == expected, "R24", "a transition is not in the table", "\(trace)")
            guard !isVoid else { continue }
            try self.follow(trace, after: index > 0 ? traces[index - 1] : nil, on: device)
            try self.checkLeftOpen(trace, after: traces[device.tracesSeen..<index], on: device)
        }
        device.tracesSeen = traces.count
        let writes = device.store.takeWrites()
        (device.erased, device.written) = (writes.erased, writes.entries)
        for (collection, entry) in writes.entries {
            device.entries[collection, default: []].append(entry.number)
            device.journalled.formUnion(SimulatedWords.found(in: entry.value))
            if entry.reason != .merge, entry.reason != .replaced { device.discards += 1 }
            self.tell?(
                "    \(device.name): journal \(entry.pk) \(entry.reason) \(entry.lost) \(entry.path) \(String(decoding: entry.value ?? [], as: UTF8.self))"
            )
            // A device that has the value sends it again, also if the device that wrote it has discarded it.
            if self.setting.rollbackPolicy == .sendAgain, entry.reason == .serverRolledBack {
                self.restored.formUnion(SimulatedWords.found(in: entry.value))
            }
            self.digest.add("\(device.name) \(collection) \(entry.pk) \(entry.reason) \(entry.path)")
            try self.check(entry, in: collection, on: device)
        }
        for (collection, pks) in writes.pks.sorted(by: { $0.key < $1.key }) {
            for pk in pks.sorted() {
                let record = try device.store.record(pk, in: collection)
                try self.check(record, in: collection, on: device)
                self.queue(record, .init(collection: collection, pk: pk), on: device)
            }
        }
        if !writes.pks.isEmpty || !writes.entries.isEmpty { try self.checkWords(of: device, collection) }
        if (1...Self.shortTrace).contains(self.setting.traceLimit) { try self.checkTrace(of: device) }
    }

    /// I4, I5.
    private func check(_ record: StoredRecord?, in collection: String, on device: SimulatedDevice) throws {
        guard let record else { return }
        self.digest.add("\(record.pk) \(record.phase)")
        let place = SimulationStep.Place(collection: collection, pk: record.pk)
        if record.confirmed.data != nil {
            try SimulationViolation.unless(
                self.server.versions[place]?.contains(record.confirmed) == true, "I4",
                "confirmed data was never sent by the server", "\(place.text) on \(device.name)")
        }
    }

    /// I2: each word that was written is pending, acknowledged or in the journal.
    func checkWords(of device: SimulatedDevice, _ collection: String) throws {
        device.pending = device.pending.filter { word, _ in
            !self.server.acknowledged.contains(word) && !device.journalled.contains(word)
        }
        let awaited = device.pending.filter { $0.value == collection }
        guard !awaited.isEmpty else { return }
        var there: Set<Int> = []
        for record in try device.store.records(
            in: collection, states: [.edited, .created, .deleted], after: nil, limit: 1_000)
        {
            there.formUnion(SimulatedWords.found(in: record.upload?.edit))
            there.formUnion(SimulatedWords.found(in: record.editedData))
        }
        let lost = awaited.keys.filter { !there.contains($0) }
        try SimulationViolation.unless(
            lost.isEmpty, "I2", "a value that was written is lost",
            "\(SimulatedWords.text(lost)) in \(collection) on \(device.name)")
    }

    /// I3, I6: once a feed was read to its end, every record without a local change is as on the server.
    ///
    /// - Parameters:
    ///   - device: The device that has read it.
    ///   - collection: The collection of the feed.
    ///   - page: The answer.
    ///   - cursor: The cursor of the request.
    ///   - ledger: The server's rows at that time.
    func check(
        _ device: SimulatedDevice, _ collection: String, after page: ExchangeAnswer, to cursor: String?,
        _ ledger: ServerLedger
    ) throws {
        for row in page.page.rows {
            let place = SimulationStep.Place(collection: collection, pk: page.page.pk(of: row))
            if row.data.isEmpty { device.shownDeleted.insert(place) } else { device.shownDeleted.remove(place) }
        }
        for pk in device.erased.sorted() {
            // A record that the answer to an earlier request removes may have been created again after that request.
            let place = SimulationStep.Place(collection: collection, pk: pk)
            let isShown = page.page.rows.contains { page.page.pk(of: $0) == pk } || !page.results.isEmpty
            let isKnown = isShown || device.shownDeleted.contains(place)
            try SimulationViolation.unless(
                isKnown || ledger.rows[place]?.data == nil, "§6", "a record that the server has is dropped",
                "\(place.text) on \(device.name)")
        }
        let state = try device.store.state(of: collection)
        guard !page.hasMore, page.failure == nil, !state.isResyncing, state.cursor == page.cursor else { return }
        // A list contains the records of the results, and the next one shows that another device deleted one meanwhile.
        let form = self.server.lesser?.form
        guard form?.feed != .list || page.results.isEmpty else { return }
        func isYetToCome(_ version: String?) -> Bool { form?.isYetToCome(version, after: page.cursor) ?? false }
        // If an upload was discarded meanwhile, and the cursor has not moved, the next page shows whether a row is lost.
        guard page.results.isEmpty || page.cursor != cursor else { return }
        let quarantined = Set(try device.store.quarantinedItems(in: collection).map(\.pk))
        // The cursor passes no malformed item before it is quarantined.
        guard page.page.malformed.allSatisfy({ quarantined.contains($0.pk) }) else { return }
        for (place, version) in ledger.rows where place.collection == collection && !quarantined.contains(place.pk) {
            if isYetToCome(version.version) { continue }
            let record = try device.store.record(place.pk, in: collection)
            try SimulationViolation.unless(
                Self.hasApplied(version, record), "I6", "the cursor passes a row that is not applied",
                "\(place.text) on \(device.name)")
        }
        for record in try device.store.records(in: collection, states: [.synced], after: nil, limit: 1_000) {
            let row = ledger.rows[SimulationStep.Place(collection: collection, pk: record.pk)]
            try SimulationViolation.unless(
                row?.data != nil || isYetToCome(row?.version), "I3", "a record that the server lacks stays on a device",
                "\(collection) \(record.pk) on \(device.name)")
        }
    }

    /// Whether a device that has read the feed to its end has applied a row. A record with a local change may have any
    /// confirmed version.
    static func hasApplied(_ version: StoredVersion, _ record: StoredRecord?) -> Bool {
        switch record?.phase {
        case .synced?: record?.confirmed == version
        case nil: version.data == nil
        case .absent?, .edited?, .created?, .deleted?: true
        }
    }
}
