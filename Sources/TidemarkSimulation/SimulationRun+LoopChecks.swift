import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting

// The properties of a device that runs (Contract §10), from a model of its user's edits, its budget and its change notifications.

extension SimulationRun {
    /// A run loop starts a sync only if there is work that the network, the budget and the waits allow.
    func checkStart(of collection: String, by run: SimulatedRunLoop, _ device: SimulatedDevice) throws {
        let now = device.clock.now
        let place = "\(collection) on \(device.name)"
        func fail(_ kind: String) -> SimulationViolation { SimulationViolation("§10", kind, place) }
        guard !device.isOffline else { throw fail("a sync starts without a network") }
        guard run.started.count < run.plan.collectionsAtOnce else { throw fail("too many collections sync at once") }
        guard !run.hasSpent(sparing: false, now) else { throw fail("a sync starts when the budget is spent") }
        // A sync of the app that is in progress is joined: no request is sent for it.
        guard device.awaited[collection] == nil, var model = run.models[collection] else { return }
        if let wait = model.wait, wait > now { throw fail("a sync starts before the wait is over") }
        let isOwn = model.edited != nil || model.hasFailed
        guard isOwn || !run.hasSpent(sparing: true, now) else {
            throw fail("a poll uses the reserve of the budget for edits")
        }
        // When the budget is renewed, the device fetches the changes that it missed.
        if isOwn || model.isDisturbed || model.wasDisturbed || model.hasMissed {
            model.polls = 0
        } else if let last = model.lastEnd {
            let hour = Duration.seconds(3_600)
            let longest = max(run.plan.maxPollInterval, hour * model.share / run.plan.idleRequestsPerHour)
            let wait = min(run.plan.minPollInterval * (1 << min(model.polls, 20)), longest)
            guard now < last || now - last >= wait else { throw fail("a device polls too often") }
            model.polls += 1
        }
        model.hasMissed = false
        run.models[collection] = model
    }

    /// A loop starts no more syncs than there are reasons for, however long time passes.
    func checkRest(of device: SimulatedDevice, since start: Duration) throws {
        guard let run = device.running else { return }
        // Each page of such a feed is news, as if another device wrote all the time.
        guard self.server.trouble != .alternating else { return }
        let span = (device.clock.now - start).components.seconds
        let cycle = max(min(run.plan.maxPollInterval, .seconds(300)).components.seconds, 1)
        // The interval doubles from the first poll after a loss.
        let polls = (0..<20 as Range<Int64>).first { run.plan.minPollInterval.components.seconds << $0 >= cycle } ?? 20
        let bound = 24 + 2 * span / cycle + Int64(run.losses) * (polls + 1)
        try SimulationViolation.unless(
            Int64(run.starts) <= Int64(max(run.models.count, 1)) * bound, "§10",
            "a device starts syncs without a reason", "\(run.starts) syncs of \(device.name)")
    }

    /// A device that runs sends its edits by itself, as soon as the waits and the budget allow.
    func checkOwnEdits(of device: SimulatedDevice) throws {
        guard let run = device.running, !device.isOffline, device.awaited.isEmpty, device.device.outbox.isEmpty else {
            return
        }
        let now = device.clock.now
        guard !run.mayHaveSpent(sparing: false, now) else { return }
        for (collection, model) in run.models.sorted(by: { $0.key < $1.key }) where !model.isPaused {
            guard let edited = model.edited else { continue }
            let times = [edited + run.plan.maxDebounce, model.lastEnd, model.wait, run.connectedAt]
            guard let time = times.compactMap(\.self).max(), time < now,
                try device.engine.hasSomethingToSend(in: collection)
            else { continue }
            throw SimulationViolation(
                "§10", "an edit is not sent by itself", "\(collection) on \(device.name)")
        }
    }

    /// The status is true: a collection is in sync only if nothing is unsent and every change notification was followed by a pull.
    func checkStatus(of run: SimulatedRunLoop, _ device: SimulatedDevice) throws {
        let now = device.clock.now
        let isSpent = run.hasSpent(sparing: false, now)
        for (collection, model) in run.models.sorted(by: { $0.key < $1.key })
        where device.awaited[collection] == nil {
            if model.isOwed { try self.checkOwed(collection, run, device) }
            if let news = model.news, news == (try device.engine.cursor(of: collection)) {
                run.models[collection]?.news = nil
            }
            guard isSpent || run.models[collection]?.news != nil else { continue }
            let status = SyncStatus(
                collections: [try device.engine.status(of: collection)], progress: SyncStatus.Progress(collections: []),
                lastReports: device.device.reports.last { $0.collection == collection }.map { [$0] } ?? [],
                run: run.loop.status)
            guard status.summary(of: collection) == .inSync else { continue }
            throw SimulationViolation(
                "§10", "a collection counts as in sync that \(isSpent ? "has no budget" : "is not")",
                "\(collection) on \(device.name)")
        }
    }

    /// A sync that has to start at once has started.
    private func checkOwed(_ collection: String, _ run: SimulatedRunLoop, _ device: SimulatedDevice) throws {
        run.models[collection]?.isOwed = false
        guard !device.isOffline, run.started.count < run.plan.collectionsAtOnce,
            !run.mayHaveSpent(sparing: true, device.clock.now)
        else { return }
        throw SimulationViolation(
            "§10", "a sync that is due at once does not start", "\(collection) on \(device.name)")
    }
}

// MARK: - The end

extension SimulationRun {
    /// The longest wait is the day that a server may ask for, and the device's jitter; also if the clock was set back.
    private static let spans: [Duration] = [
        .seconds(6), .seconds(60), .seconds(600), .seconds(3_600), .seconds(3 * 3_600), .seconds(26 * 3_600),
    ]

    /// I3: every device that runs comes to agree with the server by itself.
    func letTimePass() throws {
        let running = self.devices.filter { $0.running != nil }
        guard !running.isEmpty else { return }
        for device in running {
            for collection in SimulationSetting.allCollections { device.running?.use(collection) }
        }
        for _ in 0..<(4 + 2 * running.count) {
            var trouble: SimulationViolation?
            for device in running { trouble = try self.letTimePass(on: device) ?? trouble }
            if let trouble { throw trouble }
            if try running.allSatisfy({ try self.disagreement(of: $0) == nil }) { break }
        }
        for device in running {
            if let trouble = try self.disagreement(of: device) { throw trouble }
            device.running?.hangUp()
            device.running = nil
        }
    }

    private func letTimePass(on device: SimulatedDevice) throws -> SimulationViolation? {
        var trouble: SimulationViolation?
        for span in Self.spans {
            try self.pass(span, on: device)
            trouble = try self.disagreement(of: device)
            if trouble == nil { break }
        }
        return trouble
    }

    /// A difference to the server that a device that runs could have removed; nil without such a difference.
    private func disagreement(of device: SimulatedDevice) throws -> SimulationViolation? {
        for collection in SimulationSetting.allCollections {
            let report = device.device.reports.last { $0.collection == collection }
            // Only the app can resume such a sync.
            if let failure = report?.failure, report?.nextTry == nil, failure.failureClass != .auth { continue }
            let place = "\(collection) on \(device.name)"
            if try device.engine.hasSomethingToSend(in: collection) {
                return SimulationViolation("I3", "a device that runs does not send by itself", place)
            }
            let quarantined = Set(try device.store.quarantinedItems(in: collection).map(\.pk))
            for (row, version) in self.server.ledger.rows where row.collection == collection {
                guard !quarantined.contains(row.pk) else { continue }
                let record = try device.store.record(row.pk, in: collection)
                guard Self.hasApplied(version, record) else {
                    return SimulationViolation("I3", "a device that runs does not fetch by itself", place)
                }
            }
        }
        return nil
    }
}
