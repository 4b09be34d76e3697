import TidemarkJSON
import TidemarkMachine
import TidemarkRules

// The inputs of the machine: a request for a sync, an answer, a failure.

extension ExchangeDriver {
    /// A caller requests a sync.
    func begin() throws(TidemarkError) {
        if self.transaction.exchange.sync == nil {
            self.transaction.exchange.sync = Exchange.RunningSync(tally: self.transaction.formerTally() ?? SyncTally())
        }
        // The first sync of a process: its rules may differ from those of the last process. So the owner also answers what a guest
        // has left open: each process has another engine.
        if self.transaction.exchange.machine.request.number == 0, !self.transaction.configuration.isGuest {
            try ConflictResolution(transaction: self.transaction).askAgain()
        }
        let machine = self.transaction.exchange.machine
        let mayBeSent = !machine.isUnderWay && machine.phase != .paused
        if mayBeSent { try self.requestResyncIfDue() }
        let edits = mayBeSent ? try Outbox(transaction: self.transaction).due(isAtEnd: false) : []
        let outlook = Machine.Outlook(hasEdits: !edits.isEmpty, throttling: self.throttlingFailure())
        try self.proceed(self.transaction.exchange.machine.dueOnRequest(outlook), edits)
    }

    /// The app renewed its credentials, or resumes a paused sync (Contract §3.5).
    func renew() throws(TidemarkError) {
        try self.receive(.renewed)
    }

    /// Passes an input to the machine, and carries out the actions.
    @discardableResult
    func receive(_ input: Machine.Input) throws(TidemarkError) -> Machine.Step {
        let step = self.transaction.exchange.machine.receive(input, self.transaction.exchangeLimits)
        try self.carryOut(step)
        return step
    }

    /// Passes a due event on. The edits of a POST are saved first, as they will be sent: a saved edit is always sent.
    private func proceed(_ due: Machine.Due, _ edits: [StoredRecord]) throws(TidemarkError) {
        let uploads = due.isPost ? try Outbox(transaction: self.transaction).freeze(edits) : []
        let step = self.transaction.exchange.machine.receive(
            due, posting: uploads.map(Machine.Posted.init), self.transaction.exchangeLimits)
        try self.carryOut(step, sending: uploads)
    }

    /// The edits in the request that have no result yet.
    var posted: [Machine.Posted] { self.transaction.exchange.machine.request.posted }

    var asked: Machine.Cursors { self.transaction.exchange.machine.request.cursors }

    /// Handles an answer: results first, then rows, then the cursor, in one transaction (Contract §3.2).
    func apply(_ answer: ExchangeAnswer) throws(TidemarkError) {
        if let flaw = answer.flaw(self.transaction.limits) { return try self.failMalformed(flaw, isOfOurs: false) }
        guard try self.isOfOurs(answer) else { return }
        let page = answer.page.quarantining(
            pksOver: self.transaction.limits.nameSize, pkMember: self.transaction.members.pk)
        guard try self.isOfOneHistory(answer, page) else { return }
        try self.storeParts(of: answer)
        if let failure = answer.failure { return try self.apply(answer.results, before: failure) }
        let inbox = Inbox(transaction: self.transaction)
        inbox.count(answer)
        let shown = try self.pksShown(by: answer)
        let count = self.posted.count
        let isWhole = try inbox.take(answer.results)
        let startsOver = try self.transaction.state().startsOver
        let isFirstPage = self.transaction.exchange.machine.isFirstPage(startsOver: startsOver)
        let isUnasked = answer.beginsResync && !isFirstPage
        let malformed = try inbox.countMalformed(page.malformed)
        guard malformed.mayPass, self.posted.isEmpty else {
            // The page will be requested again, so no row of it is applied. Its results count (I6, W8).
            try self.breakOff(afterSettling: count - self.posted.count)
            guard malformed.mayPass else {
                return try self.failMalformed("An item of the feed is malformed: \(page.malformed[0].reason).")
            }
            return try self.failUnanswered(answer.results)
        }
        if isUnasked {
            try self.transaction.change { $0.request(.historyLost) }
            self.transaction.exchange.sync?.left = answer.left
        }
        if self.asked.cursor == nil || isUnasked {
            try self.noteResync(since: self.transaction.exchange.pullBegan ?? self.now)
        }
        // If a result was not applied, the cursor stays, and the full resync begins with the next request.
        if isFirstPage || isUnasked && isWhole { try self.beginResync(shown: shown) }
        let (changed, knownRows) = try inbox.take(page)
        let known = malformed.known + knownRows
        // A full resync has cleared the quarantine.
        if malformed.isNews || isUnasked || isFirstPage { try inbox.quarantine(page.malformed) }
        let applied = Machine.Page(
            cursor: CodePointString(answer.cursor), hasMore: answer.hasMore, startsOver: isUnasked,
            isResyncing: try self.transaction.state().resync?.isRunning == true,
            hasRows: !page.rows.isEmpty || !page.malformed.isEmpty, isNews: changed > 0, knownRows: known,
            records: try self.recordCount(after: known), isWhole: isWhole)
        let step = try self.receive(.answered(applied))
        if let stall = step.stall {
            return try self.failMalformed(stall.words(of: self.transaction.collection, self.transaction.limits))
        }
        try self.goOn(isAtEnd: isWhole && !answer.hasMore)
    }

    /// The records in the results of the answer, if its page begins a full resync: the page need not return them again (W6).
    private func pksShown(by answer: ExchangeAnswer) throws(TidemarkError) -> [CodePointString] {
        guard answer.beginsResync else { return [] }
        return answer.results.compactMap { result in
            guard result.version != nil else { return nil }
            return self.transaction.exchange.machine.request.name(of: result.requestID)
        }
    }

    /// How many records are here; nil unless the machine has to know.
    private func recordCount(after known: Int) throws(TidemarkError) -> Int? {
        guard self.transaction.exchange.machine.needsRecordCount(knownRows: known, self.transaction.exchangeLimits)
        else {
            return nil
        }
        return try self.transaction.store.counts(in: self.transaction.collection).values.reduce(0, +)
    }

    private func goOn(isAtEnd: Bool) throws(TidemarkError) {
        if isAtEnd {
            let began = self.transaction.exchange.pullBegan
            self.transaction.exchange.sync?.lastPull = began
            self.transaction.exchange.pullBegan = nil
        }
        // A full resync may have been requested by the answer.
        let startsOver = try self.transaction.state().startsOver
        let isAtEnd = isAtEnd && !startsOver
        let edits = try Outbox(transaction: self.transaction).due(isAtEnd: isAtEnd)
        let waiting = isAtEnd && edits.isEmpty ? try self.reasonToWait() : nil
        let outlook = Machine.Outlook(
            hasEdits: !edits.isEmpty, isAtEnd: isAtEnd, waiting: waiting, throttling: self.throttlingFailure())
        try self.proceed(self.transaction.exchange.machine.dueAfterAnswer(outlook), edits)
    }

    /// Why changes wait for the next sync; nil if none does.
    private func reasonToWait() throws(TidemarkError) -> RemoteFailure? {
        let postponed = self.transaction.exchange.machine.postponed
        var count = 0
        for name in postponed.tries.keys.sorted() {
            let activity = try self.transaction.load(name.value).machine.phase.activity
            if activity == .idle || activity == .unconfirmed { count += 1 }
        }
        guard count > 0 else { return nil }
        let changes = count == 1 ? "1 change" : "\(count) changes"
        return postponed.isContention
            ? RemoteFailure(.busy, "Other devices were faster again and again; \(changes) will be sent again.")
            : RemoteFailure(.refused, "The server refused \(changes); the next sync sends them again.")
    }
}

// MARK: - The parts of an answer besides results and rows

extension ExchangeDriver {
    /// Stores the answer's cursor, counts its requests, and keeps its notices and its throttling.
    func storeParts(of answer: ExchangeAnswer) throws(TidemarkError) {
        try self.storeSeen(answer.cursor)
        self.transaction.counters.requests += max(1, answer.requests) - 1
        self.transaction.counters.note(answer.notices)
        if let wait = answer.wait, wait > .zero {
            self.transaction.exchange.throttledUntil = self.now + min(wait, self.transaction.limits.longestRetryAfter)
        }
    }

    /// Stores the newest cursor, that of an answer. The server checked the former one with the same request (W8).
    private func storeSeen(_ newest: String) throws(TidemarkError) {
        guard self.transaction.capabilities.judgesSeen, !newest.isEmpty,
            try self.transaction.state().cursor.map({ CodePointString($0) }) != CodePointString(newest)
        else { return }
        try self.transaction.change { $0.seen = newest }
    }

    /// The throttling of the server, as a failure; nil if a request may be sent.
    func throttlingFailure() -> RemoteFailure? {
        guard let until = self.transaction.exchange.throttledUntil, until > self.now else { return nil }
        let seconds = (until - self.now).components.seconds
        return RemoteFailure(.busy, "The server answers, but asks the client to wait \(max(1, seconds)) s.")
    }

    /// The exchange failed after some results: the results count, and the failure concerns the other edits (R17).
    func apply(_ results: [UploadResult], before failure: RemoteFailure) throws(TidemarkError) {
        let count = self.posted.count
        _ = try Inbox(transaction: self.transaction).take(results)
        try self.breakOff(afterSettling: count - self.posted.count)
        try self.handle(failure, isOfOurs: true)
    }

    /// Tells the machine that results were applied. The next input is about the edits without a result.
    func breakOff(afterSettling count: Int) throws(TidemarkError) {
        if count > 0 { try self.receive(.answered(nil)) }
    }
}

// MARK: - The account of an answer

extension ExchangeDriver {
    /// Whether an answer is from the store's account and history, or begins the history from then on.
    private func isOfOurs(_ answer: ExchangeAnswer) throws(TidemarkError) -> Bool {
        switch try self.origin(of: ServerIdentity(account: answer.account, epoch: answer.epoch)) {
        case .otherAccount:
            try self.rejectAccount()
            return false
        case .otherHistory: return try self.applyOtherHistory(answer)
        case .ours:
            if try self.known().account == nil {
                try self.transaction.store.set(SyncEngine.accountKey, to: answer.account)
            }
            try self.transaction.change { state in
                state.confirmClaim()
                state.epoch = answer.epoch
            }
            return true
        }
    }

    /// Whether an answer leaves each name of the server with its record. Otherwise the server was rolled back, and nothing of the
    /// answer is applied: a full resync finds the place of each record (Contract §12).
    private func isOfOneHistory(_ answer: ExchangeAnswer, _ page: FeedPage) throws(TidemarkError) -> Bool {
        let isResyncing = try self.transaction.state().isResyncing
        let mayBegin = isResyncing || answer.beginsResync || self.asked.cursor == nil
        let identity = RowIdentity(transaction: self.transaction)
        guard let loss = try identity.loss(in: answer.results, page, mayBegin: mayBegin) else { return true }
        try self.fail(with: RemoteFailure(.historyLost, loss, serverRolledBack: true), isOfOurs: true)
        return false
    }

    private func origin(of named: ServerIdentity) throws(TidemarkError) -> Machine.Origin {
        Machine.Identity(named).origin(in: Machine.Identity(try self.known()))
    }

    /// Handles an answer with another epoch.
    ///
    /// - Returns: Whether its page is applied.
    private func applyOtherHistory(_ answer: ExchangeAnswer) throws(TidemarkError) -> Bool {
        let failure = RemoteFailure(
            .historyLost, "The server has begun another history of \(self.transaction.collection).",
            serverRolledBack: true)
        try self.transaction.change { $0.confirmClaim() }
        let machine = self.transaction.exchange.machine
        let isFirstPage = machine.isFirstPage(startsOver: try self.transaction.state().startsOver)
        let verdict = isFirstPage ? self.verdict(on: failure) : nil
        if let verdict, machine.course(by: verdict) == .retry {
            try self.transaction.change { state in
                state.request(.rollback)
                state.epoch = answer.epoch
            }
            self.noteRollback()
            return true
        }
        // If the policy pauses, the epoch is not stored: the next answer has to show the new epoch again.
        let event = try self.fail(with: failure, isOtherEpoch: true, isOfOurs: true, verdict: verdict)
        guard event == .historyLost else { return false }
        try self.transaction.change { state in
            state.confirmClaim()
            state.epoch = answer.epoch
        }
        return false
    }

    /// Rejects an answer or failure of another account.
    private func rejectAccount() throws(TidemarkError) {
        let account = try self.known().account ?? ""
        let failure = RemoteFailure(
            .identityChanged,
            "Another account answers at this URL. The store belongs to “\(account)”, so the answer was not applied: "
                + "sign in to the account of the store, or use another store.")
        try self.transaction.change { $0.claim = nil }
        try self.fail(with: failure)
    }
}

extension ExchangeMachine.Identity where Name == CodePointString {
    fileprivate init(_ identity: ServerIdentity) {
        self.init(
            account: identity.account.map { CodePointString($0) }, epoch: identity.epoch.map { CodePointString($0) })
    }
}

// MARK: - Failures

extension ExchangeDriver {
    /// Handles an exchange without an answer, or the rest of a partial answer (Contract §3.5).
    ///
    /// - Parameter isOfOurs: Whether an answer of the store's own account came before.
    func handle(_ failure: RemoteFailure, isOfOurs: Bool = false) throws(TidemarkError) {
        switch try self.origin(of: ServerIdentity(account: failure.account)) {
        case .otherAccount: try self.rejectAccount()
        case .ours, .otherHistory: try self.fail(with: failure, isOfOurs: isOfOurs)
        }
    }

    /// Handles a malformed answer. It never means "no rows" (Contract §3.5).
    private func failMalformed(
        _ message: String, mayBeOfOneRecord: Bool = false, isOfOurs: Bool = true
    ) throws(TidemarkError) {
        let failure = RemoteFailure(.invalidAnswer, message)
        try self.fail(with: failure, isEvidence: mayBeOfOneRecord, isOfOurs: isOfOurs)
    }

    /// Edits have no result, which is malformed; or the outcome of each of them is unknown.
    private func failUnanswered(_ results: [UploadResult]) throws(TidemarkError) {
        let unanswered = self.posted
        let unknown = Set(results.lazy.filter { $0.outcome == .unknown }.map { CodePointString($0.requestID) })
        guard unanswered.allSatisfy({ unknown.contains(CodePointString($0.requestID)) }) else {
            return try self.failMalformed(
                "The server left \(unanswered.count) edits without a result.", mayBeOfOneRecord: true)
        }
        let edits = unanswered.count == 1 ? "the one edit" : "any of \(unanswered.count) edits"
        let failure = RemoteFailure(.busy, "The server answers, but it is unknown whether it accepted \(edits).")
        try self.fail(with: failure, isOfOurs: true)
    }

    /// Has a failure diagnosed by the machine, and passes it on with the choice of the policy of its class.
    ///
    /// - Parameters:
    ///   - isOtherEpoch: Whether an answer shows it by another epoch.
    ///   - isEvidence: Whether an edit of the request may be the cause.
    ///   - isOfOurs: Whether it is about an answer of the store's own account.
    ///   - verdict: The choice of the policy for the failure itself, if it was asked already.
    @discardableResult
    func fail(
        with failure: RemoteFailure, isOtherEpoch: Bool = false, isEvidence: Bool = true, isOfOurs: Bool = false,
        verdict asked: Machine.Verdict? = nil
    ) throws(TidemarkError) -> ExchangeEvent {
        let failed = Machine.Failed(
            failure.failureClass, failure.blame, isOtherEpoch: isOtherEpoch, isEvidence: isEvidence, isOfOurs: isOfOurs)
        let limits = self.transaction.exchangeLimits
        let diagnosed = self.transaction.exchange.machine.diagnose(failed, limits)
        let cause = diagnosed.diagnosis.cause(of: failure, in: self.transaction.collection)
        let known = diagnosed.asksPolicy ? diagnosed.diagnosis == .itself ? asked : nil : .init(cause, .retry)
        let verdict = known ?? self.verdict(on: cause)
        let step = self.transaction.exchange.machine.receive(diagnosed, verdict, limits)
        try self.carryOut(step)
        return step.event
    }

    /// Asks the policy of a failure's class.
    private func verdict(on failure: RemoteFailure) -> Machine.Verdict {
        let configuration = self.transaction.configuration
        let attempt = self.transaction.exchange.machine.memory.attempts + 1
        let failed = FailedExchange(collection: self.transaction.collection, cause: failure, attempt: attempt)
        let pauses = configuration.serverRolledBack == .pause
        return switch configuration.policies[failure.failureClass].decide(failed) {
        case .retry(let wait): .init(failure, .retry, wait: wait, pausesAtRollback: pauses)
        case .pause: .init(failure, .pause, pausesAtRollback: pauses)
        }
    }
}

extension ExchangeMachine.Diagnosis {
    /// Returns the actual cause of a failure.
    fileprivate func cause(of failure: RemoteFailure, in collection: String) -> RemoteFailure {
        switch self {
        case .itself, .refusalOfOne, .tooMuch: failure
        case .refusalOfEveryone:
            RemoteFailure(
                .invalidAnswer, "The server refuses one change after the other: \(failure.message)",
                problem: failure.problem, retryAfter: failure.retryAfter, blame: .server)
        case .rollback: failure.asRollback
        case .noHistory:
            RemoteFailure(
                .invalidAnswer,
                "The server reports a lost history of \(collection) even for a request from the start: \(failure.message)"
            )
        case .alternatingHistories:
            RemoteFailure(
                .invalidAnswer,
                "The history of \(collection) was lost again and again in one sync: do several servers answer at this URL?"
            )
        case .staleCredentials:
            RemoteFailure(
                .cancelled,
                "The request was sent before the app renewed the credentials or the URL; the next sync uses the new ones."
            )
        }
    }
}

extension RemoteFailure {
    /// This failure, marked as one of a server that was rolled back.
    fileprivate var asRollback: RemoteFailure {
        var failure = self
        failure.serverRolledBack = true
        return failure
    }
}

extension ExchangeMachine.FeedStall {
    fileprivate func words(of collection: String, _ limits: SyncLimits) -> String {
        switch self {
        case .sameCursor:
            "A page of the feed is not the last one, but its cursor is that of the request, so the next page would be the same. "
                + "Check that the server returns only rows after the cursor that the request names."
        case .circle: "The server's feed repeats in a cycle: a cursor occurred again, with more rows after it."
        case .restarts: "The server begins a full resync again and again, and never reaches its end."
        case .emptyPages(let count): "The server reports more rows, but sent \(count) pages without a row."
        case .knownRows(let count, let records):
            """
            The feed of “\(collection)” seems to have no end: this sync has read \(count) rows that are stored here already, \
            and the server reports more rows. There are \(records) records here, and no more than \(limits.knownRows) known \
            rows beyond that are read. The next sync continues after the last page. If it fails in the same way, check how the \
            server divides its feed into pages, or raise SyncLimits.knownRows.
            """
        }
    }
}

extension ExchangeAnswer {
    /// Returns why an answer is invalid, before any of it is applied; nil if it is valid. Its cursor and names are saved and
    /// sent with each request, so their size is limited.
    fileprivate func flaw(_ limits: SyncLimits) -> String? {
        let limit = limits.cursorSize
        let names = [("cursor", self.cursor), ("epoch", self.epoch), ("account", self.account)]
        if let (name, text) = names.first(where: { $0.1.utf8.count > limit }) {
            return "The server's \(name) has \(text.utf8.count) bytes, and at most \(limit) are allowed."
        }
        let sizes = self.results.lazy.compactMap { $0.name?.utf8.count }
        guard let size = sizes.first(where: { $0 > limits.nameSize }) else { return nil }
        return "The server's name of a record has \(size) bytes, and at most \(limits.nameSize) are allowed."
    }
}
