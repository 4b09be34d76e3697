import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkSimulation
import TidemarkTesting

// The properties: all that is lost is named by the guarantees that the capabilities print.

extension LesserRun {
    /// Whether the guarantees name a loss.
    private func names(_ guarantee: SyncGuarantee) -> Bool {
        if case .notKept = self.capabilities.guarantees[guarantee] { true } else { false }
    }

    /// I1: an acknowledged word is overwritten only if the guarantees name that, and only by a device that read the row before the
    /// word was written.
    ///
    /// - Parameter read: The words of the row when the device read it before the write; nil if it did not.
    func check(
        _ effect: LesserServer.Effect, of write: LesserServer.Write, by device: LesserDevice, over read: Set<Int>?,
        isCopy: Bool
    ) throws {
        let gone = SimulatedWords.found(in: effect.before?.bytes)
            .subtracting(SimulatedWords.found(in: effect.sent?.bytes))
        let lost = gone.filter { !device.mayLose($0) }
        guard !lost.isEmpty else { return }
        guard let read, lost.isDisjoint(with: read), !effect.isCurrent,
            self.names(isCopy ? .toleratesMessageLoss : .noLostUpdates)
        else {
            throw SimulationViolation(
                "I1",
                isCopy
                    ? "a late copy overwrites an acknowledged write, and no guarantee names that"
                    : "an acknowledged write is overwritten, and no guarantee names that",
                "\(SimulatedWords.text(lost)) in \(write.place.text), by \(device.name)")
        }
        self.tally.overwritten += lost.count
    }

    /// I5: an edit is sent again with its bytes.
    func check(_ request: ExchangeRequest, of device: LesserDevice) throws {
        for upload in request.uploads {
            let former = device.encodedEdits.updateValue(upload.encodedEdit, forKey: upload.requestID)
            guard former == nil || former == upload.encodedEdit else {
                throw SimulationViolation(
                    "I5", "an edit is sent again with other bytes", "“\(upload.pk)” on \(device.name)")
            }
        }
    }

    /// Checks a device's records and journal after an input (I2, I4).
    func look(at device: LesserDevice, _ collection: String) throws {
        let last = device.lastEntry[collection] ?? 0
        for entry in try device.device.store.journal(of: nil, in: collection) where entry.number > last {
            device.lastEntry[collection] = max(device.lastEntry[collection] ?? 0, entry.number)
            device.journalled.formUnion(SimulatedWords.found(in: entry.value))
            self.tell?("    \(device.name): journal \(entry.pk) \(entry.reason) \(entry.lost) \(entry.path)")
            if entry.reason == .altered { self.tally.altered += 1 }
            guard entry.reason != .altered || self.form.isRounding else {
                throw SimulationViolation(
                    "I2", "a value counts as altered that no server altered", "\(entry.pk) on \(device.name)")
            }
        }
        let records = try device.device.store.records(
            in: collection, states: Set(SyncState.allCases), after: nil, limit: 1_000)
        var unsent: Set<Int> = []
        for record in records {
            unsent.formUnion(SimulatedWords.found(in: record.upload?.edit))
            unsent.formUnion(SimulatedWords.found(in: record.editedData))
            let place = SimulationStep.Place(collection: collection, pk: record.pk)
            guard record.confirmed.data == nil || self.versions[place]?.contains(record.confirmed) == true else {
                throw SimulationViolation(
                    "I4", "confirmed data was never sent by the server", "\(place.text) on \(device.name)")
            }
        }
        device.pending = device.pending.filter { word, _ in
            !self.acknowledged.contains(word) && !device.journalled.contains(word)
        }
        let lost = device.pending.filter { $0.value == collection && !unsent.contains($0.key) }.keys
        guard lost.isEmpty else {
            throw SimulationViolation(
                "I2", "a value that was written is lost",
                "\(SimulatedWords.text(lost)) in \(collection) on \(device.name)")
        }
    }

    /// I3, I6: once the changes were read to their end, every record without a local change is as on the server. A late row may
    /// still be read with the overlap.
    ///
    /// - Parameter rows: The server's rows when it answered.
    func check(
        _ device: LesserDevice, after answer: ExchangeAnswer, of collection: String,
        _ rows: [SimulationStep.Place: StoredVersion]
    ) throws {
        let state = try device.device.store.state(of: collection)
        guard !answer.hasMore, !state.isResyncing, state.cursor == answer.cursor else { return }
        // A full resync contains the records of its results, and the next one shows that another device deleted one meanwhile.
        guard self.form.feed != .list || answer.results.isEmpty else { return }
        let end = answer.cursor.split(separator: "+").last.flatMap { Int($0) } ?? 0
        func isYetToCome(_ version: String?) -> Bool {
            self.form.feed == .late && version.flatMap { Int($0) } ?? 0 >= end - LesserForm.overlap
        }
        for (place, version) in rows where place.collection == collection && !isYetToCome(version.version) {
            let record = try device.device.store.record(place.pk, in: collection)
            guard Self.hasApplied(version, record) else {
                throw SimulationViolation(
                    "I6", "the cursor passes a row that is not applied", "\(place.text) on \(device.name)")
            }
        }
        for record in try device.device.store.records(in: collection, states: [.synced], after: nil, limit: 1_000) {
            let row = rows[SimulationStep.Place(collection: collection, pk: record.pk)]
            guard row?.data != nil || isYetToCome(row?.version) else {
                throw SimulationViolation(
                    "I3", "a record that the server lacks stays on a device",
                    "\(collection) \(record.pk) on \(device.name)")
            }
        }
    }

    private static func hasApplied(_ version: StoredVersion, _ record: StoredRecord?) -> Bool {
        switch record?.phase {
        case .synced?: record?.confirmed == version
        case nil: version.data == nil
        case .absent?, .edited?, .created?, .deleted?: true
        }
    }

    // MARK: The end

    /// Ends all faults, and checks that all devices agree with the server.
    func end() async throws {
        while !self.late.isEmpty { try self.arrive(self.late.removeFirst()) }
        for device in self.devices {
            while !device.flights.isEmpty { try await self.carry(device, 0, .whole) }
        }
        var trouble: SimulationViolation?
        for _ in 0..<(6 + 2 * self.devices.count) {
            for device in self.devices { try await self.pacify(device) }
            trouble = try self.disagreement()
            if trouble == nil { break }
        }
        if let trouble { throw trouble }
        // A page in the overlap may have three rows only.
        let pages = self.form.feed == .late ? 3 + self.server.stored.count : 2
        for device in self.devices {
            for collection in SimulationSetting.collections {
                let before = self.requests
                try await self.sync(device, collection)
                guard device.device.reports.last?.outcome == .inSync, self.requests <= before + pages else {
                    throw SimulationViolation(
                        "I8", "a device in sync sends more requests",
                        "\(self.requests - before) requests of \(device.name)")
                }
            }
        }
        for (place, version) in self.server.stored.sorted(by: { $0.key.text < $1.key.text }) {
            self.digest.add("\(place.text) \(version.version ?? "")")
            self.digest.add(version.data ?? [])
        }
        self.tally.lateRows = self.server.lateRows
        self.tally.alterations = self.server.alterations
    }

    private func pacify(_ device: LesserDevice) async throws {
        device.clock.advance(by: .seconds(400))
        self.server.advance(by: 400_000)
        for collection in SimulationSetting.collections {
            let failure = device.device.reports.last { $0.collection == collection }?.failure
            if failure?.failureClass != .auth { try await self.renew(device, collection) }
            for conflict in try device.device.engine.conflicts(in: collection) {
                try await self.input(device, collection) { (engine) throws(TidemarkError) in
                    try engine.resolve(conflict, .clashes(.client)).effects
                }
            }
            for record in try device.device.store.waitingRecords(in: collection) where record.phase.activity == .held {
                try await self.input(device, collection) { (engine) throws(TidemarkError) in
                    try engine.retry(record.pk, in: collection)
                }
            }
            while !device.flights.isEmpty { try await self.carry(device, 0, .whole) }
            try await self.sync(device, collection)
        }
    }

    /// I3: each device has the server's records, and nothing is pending.
    private func disagreement() throws -> SimulationViolation? {
        let stored = self.server.stored
        for device in self.devices {
            for collection in SimulationSetting.collections {
                let records = try device.device.store.records(
                    in: collection, states: Set(SyncState.allCases), after: nil, limit: 1_000)
                for record in records {
                    let place = SimulationStep.Place(collection: collection, pk: record.pk)
                    guard record.phase == .synced, record.confirmed == stored[place] else {
                        return SimulationViolation(
                            "I3",
                            record.phase == .synced ? "devices do not agree in the end" : "a record never settles",
                            "\(place.text) is \(record.phase) on \(device.name)")
                    }
                    guard try self.view(place, device)?.bytes == record.confirmed.data else {
                        return SimulationViolation(
                            "I3", "a view is not the server's row", "\(place.text) on \(device.name)")
                    }
                }
                let quarantined = try device.device.store.quarantinedItems(in: collection)
                let live = stored.count { $0.key.collection == collection && $0.value.data != nil }
                guard records.count == live, quarantined.isEmpty else {
                    return SimulationViolation(
                        "I3", "devices do not agree in the end",
                        "\(collection) has \(records.count) records on \(device.name), and \(live) on the server")
                }
            }
        }
        return nil
    }
}
