import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules

// Rules about how something comes to be, which the end can't show.

extension SimulationRun {
    /// Follows a transition that was committed.
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
            // What is sent again for want of an answer makes no round.
            guard trace.source.activity == .idle, device.rounds[place, default: 0] >= self.setting.rounds else {
                return
            }
            throw SimulationViolation(
                "§3.3", "a change clashes again and again, and goes out once more", "\(place.text) on \(device.name)")
        case .exhausted: try self.checkHold(of: place, on: device)
        case .rebased:
            try self.checkUnion(in: place, on: device)
            try self.forgetDroppedWhereGone(place, device)
        case .refused: try self.checkRefusal(of: place, on: device)
        case .conflicted, .undecided, .stale, .seen, .lost, .forgotten, .repeated, .refusedEarlier,
            .refusedInDoubt, .revived:
            return
        // It is made anew, and has no base that both sides know.
        case .recreated: device.dropped[place] = nil
        case .edited, .editedInDoubt, .released, .resumed: device.rounds[place] = nil
        case .created, .createdAgain, .createdInDoubt, .createdAgainInDoubt, .deleted, .deletedInDoubt, .accepted,
            .acceptedEarlier, .acceptedGone, .acceptedThenDeleted, .adopted, .converged, .dissolved, .refreshed,
            .erased,
            .reverted, .discarded, .resigned, .abandoned, .withdrawn:
            device.rounds[place] = nil
            device.dropped[place] = nil
        }
    }

    /// What an edit is against a deletion is for the policy to say. Where it always says that the deletion wins, nobody else is
    /// asked.
    private func checkDeletePolicy(
        _ trace: RecordTrace, of place: SimulationStep.Place, on device: SimulatedDevice
    ) throws {
        guard self.isDrawn, self.setting.tactic == .autoMerge, place.collection != SimulationSetting.counts,
            trace.source.activity == .deciding
        else { return }
        let rule: String
        switch (trace.source.state, trace.event) {
        case (.edited, .recreated) where self.setting.editDelete == .deleteWins: rule = "R14"
        case (.deleted, .adopted) where self.setting.deleteEdit == .deleteWins: rule = "R15"
        case _: return
        }
        throw SimulationViolation(rule, "an edit wins where the deletion was to win", "\(place.text) on \(device.name)")
    }

    /// SPEC §1: what is held is not sent until the app or a person decides, whatever comes from the server.
    private func checkStaysHeld(_ trace: RecordTrace, on device: SimulatedDevice) throws {
        guard trace.source.activity == .held, trace.target.activity == .idle else { return }
        throw SimulationViolation(
            "§1", "what is held is sent by itself", "\(trace.collection) \(trace.pk) on \(device.name)")
    }

    /// SPEC §3.3: contention alone never holds a record.
    private func checkHold(of place: SimulationStep.Place, on device: SimulatedDevice) throws {
        guard let hold = try device.store.record(place.pk, in: place.collection)?.hold,
            let json = try? JSON(parsing: hold)
        else { return }
        if json["cause"]?.string == "alone" { try self.checkBlame(for: place, on: device) }
        guard json["cause"]?.string == "rounds", device.rounds[place, default: 0] < self.setting.rounds
        else { return }
        throw SimulationViolation(
            "§3.3", "a change is held for clashes that there were not", "\(place.text) on \(device.name)")
    }

    /// R8: that there is nothing to delete is no reason to hold a deletion.
    private func checkRefusal(of place: SimulationStep.Place, on device: SimulatedDevice) throws {
        guard let record = try device.store.record(place.pk, in: place.collection), record.phase.state == .deleted,
            let hold = record.hold, let json = try? JSON(parsing: hold), json.status?.int == 404
        else { return }
        throw SimulationViolation(
            "R8", "a deletion of what is not there is held", "\(place.text) on \(device.name)")
    }

    // MARK: Unions

    /// Someone removed an element of what both sides had, from a field that is a union.
    func noteDropped(
        _ words: Set<Int>, _ place: SimulationStep.Place, _ field: String, after record: StoredRecord?,
        _ device: SimulatedDevice
    ) throws {
        guard field == SimulationSetting.Field.tags.pointer, self.setting.rules[.tags] == .union,
            self.setting.tactic == .autoMerge, let record, record.upload == nil
        else { return }
        // Where the store failed, nothing was removed.
        let shown = SimulatedWords.found(in: try self.view(place, device)?.bytes)
        device.dropped[place, default: []].formUnion(
            words.intersection(SimulatedWords.found(in: record.confirmed.data)).subtracting(shown))
    }

    private func checkUnion(in place: SimulationStep.Place, on device: SimulatedDevice) throws {
        // What a server has lost may be sent again.
        guard self.isSumKnown, !self.sentTwice.contains(place), let dropped = device.dropped[place], !dropped.isEmpty,
            let view = try device.engine.snapshot(of: place.pk, in: place.collection)?.content
        else { return }
        let back = dropped.subtracting(self.restored).intersection(SimulatedWords.found(in: view.tags?.bytes))
        guard back.isEmpty else {
            throw SimulationViolation(
                "§4", "a union brings back what was removed",
                "\(SimulatedWords.text(back)) in \(place.text) on \(device.name)")
        }
    }

    /// Where someone removed the field as a whole, who adds it again begins with nothing that both had.
    private func forgetDroppedWhereGone(_ place: SimulationStep.Place, _ device: SimulatedDevice) throws {
        guard let data = try device.store.record(place.pk, in: place.collection)?.confirmed.data,
            try JSON(parsing: data).tags == nil
        else { return }
        device.dropped[place] = nil
    }

    // MARK: Verdicts

    /// I2: what only one side had changed, and a verdict leaves out, is in a journal.
    func checkLeftOut(by conflict: RecordConflict, _ device: SimulatedDevice) throws {
        let sides = SimulatedWords.found(in: conflict.server?.bytes)
            .union(SimulatedWords.found(in: conflict.client?.bytes))
            .subtracting(SimulatedWords.found(in: conflict.base?.bytes))
        let shown = try self.visibleWords(conflict.collection, device).values.reduce(into: Set<Int>()) {
            $0.formUnion($1)
        }
        let lost = sides.subtracting(shown).subtracting(device.journalled).subtracting(device.takenBack)
        guard lost.isEmpty else {
            throw SimulationViolation(
                "I2", "a verdict leaves out what is in no journal",
                "\(SimulatedWords.text(lost)) in \(conflict.collection) \(conflict.pk) on \(device.name)")
        }
    }

    // MARK: Requests

    /// SPEC §3.1: after a POST that failed as a whole the next try begins with a GET.
    func checkReading(before request: ExchangeRequest, of device: SimulatedDevice) throws {
        guard !request.uploads.isEmpty else {
            device.mustRead.remove(request.collection)
            return
        }
        // SPEC §3.1: the queue belongs to the account that made it.
        guard !device.inDoubt.contains(request.collection) else {
            throw SimulationViolation(
                "§3.1", "an edit goes out with credentials of nobody knows whom",
                "\(request.collection) on \(device.name)")
        }
        guard !device.mustRead.contains(request.collection) else {
            throw SimulationViolation(
                "§3.1", "a POST that failed is followed by another, and nothing was read",
                "\(request.collection) on \(device.name)")
        }
    }

    // MARK: Releases

    /// A release of the app comes that writes edits otherwise: what is out was spelled by the one before, and goes out again
    /// just so (I5).
    func respell(_ device: SimulatedDevice) throws {
        device.store.failNoMore()
        for collection in SimulationSetting.allCollections {
            let states: Set<SyncState> = [.edited, .created, .deleted]
            for record in try device.store.records(in: collection, states: states, after: nil, limit: 1_000) {
                var record = record
                guard var upload = record.upload, upload.edit.first == UInt8(ascii: "{") else { continue }
                upload.edit.insert(UInt8(ascii: " "), at: 1)
                record.upload = upload
                device.frozen[upload.requestID] = upload.edit
                let spelled = record
                try device.store.transaction { () throws(TidemarkError) in
                    try device.store.save(spelled, in: collection)
                }
            }
        }
        try self.restart(device)
    }
}
