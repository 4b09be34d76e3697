import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkServer
import TidemarkTesting
import TidemarkWire

// A device that runs: the work of `SyncClient.run`, with simulated time and network.

extension SimulationRun {
    /// The source of an input of an engine.
    enum Source {
        /// The app changes records.
        case app
        /// The app starts a sync.
        case sync
        /// An answer, or its absence.
        case answer(isAwaited: Bool)
        /// New credentials.
        case renewal
    }

    /// The app starts the run loop, now and after each later start of its process.
    func run(_ device: SimulatedDevice) throws {
        guard device.process.client == .owner else {
            device.isToRun = true
            return
        }
        device.isToRun = false
        guard device.running == nil else { return }
        let run = SimulatedRunLoop(self.setting.loop.plan, seed: self.setting.seed &+ UInt64(device.index))
        device.running = run
        let known = try device.store.collections()
        let names = SimulationSetting.allCollections.filter { known.contains($0) || device.awaited[$0] != nil }
        for name in names { run.models[name] = .init() }
        run.mailbox.put(.connected(!device.isOffline))
        let syncing = Set(names.filter { device.awaited[$0] != nil }.map { CodePointString($0) })
        try self.carryOut(run.loop.begin(names, syncing: syncing, now: device.clock.now), of: run, device)
        try self.listen(run, device)
        try self.follow(device)
    }

    /// Gives a loop the input that its client would give it.
    ///
    /// - Parameters:
    ///   - effects: The effects; nil if the input was refused.
    ///   - isJoin: Whether a sync was in progress already.
    func tellLoop(
        of device: SimulatedDevice, _ collection: String, _ source: Source, _ effects: [SyncEffect]?, isJoin: Bool
    ) {
        guard let run = device.running else { return }
        let now = device.clock.now
        run.use(collection)
        func end(_ report: CollectionReport?, hasBegun: Bool = true) {
            let hasUnsent = (try? device.engine.hasSomethingToSend(in: collection)) ?? false
            run.end(collection, report, hasBegun: hasBegun, hasUnsent: hasUnsent, now)
        }
        switch source {
        case .app: if effects != nil { run.edit(collection, now) }
        case .renewal: break
        case .sync:
            guard let effects else {
                let isOwn = run.starting == collection
                if !isJoin { end(nil, hasBegun: isOwn) } else if isOwn { run.leave(collection) }
                return
            }
            if let input = RunInput.asked(for: CodePointString(collection), effects) { run.begin(collection, input) }
            for case .finish(let report) in effects { end(report) }
        case .answer(let isAwaited):
            guard let effects else {
                if isAwaited { end(nil) }
                return
            }
            for case .finish(let report) in effects { end(report) }
        }
    }

    /// How many inputs a loop may process at one moment before it counts as endless.
    private static let mostTurns = 200

    /// The loop processes its inputs until it has no more work at this moment.
    func follow(_ device: SimulatedDevice) throws {
        if device.isToRun { try self.run(device) }
        guard let run = device.running, !run.isTold else { return }
        run.isTold = true
        defer { run.isTold = false }
        var turns = 0
        while device.running === run {
            let now = device.clock.now
            if let alarm = run.loop.alarm, alarm <= now { run.mailbox.put(.alarm(alarm)) }
            let inputs = run.mailbox.take()
            guard !inputs.isEmpty else { break }
            turns += 1
            try SimulationViolation.unless(turns <= Self.mostTurns, "§10", "a loop does not end its work", device.name)
            run.noteBudget(at: now)
            let engine = device.engine
            let work = run.loop.take(inputs, now: now) { try? engine.cursor(of: $0) }
            try self.carryOut(work, of: run, device)
            if device.running === run { try self.listen(run, device) }
        }
        if device.running === run { try self.checkStatus(of: run, device) }
    }

    private func carryOut(_ work: RunLoop.Work, of run: SimulatedRunLoop, _ device: SimulatedDevice) throws {
        for name in work.syncs where device.running === run {
            let collection = name.value
            try self.checkStart(of: collection, by: run, device)
            run.starts += 1
            run.models[collection]?.isOwed = false
            run.started.insert(collection)
            self.tell?("    \(device.name) runs at \(device.clock.now): \(collection)")
            self.transcript?.add(.effects, device.name, "runs", collection, "\(device.clock.now)")
            run.starting = collection
            defer { run.starting = nil }
            try self.begin(device, collection)
        }
    }

    // MARK: Time

    /// Time passes on a device that runs, and on the server. Each request of the device arrives.
    func pass(_ span: Duration, on device: SimulatedDevice) throws {
        guard let run = device.running else { return }
        let (start, end) = (device.clock.now, device.clock.now + span)
        (run.starts, run.losses) = (0, 0)
        try self.carryAll(of: device)
        while let alarm = device.running?.loop.alarm, alarm <= end {
            try self.advance(device, by: max(alarm - device.clock.now, .zero))
            try self.carryAll(of: device)
            try self.checkRest(of: device, since: start)
        }
        try self.advance(device, by: max(end - device.clock.now, .zero))
        try self.carryAll(of: device)
        try self.checkRest(of: device, since: start)
        try self.checkOwnEdits(of: device)
    }

    private func advance(_ device: SimulatedDevice, by span: Duration) throws {
        device.clock.advance(by: span)
        self.server.moveClock(by: span)
        guard let run = device.running, let listening = run.listening, self.isOpen(listening),
            device.clock.now - listening.lastBeat >= InProcessServer.heartbeat
        else { return }
        run.listening?.lastBeat = device.clock.now
        self.deliver([ServerHint.heartbeat], to: run, device)
    }

    /// Delivers all messages in flight, and those that follow from them.
    private func carryAll(of device: SimulatedDevice) throws {
        let rows = self.server.ledger.rows.count
        let limit = 8 * (Self.requestsOfASync + (4 + 3 * self.setting.rounds) * rows)
        var count = 0
        repeat {
            self.deliverAll(to: device)
            try self.follow(device)
            guard !device.device.outbox.isEmpty else { return }
            count += 1
            try SimulationViolation.unless(
                count <= limit, "I8", "a device that runs sends requests without an end", device.name)
            try self.carry(device, 0, .whole)
        } while true
    }

    /// The network goes online or offline, and the app reports it.
    func connect(_ device: SimulatedDevice, _ isConnected: Bool) throws {
        let isNews = device.isOffline == isConnected
        device.isOffline = !isConnected
        guard let run = device.running else { return }
        run.mailbox.put(.connected(isConnected))
        guard isNews else { return }
        run.disturb()
        run.connectedAt = isConnected ? device.clock.now : nil
        for (name, model) in run.models where isConnected && device.awaited[name] == nil {
            run.models[name]?.isOwed = !model.hasFailed
        }
    }

    /// The app renews the credentials of all of its collections.
    func renewAll(_ device: SimulatedDevice) throws {
        guard let run = device.running else { return }
        for collection in SimulationSetting.allCollections { try self.renew(device, collection) }
        if device.running === run { run.renew(Set(device.awaited.keys)) }
    }

    // MARK: Change notifications

    /// Opens the connection that the loop wants, and closes the former one.
    private func listen(_ run: SimulatedRunLoop, _ device: SimulatedDevice) throws {
        let hints = run.loop.hints
        guard hints.number != run.number else { return }
        run.number = hints.number
        run.hangUp()
        run.disturb()
        // The last notification may exceed a limit, and then it does not count.
        for name in run.models.keys { run.models[name]?.news = nil }
        guard case .listening = hints.phase else {
            run.losses += 1
            return
        }
        // A new connection may count as a request.
        run.costs.append(.init(time: device.clock.now, requests: 1, bytes: 0, isForgotten: true))
        guard !device.isOffline else {
            return run.mailbox.put(.listened(hints.number, .failure(RemoteFailure(.offline, "No answer came."))))
        }
        switch self.server.listen(to: hints.names.map(\.value), isElsewhere: device.isElsewhere) {
        case .events(let watch):
            run.listening = .init(
                hints.number, Set(hints.names), watch, start: self.server.starts, at: device.clock.now)
        case .whole(let response):
            let result: Result<RemoteHint.End, RemoteFailure>
            do throws(RemoteFailure) {
                result = .success(
                    try WireHints.end(
                        status: response.status, header: { response.header($0) }, body: response.body))
            } catch {
                result = .failure(error)
            }
            run.mailbox.put(.listened(hints.number, result))
        }
    }

    private func isOpen(_ listening: SimulatedRunLoop.Listening) -> Bool {
        !listening.isDead && !listening.watch.isOver && listening.start == self.server.starts
    }

    /// Delivers all change notifications.
    private func deliverAll(to device: SimulatedDevice) {
        guard let run = device.running, let listening = run.listening, !listening.isDead else { return }
        guard self.isOpen(listening) else {
            run.listening = nil
            return run.mailbox.put(.listened(listening.number, .success(.ended)))
        }
        run.listening?.late = []
        self.deliver(listening.late + listening.watch.take().map(\.event), to: run, device)
    }

    private func deliver(_ pieces: [[UInt8]], to run: SimulatedRunLoop, _ device: SimulatedDevice) {
        guard let listening = run.listening else { return }
        for piece in pieces { _ = listening.reader.take(piece) }
        for hint in listening.ear.take() {
            run.mailbox.put(.heard(listening.number, HeardHints(hint, among: listening.names)))
            switch hint {
            case .alive: break
            case .received(let bytes):
                run.costs.append(SimulatedRunLoop.Cost(time: device.clock.now, requests: 0, bytes: bytes))
            case .moved(let collection, let cursor):
                run.disturb(collection)
                self.tell?("    \(device.name) is notified of \(collection): \(cursor ?? "nothing")")
                // Of several notifications at once only the last counts.
                let isKnown = cursor == (try? device.engine.cursor(of: collection))
                run.models[collection]?.news = isKnown ? .none : .some(cursor)
            }
        }
    }

    /// Delivers or loses the change notifications that wait for a device.
    func hear(_ fate: SimulationStep.HintFate, on device: SimulatedDevice) throws {
        guard let run = device.running, let listening = run.listening, self.isOpen(listening) else { return }
        switch fate {
        case .whole: self.deliverAll(to: device)
        case .twice:
            let pieces = listening.watch.take().map(\.event)
            self.deliver(pieces + pieces, to: run, device)
        case .lost: _ = listening.watch.take()
        case .late: run.listening?.late += listening.watch.take().map(\.event)
        case .dead: run.listening?.isDead = true
        case .end:
            listening.watch.end()
            self.deliverAll(to: device)
        case .refused:
            listening.watch.end()
            run.listening = nil
            run.mailbox.put(.listened(listening.number, .success(.unavailable(why: "Something is in the way."))))
        case .flood:
            guard run.plan.hintEventsPerMinute <= Self.mostEvents else { return }
            for _ in 0...run.plan.hintEventsPerMinute { self.deliver([ServerHint.heartbeat], to: run, device) }
            try self.follow(device)
            try SimulationViolation.unless(
                device.running !== run || run.loop.hints.number != listening.number, "§10",
                "a device reads an unlimited number of events", device.name)
        }
    }

    /// The maximum number of events that a server sends at once.
    private static let mostEvents = 100
}
