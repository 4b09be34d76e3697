import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting

// What has to hold of a device that runs (SPEC §10), from a model of its user's edits, its budget and its change notifications.

extension SimulationRun {
    /// A run loop starts a sync only if there is work that the network, the budget and the waits allow.
    func checkStart(of collection: String, by run: SimulatedRun, _ device: SimulatedDevice) throws {
        let now = device.clock.now
        let place = "\(collection) on \(device.name)"
        func fail(_ kind: String) -> SimulationViolation { SimulationViolation("§10", kind, place) }
        guard !device.isOffline else { throw fail("a sync starts without a network") }
        guard run.started.count < run.plan.collectionsAtOnce else { throw fail("too many collections sync at once") }
        guard !run.hasSpent(sparing: false, now) else { throw fail("a sync starts when the budget is spent") }
        // A sync of the app that is in progress is joined: no request is sent for it.
        guard device.awaited[collection] == nil, var standing = run.standings[collection] else { return }
        if let wait = standing.wait, wait > now { throw fail("a sync starts before another one is worthwhile") }
        let isOwn = standing.edited != nil || standing.hasFailed
        guard isOwn || !run.hasSpent(sparing: true, now) else {
            throw fail("what only asks takes what is kept for edits")
        }
        // When the budget is renewed it is asked what was missed before.
        if isOwn || standing.isDisturbed || standing.wasDisturbed || standing.hasMissed {
            standing.polls = 0
        } else if let last = standing.lastEnd {
            let hour = Duration.seconds(3_600)
            let longest = max(run.plan.longestInterval, hour * standing.share / run.plan.idleRequestsPerHour)
            let wait = min(run.plan.shortestInterval * (1 << min(standing.polls, 20)), longest)
            guard now < last || now - last >= wait else { throw fail("a server is asked too often for nothing") }
            standing.polls += 1
        }
        standing.hasMissed = false
        run.standings[collection] = standing
    }

    /// A loop starts no more syncs than there are reasons for, however long time passes.
    func checkRest(of device: SimulatedDevice, since start: Duration) throws {
        guard let run = device.running else { return }
        let span = (device.clock.now - start).components.seconds
        let cycle = max(min(run.plan.longestInterval, .seconds(300)).components.seconds, 1)
        guard Int64(run.starts) <= Int64(max(run.standings.count, 1)) * (24 + 2 * span / cycle) else {
            throw SimulationViolation("§10", "a device asks again and again", "\(run.starts) syncs of \(device.name)")
        }
    }

    /// A device that runs sends its edits by itself, as soon as the waits and the budget allow.
    func checkOwnEdits(of device: SimulatedDevice) throws {
        guard let run = device.running, !device.isOffline, device.awaited.isEmpty, device.device.outbox.isEmpty else {
            return
        }
        let now = device.clock.now
        guard !run.mayHaveSpent(sparing: false, now) else { return }
        for (collection, standing) in run.standings.sorted(by: { $0.key < $1.key }) where !standing.isPaused {
            guard let edited = standing.edited else { continue }
            let times = [edited + run.plan.longestQuietTime, standing.lastEnd, standing.wait, run.connectedAt]
            guard let time = times.compactMap(\.self).max(), time < now,
                try device.engine.hasSomethingToSend(in: collection)
            else { continue }
            throw SimulationViolation(
                "§10", "what was edited does not go out by itself", "\(collection) on \(device.name)")
        }
    }

    /// The status is true: a collection is in sync only if nothing is unsent and every change notification was followed by a pull.
    func checkStanding(of run: SimulatedRun, _ device: SimulatedDevice) throws {
        let now = device.clock.now
        let isSpent = run.hasSpent(sparing: false, now)
        for (collection, standing) in run.standings.sorted(by: { $0.key < $1.key })
        where device.awaited[collection] == nil {
            if standing.isOwed { try self.checkOwed(collection, run, device) }
            if let news = standing.news, news == (try device.engine.watermark(of: collection)) {
                run.standings[collection]?.news = nil
            }
            guard isSpent || run.standings[collection]?.news != nil else { continue }
            let status = ClientStatus(
                collections: [try device.engine.status(of: collection)], progress: SyncProgress(collections: []),
                lastReports: device.device.reports.last { $0.collection == collection }.map { [$0] } ?? [],
                run: run.loop.status)
            guard status.standing(of: collection) == .inStep else { continue }
            throw SimulationViolation(
                "§10", "a collection counts as in step that \(isSpent ? "may not ask" : "is not")",
                "\(collection) on \(device.name)")
        }
    }

    /// A sync that has to start at once has started.
    private func checkOwed(_ collection: String, _ run: SimulatedRun, _ device: SimulatedDevice) throws {
        run.standings[collection]?.isOwed = false
        guard !device.isOffline, run.started.count < run.plan.collectionsAtOnce,
            !run.mayHaveSpent(sparing: true, device.clock.now)
        else { return }
        throw SimulationViolation(
            "§10", "what has to be asked at once is not", "\(collection) on \(device.name)")
    }
}

// MARK: - The end

extension SimulationRun {
    /// The longest wait is the day that a server may ask for, and the device's jitter.
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
        for span in Self.spans + [device.setBack] {
            try self.pass(span, on: device)
            trouble = try self.disagreement(of: device)
            if trouble == nil { break }
        }
        return trouble
    }

    /// A difference to the server that a device that runs could have removed; nil if there is none.
    private func disagreement(of device: SimulatedDevice) throws -> SimulationViolation? {
        for collection in SimulationSetting.allCollections {
            let report = device.device.reports.last { $0.collection == collection }
            // Only the app can resume such a sync.
            if let failure = report?.failure, report?.nextTry == nil, failure.failureClass != .auth { continue }
            let place = "\(collection) on \(device.name)"
            if try device.engine.hasSomethingToSend(in: collection) {
                return SimulationViolation("I3", "a device that runs does not send by itself", place)
            }
            let aside = Set(try device.store.itemsSetAside(in: collection).map(\.pk))
            for (row, version) in self.server.ledger.rows where row.collection == collection {
                guard !aside.contains(row.pk) else { continue }
                let record = try device.store.record(row.pk, in: collection)
                guard Self.hasApplied(version, record) else {
                    return SimulationViolation("I3", "a device that runs does not ask by itself", place)
                }
            }
        }
        return nil
    }
}
