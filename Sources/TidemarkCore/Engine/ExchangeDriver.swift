import TidemarkJSON
import TidemarkMachine
import TidemarkRules

/// Carries out the actions of the exchange's machine, and gathers the facts for its inputs.
struct ExchangeDriver {
    typealias Machine = Exchange.Machine

    let turn: Turn
    let now: Duration

    init(turn: Turn, now: Duration) {
        self.turn = turn
        self.now = now
        turn.now = now
    }

    private var collection: String { self.turn.collection }

    /// The data of an input that an action needs.
    enum News {
        case nothing
        case watermark(String)
        case failure(RemoteFailure)
        case uploads([UploadRequest])
    }

    /// Carries out the actions of a step.
    func carryOut(_ step: Machine.Step, _ news: News = .nothing) throws(TidemarkError) {
        self.turn.note(SyncTrace.Step(step, of: self.collection, at: self.now))
        for action in ExchangeAction.inOrder where step.actions.has(action) {
            switch action {
            case .refuse: try self.refuse(step.posted, news)
            case .lose: try self.lose(step.posted)
            case .charge: try self.charge(step.suspect)
            case .pass: try self.pass(news)
            case .endListing: try Inbox(turn: self.turn).endListing()
            case .startOver: try self.startOver(news)
            case .post: try self.post(news)
            case .get: try self.send([])
            case .backOff: self.backOff(step)
            case .rest: self.rest(after: step.source)
            case .finish: try self.finish(step.failure)
            // These change variables of the machine only.
            case .blame, .readFirst, .acquit, .bisect, .shorten, .clear: continue
            }
        }
    }

    private var driver: RecordDriver { RecordDriver(turn: self.turn) }
}

// MARK: - Records that were posted

extension ExchangeDriver {
    /// A refusal of a request with one edit is a refusal of the edit.
    private func refuse(_ posted: [Machine.Posted], _ news: News) throws(TidemarkError) {
        guard case .failure(let failure) = news else { return }
        let answer = Record.Machine.Answer(refusedWhole: failure.blame)
        try self.forEach(posted) { (record) throws(TidemarkError) in
            try self.driver.drive(&record, Ruling(.answered(answer), hold: RecordHold(refusedWith: failure)))
        }
    }

    /// Marks each upload of the request as unconfirmed (R17).
    private func lose(_ posted: [Machine.Posted]) throws(TidemarkError) {
        try self.forEach(posted) { (record) throws(TidemarkError) in
            try self.driver.drive(&record, .lost)
            self.turn.tell(record.pk, .upload, record.machine.phase)
        }
    }

    /// Calls the closure for each record whose upload is in the request.
    private func forEach(
        _ posted: [Machine.Posted], _ body: (inout Record) throws(TidemarkError) -> Void
    ) throws(TidemarkError) {
        for edit in posted {
            guard let stored = try self.turn.store.record(edit.name.value, in: self.collection) else { continue }
            let damage = try self.turn.damage { () throws(TidemarkError) in
                var record = try self.turn.read(stored)
                guard record.machine.canReceive(.lost), record.machine.upload?.requestID == edit.requestID else {
                    return
                }
                try body(&record)
            }
            if damage != nil { self.turn.leaveOut(edit.name.value) }
        }
    }

    /// Counts a failure against the poison suspect, since another exchange has succeeded (SPEC §3.6).
    private func charge(_ suspect: Machine.Suspect?) throws(TidemarkError) {
        guard let suspect, var record = try self.turn.undamaged(suspect.name.value),
            record.machine.phase.activity == .unconfirmed
        else { return }
        record.failures += 1
        guard self.turn.exchangeLimits.isPoison(after: record.failures) else {
            return try self.turn.store.save(record.stored, in: self.collection)
        }
        record.failures = 0
        try self.driver.drive(&record, Ruling(.hold, hold: RecordHold(aloneWith: suspect.failure)))
    }
}

// MARK: - The feed

extension ExchangeDriver {
    private func pass(_ news: News) throws(TidemarkError) {
        guard case .watermark(let watermark) = news else { return }
        try self.turn.change { state in
            state.watermark = watermark
            state.seen = nil
        }
    }

    /// Stores the refusal as a claim, since not every server names its account in a refusal.
    private func startOver(_ news: News) throws(TidemarkError) {
        guard case .failure(let failure) = news else { return }
        self.turn.exchange.left = nil
        try self.turn.change { $0.claim(failure.serverWentBack ? .rollback : .historyLost) }
        if failure.serverWentBack { self.noteRollback() }
    }
}

extension ExchangeDriver {
    /// The report says that the server was rolled back, even if nothing was lost.
    func noteRollback() {
        self.turn.gains.lostByServer = self.turn.gains.lostByServer ?? 0
    }
}

// MARK: - Requests

extension ExchangeDriver {
    private func post(_ news: News) throws(TidemarkError) {
        guard case .uploads(let uploads) = news else { return }
        try self.send(uploads)
    }

    private func send(_ uploads: [UploadRequest]) throws(TidemarkError) {
        self.turn.gains.requests += 1
        let number = self.turn.exchange.machine.request.number
        self.turn.exchange.asked = self.tokens(by: try self.turn.state())
        try self.notePull()
        let request = ExchangeRequest(
            collection: self.collection, uploads: uploads, watermark: self.turn.exchange.asked.cursor,
            seen: self.turn.exchange.asked.seen,
            limit: self.turn.exchange.machine.pageSize(self.turn.exchangeLimits),
            countsRows: self.turn.exchange.left == nil,
            known: try self.known())
        self.tellProgress(isOver: false)
        self.turn.want(.send(request, ExchangeToken(collection: self.collection, number: number)))
    }

    /// Stores when the pull begins, unless one is in progress. A full resync that another process began has an unknown time, so it counts as
    /// long ago.
    private func notePull() throws(TidemarkError) {
        guard self.turn.exchange.pullBegan == nil else { return }
        self.turn.exchange.pullBegan = try self.turn.state().resync?.isRunning == true ? .zero : self.now
    }

    /// Whose data and which history this store holds.
    private func known() throws(TidemarkError) -> ServerIdentity {
        ServerIdentity(
            account: try self.turn.store.setting(SyncEngine.accountKey),
            epoch: try self.turn.state().epoch)
    }

    private func backOff(_ step: Machine.Step) {
        let own = self.turn.configuration.retry.delay(
            attempt: self.turn.exchange.machine.memory.attempts, using: &self.turn.memory.generator)
        let asked: Duration? =
            switch step.failure?.retryAfter {
            case .delay(let delay): delay
            case .time(let time): time - self.now
            case nil: nil
            }
        let patience = step.patience(own: own, asked: asked, longest: self.turn.limits.longestRetryAfter)
        self.wait(until: max(self.now + patience, self.turn.exchange.restsUntil ?? .zero))
    }

    /// Waits until the server accepts requests again. A back-off in progress is not shortened.
    private func rest(after phase: ExchangePhase) {
        let former = phase == .waiting ? self.turn.exchange.until : nil
        self.wait(until: max(former ?? self.now, self.turn.exchange.restsUntil ?? self.now))
    }

    private func wait(until time: Duration) {
        self.turn.exchange.until = time
        self.turn.want(.wake(collection: self.collection, at: time))
    }
}

// MARK: - The end of a sync

extension ExchangeDriver {
    private func finish(_ failure: RemoteFailure?) throws(TidemarkError) {
        guard let tally = self.turn.exchange.tally else { return }
        let waiting = try self.turn.store.waitingRecords(in: self.collection)
        var report = tally.report(of: self.collection, with: self.turn.gains)
        report.conflicts = waiting.filter { $0.phase.activity == .deciding }.map(\.pk)
        report.held = CollectionReport.once(
            waiting.filter { $0.phase.activity == .held }.map(\.pk)
                + (try self.turn.store.itemsSetAside(in: self.collection).map(\.pk))
                + self.turn.exchange.damaged.sorted().map(\.value))
        report.watched = try WatchKeeper(turn: self.turn).end(by: self.turn.exchange.lastPull)
        report.watermark = try self.turn.state().watermark
        report.failure = failure
        report.nextTry = self.turn.exchange.machine.phase == .waiting ? self.turn.exchange.until : nil
        report.outcome = self.outcome(of: report)
        if report.outcome == .inStep {
            // What the app let go on has come to an end.
            self.turn.exchange.maySyncAfterWentBack = false
            try self.turn.change { $0.lastInStep = self.now }
        }
        self.tellProgress(isOver: true)
        self.turn.exchange.tally = nil
        self.turn.want(.finish(report))
    }

    private func outcome(of report: CollectionReport) -> SyncReport.Outcome {
        // Only another URL helps, whatever a policy makes of it.
        if report.failure?.failureClass == .notFound { return .notFound }
        return switch self.turn.exchange.machine.phase {
        case .paused: report.failure?.failureClass.isOfAccess == true ? .unauthorised : .unreachable
        case .waiting: .unreachable
        // Cancelled: how far it came is not known.
        case .idle where report.failure != nil: .unreachable
        case .idle, .getting, .posting: report.conflicts.isEmpty ? (report.held.isEmpty ? .inStep : .held) : .conflicts
        }
    }

    private func tellProgress(isOver: Bool) {
        let (before, now) = (self.turn.exchange.tally?.gains, self.turn.gains)
        let progress = CollectionProgress(
            collection: self.collection, received: (before?.received ?? 0) + now.received,
            left: self.turn.exchange.left, sent: (before?.pushed.count ?? 0) + now.pushed.count, isOver: isOver)
        self.turn.want(.progress(progress))
    }
}

extension FailureClass {
    /// Whether it is about who we are, and not about whether the server can be reached.
    var isOfAccess: Bool {
        switch self {
        case .auth, .identityChanged: true
        case .offline, .busy, .portal, .notFound, .refused, .protocol, .historyLost, .cancelled: false
        }
    }
}
