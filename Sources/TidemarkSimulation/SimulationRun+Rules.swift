import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules

// Rules about single transitions, which the final state can't show.

extension SimulationRun {
    /// Checks a committed transition.
    func follow(_ trace: RecordTrace, after former: RecordTrace?, on device: SimulatedDevice) throws {
        let place = SimulationStep.Place(collection: trace.collection, pk: trace.pk)
        try self.followRefusals(trace, of: place, on: device)
        try self.checkDeletePolicy(trace, of: place, on: device)
        switch trace.event {
        case .clashed, .gone:
            try self.checkStaysHeld(trace, on: device)
            let isAnswer = former?.event == .conflicted && former?.pk == trace.pk
            guard isAnswer, trace.event == .clashed || trace.source.state == .edited else { return }
            device.rounds[place, default: 0] += 1
        case .sent:
            // An upload that is sent again for lack of an answer does not count as a round.
            guard trace.source.activity == .idle, device.rounds[place, default: 0] >= self.setting.rounds else {
                return
            }
            throw SimulationViolation(
                "§3.3", "a change that conflicted too often is sent again", "\(place.text) on \(device.name)")
        case .exhausted: try self.checkHold(of: place, on: device)
        case .rebased:
            try self.checkUnion(in: place, on: device)
            try self.forgetDroppedWhereGone(place, device)
        case .refused: try self.checkRefusal(of: place, on: device)
        case .conflicted, .escalatedToUser, .stale, .seen, .lost, .idempotencyLost, .repeated, .refusedEarlier,
            .refusedUnconfirmed, .revived:
            return
        // The record is created again, and has no common base.
        case .recreated: device.dropped[place] = nil
        case .edited, .editedUnconfirmed, .retried, .resumed: device.rounds[place] = nil
        case .created, .createdAgain, .createdUnconfirmed, .createdAgainUnconfirmed, .deleted, .deletedUnconfirmed,
            .accepted,
            .acceptedEarlier, .acceptedGone, .acceptedThenDeleted, .adopted, .converged, .cancelledCreateRefused,
            .refreshed,
            .erased,
            .reverted, .discarded, .resigned, .abandoned, .createAbandoned:
            device.rounds[place] = nil
            device.dropped[place] = nil
        }
    }

    /// The policy decides between an edit and a deletion. If it always lets the deletion win, no tactic is asked.
    private func checkDeletePolicy(
        _ trace: RecordTrace, of place: SimulationStep.Place, on device: SimulatedDevice
    ) throws {
        guard self.isDrawn, !self.isDeciding, self.setting.tactic == .autoMerge,
            place.collection != SimulationSetting.counts,
            trace.source.activity == .deciding
        else { return }
        let rule: String
        switch (trace.source.state, trace.event) {
        case (.edited, .recreated) where self.setting.editDelete == .deleteWins: rule = "R14"
        case (.deleted, .adopted) where self.setting.deleteEdit == .deleteWins: rule = "R15"
        case _: return
        }
        throw SimulationViolation(
            rule, "an edit wins although the policy lets the deletion win", "\(place.text) on \(device.name)")
    }

    /// Contract §1: a held record is not sent until the app or the user acts, whatever the server sends.
    private func checkStaysHeld(_ trace: RecordTrace, on device: SimulatedDevice) throws {
        guard trace.source.activity == .held, trace.target.activity == .idle else { return }
        throw SimulationViolation(
            "§1", "a held record is sent by itself", "\(trace.collection) \(trace.pk) on \(device.name)")
    }

    /// Contract §3.3: contention alone never holds a record.
    private func checkHold(of place: SimulationStep.Place, on device: SimulatedDevice) throws {
        guard let hold = try device.store.record(place.pk, in: place.collection)?.hold,
            let json = try? JSON(parsing: hold)
        else { return }
        if json["cause"]?.string == "alone" { try self.checkBlame(for: place, on: device) }
        guard json["cause"]?.string == "rounds", device.rounds[place, default: 0] < self.setting.rounds
        else { return }
        throw SimulationViolation(
            "§3.3", "a change is held for conflicts that did not happen", "\(place.text) on \(device.name)")
    }

    /// R8: a delete is not held because the record is missing on the server.
    private func checkRefusal(of place: SimulationStep.Place, on device: SimulatedDevice) throws {
        guard let record = try device.store.record(place.pk, in: place.collection), record.phase.state == .deleted,
            let hold = record.hold, let json = try? JSON(parsing: hold), json.status?.int == 404
        else { return }
        throw SimulationViolation(
            "R8", "a delete of a missing record is held", "\(place.text) on \(device.name)")
    }

    // MARK: Unions

    /// Stores that the user removed an element of the common base from a field that is a union.
    func noteDropped(
        _ words: Set<Int>, _ place: SimulationStep.Place, _ field: String, after record: StoredRecord?,
        _ device: SimulatedDevice
    ) throws {
        guard field == SimulationSetting.Field.tags.pointer, self.setting.rules[.tags] == .union,
            self.setting.tactic == .autoMerge, let record, record.upload == nil
        else { return }
        // If the store failed, nothing was removed.
        let shown = SimulatedWords.found(in: try self.view(place, device)?.bytes)
        device.dropped[place, default: []].formUnion(
            words.intersection(SimulatedWords.found(in: record.confirmed.data)).subtracting(shown))
    }

    private func checkUnion(in place: SimulationStep.Place, on device: SimulatedDevice) throws {
        // Values that a rolled back server lost may be sent again.
        guard self.isSumKnown, !self.sentTwice.contains(place), let dropped = device.dropped[place], !dropped.isEmpty,
            let view = try device.engine.snapshot(of: place.pk, in: place.collection)?.content
        else { return }
        let back = dropped.subtracting(self.restored).intersection(SimulatedWords.found(in: view.tags?.bytes))
        try SimulationViolation.unless(
            back.isEmpty, "§4", "a union restores a removed element",
            "\(SimulatedWords.text(back)) in \(place.text) on \(device.name)")
    }

    /// Forgets removed elements if the whole field was removed: a new field has no common base.
    private func forgetDroppedWhereGone(_ place: SimulationStep.Place, _ device: SimulatedDevice) throws {
        guard let data = try device.store.record(place.pk, in: place.collection)?.confirmed.data,
            try JSON(parsing: data).tags == nil
        else { return }
        device.dropped[place] = nil
    }

    // MARK: Verdicts

    /// I2: a value that only one side changed, and that a verdict leaves out, is in a journal.
    func checkLeftOut(by conflict: RecordConflict, _ device: SimulatedDevice) throws {
        let sides = SimulatedWords.found(in: conflict.server?.bytes)
            .union(SimulatedWords.found(in: conflict.client?.bytes))
            .subtracting(SimulatedWords.found(in: conflict.base?.bytes))
        let shown = try self.visibleWords(conflict.collection, device).values.reduce(into: Set<Int>()) {
            $0.formUnion($1)
        }
        let lost = sides.subtracting(shown).subtracting(device.journalled).subtracting(device.takenBack)
        try SimulationViolation.unless(
            lost.isEmpty, "I2", "a verdict leaves out a value that is in no journal",
            "\(SimulatedWords.text(lost)) in \(conflict.collection) \(conflict.pk) on \(device.name)")
    }

    // MARK: Requests

    /// Contract §3.1: after a POST that failed as a whole the next try begins with a GET.
    func checkReading(before request: ExchangeRequest, of device: SimulatedDevice) throws {
        guard !request.uploads.isEmpty else {
            device.mustRead.remove(request.collection)
            return
        }
        // Contract §3.1: the queue belongs to the account that made it.
        try SimulationViolation.unless(
            !device.uncertainCollections.contains(request.collection), "§3.1",
            "an edit is sent with credentials of an unknown account", "\(request.collection) on \(device.name)")
        try SimulationViolation.unless(
            !device.mustRead.contains(request.collection), "§3.1",
            "a failed POST is followed by another one without a GET", "\(request.collection) on \(device.name)")
    }

    // MARK: A new version of the app

    /// Installs a version of the app that writes edits differently. Uploads of the former version are sent again with the same
    /// bytes (I5).
    func respell(_ device: SimulatedDevice) throws {
        device.store.failNoMore()
        for collection in SimulationSetting.allCollections {
            let states: Set<SyncState> = [.edited, .created, .deleted]
            for record in try device.store.records(in: collection, states: states, after: nil, limit: 1_000) {
                var record = record
                guard var upload = record.upload, upload.edit.first == UInt8(ascii: "{") else { continue }
                upload.edit.insert(UInt8(ascii: " "), at: 1)
                record.upload = upload
                device.encodedEdit[upload.requestID] = upload.edit
                let spelled = record
                try device.store.transaction { () throws(TidemarkError) in
                    try device.store.save(spelled, in: collection)
                }
            }
        }
        try self.restart(device)
    }
}
