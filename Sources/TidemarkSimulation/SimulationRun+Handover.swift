import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting

// Clients that use the store of a device in turns: its owner, and guests (Contract §13, §14).

extension SimulationRun {
    /// The client that has the store closes it, and another one opens it, or the same one again.
    func hand(_ device: SimulatedDevice, to client: SimulationStep.Client) throws {
        let shown = try self.shown(on: device)
        try self.checkKept(by: device)
        let absence = SimulatedAbsence(of: device)
        device.absent[device.process.client] = absence
        let next = device.absent.removeValue(forKey: client)
        let left = try device.device.handOver(
            to: self.configuration(of: client, on: device),
            capabilities: client.hasServer ? self.server.lesser?.form.capabilities ?? .native : nil,
            after: next?.former)
        self.leave(left, of: device)
        self.endRequests(of: device)
        if let run = device.running {
            run.hangUp()
            (device.running, device.isToRun) = (nil, true)
        }
        device.process = next?.process ?? SimulatedProcess(client: client, number: self.nextProcess())
        try self.resume(next, on: device)
        device.kept = device.process.isGuest ? try device.kept ?? KeptByGuests(device) : nil
        for (place, view) in try self.shown(on: device) where shown[place] != view {
            throw SimulationViolation(
                "R30", "a record looks different to another client", "\(place.text) on \(device.name)")
        }
    }

    func nextProcess() -> Int {
        self.processes += 1
        return self.processes
    }

    /// The configuration of a client of a device.
    func configuration(of client: SimulationStep.Client, on device: SimulatedDevice) -> SyncConfiguration {
        var configuration = device.configuration
        switch client {
        case .owner: return configuration
        case .guest: break
        case .tool:
            configuration.collections = configuration.collections.mapValues {
                CollectionRules(tactic: .takeClient, fields: $0.fields)
            }
            configuration.rules = CollectionRules(tactic: .takeServer, fields: configuration.rules.fields)
            configuration.serverRolledBack = .sendAgain
            configuration.policies.refused = FailurePolicies.RetryRefused(tries: SimulationSetting.refusedTries)
            configuration.journalsReplacedFor = nil
            (configuration.journalLimit, configuration.traceLimit) = (1, nil)
            (configuration.limits.pageSize, configuration.limits.batchSize) = (1, 1)
            (configuration.limits.removals, configuration.limits.replacedValues) = (1, 1)
        case .reader:
            // Two equal additions count twice only by the rule of the counters.
            let counters = configuration[SimulationSetting.counts]
            configuration = SyncConfiguration(limits: configuration.limits)
            configuration[SimulationSetting.counts] = counters
        }
        configuration.isGuest = true
        return configuration
    }

    /// The field rules of the client that has the store of a device.
    func rules(of device: SimulatedDevice) -> [SimulationSetting.Field: SimulationSetting.NamedRule] {
        device.process.client == .reader ? [:] : self.setting.rules
    }

    /// The records as the app sees them.
    private func shown(on device: SimulatedDevice) throws -> [SimulationStep.Place: JSON?] {
        var shown: [SimulationStep.Place: JSON?] = [:]
        for collection in SimulationSetting.allCollections {
            for record in try device.engine.snapshots(
                in: collection, states: Set(SyncState.allCases), after: nil, limit: 1_000)
            {
                shown[.init(collection: collection, pk: record.pk)] = .some(try record.content)
            }
        }
        return shown
    }

    /// The requests of a former engine may arrive, and so may their answers.
    private func leave(_ left: [StoredDevice<FaultyStore>.Outgoing], of device: SimulatedDevice) {
        let (process, isElsewhere) = (device.process, device.isElsewhere)
        if let server = self.server.lesser { self.endExchanges(left, of: device, with: server) }
        for sent in left {
            self.late.append { run in
                var answer = Answer(
                    device: device, request: sent.request, token: sent.token, outcome: .failure(Self.silence),
                    process: process)
                if run.server.lesser == nil {
                    let (response, ledger) = try run.serve(sent.request, for: device, isElsewhere: isElsewhere)
                    (answer.outcome, answer.ledger) = (Self.outcome(response, sent.request), ledger)
                }
                try run.hear(answer)
            }
        }
    }

    /// A client continues where it was when it lost the store.
    private func resume(_ absence: SimulatedAbsence?, on device: SimulatedDevice) throws {
        device.waits = absence?.waits ?? [:]
        device.history = absence?.history ?? SimulatedHistory()
        // Another client may have discarded a value, so no undo takes an addition back.
        device.discards = absence.map { $0.discards + 1 } ?? 0
        device.drafts = absence?.drafts ?? [:]
        device.counting = absence?.counting
        device.lookedAt = absence?.lookedAt ?? [:]
        device.outcomesSeen = 0
        for (number, outcome) in device.engine.reviewWaits() {
            guard let wait = device.waits.removeValue(forKey: number), let outcome else { continue }
            try self.check(outcome, of: wait, on: device)
        }
        let discarded = device.journalled.subtracting(absence?.journalled ?? []).subtracting(self.server.acknowledged)
        for wait in device.waits.values {
            let record = try self.record(wait.place, device)
            try SimulationViolation.unless(
                record?.phase.activity != nil && !(wait.word.map(discarded.contains) ?? false), "R32",
                "a wait continues for a write that another client has discarded or that has ended",
                "\(wait.place.text) on \(device.name)")
        }
    }

    // MARK: Checks

    /// R32: an answer to a request of a former engine has no effect.
    func hearFormer(_ answer: Answer) throws {
        let (device, token, now) = (answer.device, answer.token, answer.device.clock.now)
        let (records, exchanges) = (device.device.traces.count, device.device.exchangeTraces.count)
        let before = try device.store.state(of: token.collection)
        try self.input(device, token.collection, from: .answer(isAwaited: false)) { (engine) throws(TidemarkError) in
            switch answer.outcome {
            case .success(let page):
                try self.merging(for: engine, token.collection) { (large) throws(TidemarkError) in
                    try engine.receive(page, for: token, now: now, large)
                }
            case .failure(let failure): try engine.fail(failure, for: token, now: now)
            }
        }
        try SimulationViolation.unless(
            device.device.traces.count == records && device.device.exchangeTraces.count == exchanges
                && device.store.state(of: token.collection) == before,
            "R32", "an answer to a request of a former engine is applied", "\(token.collection) on \(device.name)")
    }

    /// R28: only the user ends an open conflict in a guest, unless both sides have deleted the record.
    ///
    /// - Parameter earlier: The transitions of the same input before this one.
    func checkLeftOpen(_ trace: RecordTrace, after earlier: ArraySlice<RecordTrace>, on device: SimulatedDevice) throws
    {
        guard device.process.isGuest, !self.isDeciding, trace.source.activity == .deciding,
            trace.target.activity != .deciding, trace.target != .absent
        else { return }
        // A newer row of the server is merged without a decision, or is a deletion that leaves only the record of this side. A decision
        // about a conflict follows it at once, without being left to the user.
        let last = earlier.last { $0.pk == trace.pk && $0.collection == trace.collection }
        let isMerge = [.rebased, .converged].contains(trace.event)
        let isByRow = isMerge || trace.event == .gone && trace.source.state == .created
        if self.isHearing, isByRow, last.map({ $0.event == .escalatedToUser }) ?? true { return }
        throw SimulationViolation(
            "R28", "a guest decides a conflict", "\(trace.collection) \(trace.pk) on \(device.name)")
    }

    /// R29, R30: a guest removes nothing that the owner keeps.
    private func checkKept(by device: SimulatedDevice) throws {
        guard let kept = device.kept else { return }
        let present = try KeptByGuests(device)
        if let missing = kept.missing(in: present) {
            throw SimulationViolation("R29", "a guest removes \(missing)", device.name)
        }
        device.kept = present
    }
}
