import TidemarkJSON
import TidemarkMachine
import TidemarkRules

/// Carries out the actions of the exchange's machine, and gathers the facts for its inputs.
struct ExchangeDriver {
    typealias Machine = Exchange.Machine

    let transaction: EngineTransaction
    let now: Duration

    init(transaction: EngineTransaction, now: Duration) {
        self.transaction = transaction
        self.now = now
        transaction.now = now
    }

    private var collection: String { self.transaction.collection }

    /// Carries out the work of a step.
    ///
    /// - Parameter uploads: The edits of a POST, with their bytes.
    func carryOut(_ step: Machine.Step, sending uploads: [UploadRequest] = []) throws(TidemarkError) {
        self.transaction.note(SyncTrace.Step(step, of: self.collection, at: self.now))
        for work in step.work {
            switch work {
            case .refuse(let edit, let failure): try self.refuse(edit, failure)
            case .markUnconfirmed(let posted): try self.markUnconfirmed(posted)
            case .countPoisonFailure(let name, let failure): try self.countPoisonFailure(of: name.value, failure)
            case .advanceCursor(let cursor): try self.advanceCursor(to: cursor.value)
            case .endResync: try Inbox(transaction: self.transaction).endResync()
            case .claimHistoryLoss(let isRollback): try self.claimHistoryLoss(isRollback ? .rollback : .historyLost)
            case .post(let posted):
                precondition(posted == uploads.map(Machine.Posted.init), "A POST of other edits than were chosen.")
                try self.send(uploads)
            case .get: try self.send([])
            case .backOff(let backOff): self.backOff(backOff)
            case .throttle(let isBackingOff): self.throttle(isBackingOff: isBackingOff)
            case .finish(let ending): try self.finish(ending)
            }
        }
    }

    private var driver: RecordDriver { RecordDriver(transaction: self.transaction) }
}

// MARK: - Records that were posted

extension ExchangeDriver {
    /// A refusal of a request with one edit is a refusal of the edit.
    private func refuse(_ edit: Machine.Posted, _ failure: RemoteFailure) throws(TidemarkError) {
        let answer = Record.Machine.Answer(refusedWhole: failure.blame)
        try self.forEach([edit]) { (record) throws(TidemarkError) in
            try self.driver.drive(&record, DrivenInput(.answered(answer), hold: RecordHold(refusedWith: failure)))
        }
    }

    /// Marks each upload of the request as unconfirmed (R17).
    private func markUnconfirmed(_ posted: [Machine.Posted]) throws(TidemarkError) {
        try self.forEach(posted) { (record) throws(TidemarkError) in
            try self.driver.drive(&record, .lost)
            self.transaction.tell(record.pk, .upload, record.machine.phase)
        }
    }

    /// Calls the closure for each record whose upload is in the request.
    private func forEach(
        _ posted: [Machine.Posted], _ body: (inout Record) throws(TidemarkError) -> Void
    ) throws(TidemarkError) {
        for edit in posted {
            guard let stored = try self.transaction.store.record(edit.name.value, in: self.collection) else { continue }
            let damage = try self.transaction.damage { () throws(TidemarkError) in
                var record = try self.transaction.read(stored)
                guard record.machine.canReceive(.lost), record.machine.upload?.requestID == edit.requestID else {
                    return
                }
                try body(&record)
            }
            if damage != nil { self.transaction.leaveOut(edit.name.value) }
        }
    }

    /// Counts a failure against the poison suspect, since another exchange has succeeded (Contract §3.6).
    private func countPoisonFailure(of pk: String, _ failure: RemoteFailure?) throws(TidemarkError) {
        guard var record = try self.transaction.undamaged(pk),
            record.machine.phase.activity == .unconfirmed
        else { return }
        record.failures += 1
        guard self.transaction.exchangeLimits.isPoison(after: record.failures) else {
            return try self.transaction.store.save(record.stored, in: self.collection)
        }
        record.failures = 0
        try self.driver.drive(&record, DrivenInput(.hold, hold: RecordHold(aloneWith: failure)))
    }
}

// MARK: - The feed

extension ExchangeDriver {
    private func advanceCursor(to cursor: String) throws(TidemarkError) {
        try self.transaction.change { state in
            state.cursor = cursor
            state.seen = nil
        }
    }

    /// Stores the refusal as a claim, since not every server names its account in a refusal.
    private func claimHistoryLoss(_ reason: CollectionState.Resync.Reason) throws(TidemarkError) {
        self.transaction.exchange.sync?.left = nil
        try self.transaction.change { $0.claim(reason) }
        if reason == .rollback { self.noteRollback() }
    }
}

extension ExchangeDriver {
    /// Makes the report show that the server was rolled back, even if no value was lost.
    func noteRollback() {
        self.transaction.counters.lostByServer = self.transaction.counters.lostByServer ?? 0
    }
}

// MARK: - Requests

extension ExchangeDriver {
    private func send(_ uploads: [UploadRequest]) throws(TidemarkError) {
        self.transaction.counters.requests += 1
        let number = self.transaction.exchange.machine.request.number
        let cursors = Machine.KnownFeed(try self.transaction.state(), self.transaction.capabilities).cursors
        self.transaction.exchange.machine.request.cursors = cursors
        try self.notePull()
        let request = ExchangeRequest(
            collection: self.collection, uploads: uploads, cursor: cursors.cursor?.value, seen: cursors.seen?.value,
            limit: self.transaction.exchange.machine.pageSize(self.transaction.exchangeLimits),
            countsRows: self.transaction.exchange.sync?.left == nil,
            known: try self.known())
        self.tellProgress(isOver: false)
        let token = ExchangeToken(
            collection: self.collection, number: number, engine: self.transaction.engineNumber)
        self.transaction.emit(.send(request, token))
    }

    /// Stores when the pull begins, unless one is in progress. A full resync that another process began has an unknown time, so it
    /// counts as long ago.
    private func notePull() throws(TidemarkError) {
        guard self.transaction.exchange.pullBegan == nil else { return }
        self.transaction.exchange.pullBegan = try self.transaction.state().resync?.isRunning == true ? .zero : self.now
    }

    /// Returns the account and the history of the data in this store.
    func known() throws(TidemarkError) -> ServerIdentity {
        ServerIdentity(
            account: try self.transaction.store.setting(SyncEngine.accountKey),
            epoch: try self.transaction.state().epoch)
    }

    private func backOff(_ backOff: Machine.BackOff) {
        let own = self.transaction.configuration.retry.delay(
            attempt: backOff.attempt, using: &self.transaction.memory.generator)
        let asked: Duration? =
            switch backOff.failure?.retryAfter {
            case .delay(let delay): delay
            case .time(let time): time - self.now
            case nil: nil
            }
        let wait = backOff.wait(own: own, asked: asked, longest: self.transaction.limits.longestRetryAfter)
        self.wait(until: max(self.now + wait, self.transaction.exchange.throttledUntil ?? .zero))
    }

    /// Waits until the server accepts requests again. A back-off in progress is not shortened.
    private func throttle(isBackingOff: Bool) {
        let former = isBackingOff ? self.transaction.exchange.until : nil
        self.wait(until: max(former ?? self.now, self.transaction.exchange.throttledUntil ?? self.now))
    }

    private func wait(until time: Duration) {
        self.transaction.exchange.until = time
        self.transaction.emit(.wake(collection: self.collection, at: time))
    }
}

// MARK: - The end of a sync

extension ExchangeDriver {
    private func finish(_ ending: Machine.Ending) throws(TidemarkError) {
        guard let sync = self.transaction.exchange.sync else { return }
        let waiting = try self.transaction.store.waiting(in: self.collection)
        var report = sync.tally.report(of: self.collection, with: self.transaction.counters)
        report.conflicts = waiting.deciding
        report.held = CollectionReport.once(
            waiting.held.map(\.pk)
                + (try self.transaction.store.quarantinedItems(in: self.collection).map(\.pk))
                + sync.damaged.sorted().map(\.value))
        report.waiting = try ReferenceRule(self.transaction)?.waiting() ?? []
        report.watched = try LostUpdateGuard(transaction: self.transaction).end(by: sync.lastPull)
        report.cursor = try self.transaction.state().cursor
        report.failure = ending.failure
        report.nextTry = ending.isWaiting ? self.transaction.exchange.until : nil
        report.outcome = SyncReport.Outcome(
            ending.end(
                hasConflicts: !report.conflicts.isEmpty, hasHeld: !report.held.isEmpty,
                hasWaiting: !report.waiting.isEmpty))
        if report.outcome == .inSync { try self.transaction.change { $0.lastInSync = self.now } }
        try self.endWaitingWrites()
        self.tellProgress(isOver: true)
        self.transaction.exchange.sync = nil
        self.transaction.emit(.finish(report))
    }

    /// Ends the waits for the outcomes of writes that no sync will send before the user has acted on another record.
    private func endWaitingWrites() throws(TidemarkError) {
        guard let rule = ReferenceRule(self.transaction) else { return }
        for name in self.transaction.memory.watch.names(in: CodePointString(self.collection)) {
            guard let awaited = try rule.blockedWait(of: name) else { continue }
            let outcome = WriteOutcome.waiting(collection: awaited.collection.value, pk: awaited.pk.value)
            for (number, outcome) in self.transaction.memory.watch.end(name, with: outcome) {
                self.transaction.emit(.settle(write: number, outcome))
            }
        }
    }

    private func tellProgress(isOver: Bool) {
        let (before, now) = (self.transaction.exchange.sync?.tally.counters, self.transaction.counters)
        let progress = SyncStatus.CollectionProgress(
            collection: self.collection, received: (before?.received ?? 0) + now.received,
            left: self.transaction.exchange.sync?.left, sent: (before?.pushed.count ?? 0) + now.pushed.count,
            isOver: isOver)
        self.transaction.emit(.progress(progress))
    }
}

extension SyncReport.Outcome {
    fileprivate init(_ end: SyncEnd) {
        self =
            switch end {
            case .unauthorized: .unauthorized
            case .notFound: .notFound
            case .unreachable: .unreachable
            case .conflicts: .conflicts
            case .held: .held
            case .waiting: .waiting
            case .inSync: .inSync
            }
    }
}

extension ExchangeMachine.Posted where Name == CodePointString {
    init(_ upload: UploadRequest) { self.init(requestID: upload.requestID, name: CodePointString(upload.pk)) }
}

extension ExchangeMachine.KnownFeed where Name == CodePointString {
    init(_ state: CollectionState, _ capabilities: RemoteCapabilities) {
        self.init(
            cursor: state.cursor.map { CodePointString($0) }, seen: state.seen.map { CodePointString($0) },
            startsOver: state.startsOver,
            isRolledBack: state.claim == .rollback || state.resync?.reason == .rollback,
            judgesSeen: capabilities.judgesSeen)
    }
}
