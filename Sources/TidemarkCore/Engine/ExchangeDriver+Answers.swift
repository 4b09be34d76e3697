import TidemarkJSON
import TidemarkMachine
import TidemarkRules

// The inputs of the machine: a request for a sync, an answer, a failure.

extension ExchangeDriver {
    /// Someone asks for a sync.
    func begin() throws(TidemarkError) {
        if self.turn.exchange.tally == nil { self.turn.exchange.begin() }
        if !self.turn.exchange.hasAskedAgain {
            self.turn.exchange.hasAskedAgain = true
            try Question(turn: self.turn).askAgain()
        }
        let machine = self.turn.exchange.machine
        let mayBeSent = !machine.isUnderWay && machine.phase != .paused
        if mayBeSent { try self.listInTime() }
        let hasEdits = mayBeSent ? try Outbox(turn: self.turn).hasSomethingToSend() : false
        try self.proceed(.init(hasEdits: hasEdits, rest: self.reasonToRest())) { .requested($0) }
    }

    /// The app renewed its credentials, or wants what was paused to go on (SPEC §3.5).
    func renew() throws(TidemarkError) {
        let machine = self.turn.exchange.machine
        if machine.phase == .paused {
            self.turn.exchange.maySyncAfterWentBack = machine.failure?.serverWentBack == true
        }
        let hasAccount = try self.turn.store.setting(SyncEngine.accountKey) != nil
        try self.tell(.renewed(hasAccount: hasAccount))
    }

    /// Passes an input to the machine, and carries out the actions.
    @discardableResult
    func tell(_ input: Machine.Input, _ news: News = .nothing) throws(TidemarkError) -> Machine.Step {
        let step = self.turn.exchange.machine.receive(input, self.turn.exchangeLimits)
        try self.carryOut(step, news)
        return step
    }

    /// Passes the work that is left to the machine. The edits of a POST are chosen and saved before.
    private func proceed(
        _ outlook: Machine.Outlook, as input: (Machine.Outlook) -> Machine.Input
    ) throws(TidemarkError) {
        guard self.turn.exchange.machine.mayPost(input(outlook)) else {
            try self.tell(input(outlook))
            return
        }
        var outlook = outlook
        let uploads = try Outbox(turn: self.turn).take()
        outlook.chosen = uploads.map { Machine.Posted(requestID: $0.requestID, name: CodePointString($0.pk)) }
        try self.tell(input(outlook), .uploads(uploads))
    }

    /// The edits in the request that have no result yet.
    var posted: [Machine.Posted] { self.turn.exchange.machine.request.posted }

    /// An answer came: results first, then rows, then the watermark, in one transaction (SPEC §3.2).
    func take(_ answer: ExchangeAnswer) throws(TidemarkError) {
        if let flaw = answer.flaw(self.turn.limits) { return try self.misunderstand(flaw, isOfOurs: false) }
        guard try self.isOfOurs(answer) else { return }
        try self.note(answer)
        if let failure = answer.failure { return try self.take(answer.results, before: failure) }
        let inbox = Inbox(turn: self.turn)
        inbox.count(answer)
        let shown = try self.pksShown(by: answer)
        let count = self.posted.count
        let isWhole = try inbox.take(answer.results)
        let isFirstPage = try self.isFirstPage()
        let isUnasked = answer.beginsListing && !isFirstPage
        let page = answer.page.settingAside(pksOver: self.turn.limits.nameSize)
        let oddities = try inbox.weigh(page.malformed, isAfresh: isFirstPage || isUnasked)
        guard oddities.mayPass, self.posted.isEmpty else {
            // The page comes again, so nothing of it is applied. Its results count (I6, W8).
            try self.breakOff(afterSettling: count - self.posted.count)
            guard oddities.mayPass else {
                return try self.misunderstand("An item of the feed makes no sense: \(page.malformed[0].reason).")
            }
            return try self.miss(answer.results)
        }
        if isUnasked {
            try self.turn.change { $0.request(.historyLost) }
            self.turn.exchange.left = answer.left
        }
        if self.turn.exchange.asked.cursor == nil || isUnasked {
            try self.noteListing(since: self.turn.exchange.pullBegan ?? self.now)
        }
        // Where a result was not applied, the cursor stays, and the full resync begins with the next request.
        if isFirstPage || isUnasked && isWhole { try self.beginResync(shown: shown) }
        let (changed, knownRows) = try inbox.take(page)
        let known = oddities.known + knownRows
        if oddities.isNews { try inbox.setAside(page.malformed) }
        let applied = Machine.Page(
            former: self.turn.exchange.asked.cursor.map { CodePointString($0) },
            watermark: CodePointString(answer.watermark), hasMore: answer.hasMore, startsOver: isUnasked,
            isListing: try self.turn.state().resync?.isRunning == true,
            hasRows: !page.rows.isEmpty || !page.malformed.isEmpty, isNews: changed > 0, knownRows: known,
            records: try self.recordCount(after: known), isWhole: isWhole)
        let step = try self.tell(.answered(applied), .watermark(answer.watermark))
        if let standstill = step.standstill {
            return try self.misunderstand(standstill.words(of: self.turn.collection, self.turn.limits))
        }
        try self.goOn(isAtEnd: isWhole && !answer.hasMore)
    }

    /// The records that results of the answer have returned, if its page begins a listing: the page need not return them again (W6).
    private func pksShown(by answer: ExchangeAnswer) throws(TidemarkError) -> [CodePointString] {
        guard answer.beginsListing else { return [] }
        return answer.results.compactMap { result in
            guard result.version != nil else { return nil }
            return self.turn.exchange.machine.request.name(of: result.requestID)
        }
    }

    /// How many records are here; nil unless the machine has to know.
    private func recordCount(after known: Int) throws(TidemarkError) -> Int? {
        guard self.turn.exchange.machine.needsRecordCount(knownRows: known, self.turn.exchangeLimits) else {
            return nil
        }
        return try self.turn.store.counts(in: self.turn.collection).values.reduce(0, +)
    }

    private func goOn(isAtEnd: Bool) throws(TidemarkError) {
        if isAtEnd {
            self.turn.exchange.lastPull = self.turn.exchange.pullBegan
            self.turn.exchange.pullBegan = nil
        }
        // A full resync may have been requested by the answer.
        let startsOver = try self.turn.state().startsOver
        let isAtEnd = isAtEnd && !startsOver
        let hasEdits = try Outbox(turn: self.turn).hasSomethingToSend()
        let waiting = isAtEnd && !hasEdits ? try self.reasonToWait() : nil
        try self.proceed(
            .init(hasEdits: hasEdits, isAtEnd: isAtEnd, waiting: waiting, rest: self.reasonToRest())
        ) { .next($0) }
    }

    /// Why changes wait for the next sync; nil where none does.
    private func reasonToWait() throws(TidemarkError) -> RemoteFailure? {
        let postponed = self.turn.exchange.machine.postponed
        var count = 0
        for name in postponed.tries.keys.sorted() {
            let activity = try self.turn.load(name.value).machine.phase.activity
            if activity == .idle || activity == .unconfirmed { count += 1 }
        }
        guard count > 0 else { return nil }
        let changes = count == 1 ? "1 change" : "\(count) changes"
        return postponed.isContention
            ? RemoteFailure(.busy, "Other devices were faster again and again; \(changes) will be sent again.")
            : RemoteFailure(.refused, "The server refused \(changes), to be sent again.")
    }
}

// MARK: - Who answers

extension ExchangeDriver {
    /// Whether an answer is for us: two accounts are never mixed in one store, and two histories never in one watermark.
    private func isOfOurs(_ answer: ExchangeAnswer) throws(TidemarkError) -> Bool {
        let store = self.turn.store
        let account = try store.setting(SyncEngine.accountKey)
        if try self.turnAway(answer.account, from: account) { return false }
        if account == nil { try store.set(SyncEngine.accountKey, to: answer.account) }
        try self.turn.change { $0.confirmClaim() }
        let epoch = try self.turn.state().epoch
        guard epoch.map({ CodePointString($0) }) != CodePointString(answer.epoch) else { return true }
        guard epoch != nil else {
            try self.turn.change { $0.epoch = answer.epoch }
            return true
        }
        let failure = RemoteFailure(
            .historyLost, "The server has begun another history of \(self.turn.collection).", serverWentBack: true)
        if try self.isFirstPage() {
            // If the policy pauses, the epoch is not stored: the next answer has to show the other one again.
            guard case .pause = self.course(of: failure) else {
                try self.turn.change { state in
                    state.request(.rollback)
                    state.epoch = answer.epoch
                }
                self.noteRollback()
                return true
            }
        }
        if try self.fail(with: failure, hasCursor: true, isOfOurs: true) == .historyLost {
            try self.turn.change { state in
                state.confirmClaim()
                state.epoch = answer.epoch
            }
        }
        return false
    }

    /// Turns away what came from another account than the store's, which is none before the first answer.
    ///
    /// - Returns: Whether it was another one.
    private func turnAway(_ stranger: String, from account: String?) throws(TidemarkError) -> Bool {
        guard let account, CodePointString(account) != CodePointString(stranger) else { return false }
        let failure = RemoteFailure(
            .identityChanged,
            "Another account answers behind this URL. The store belongs to “\(account)”, and nothing was sent or taken: sign in with that account, or use another store."
        )
        try self.turn.change { $0.claim = nil }
        try self.fail(with: failure, hasCursor: true)
        return true
    }
}

// MARK: - Failures

extension ExchangeDriver {
    /// Handles an exchange without an answer, or the rest of a partial answer (SPEC §3.5).
    ///
    /// - Parameter isOfOurs: Whether an answer of the store's own account came before.
    func take(_ failure: RemoteFailure, isOfOurs: Bool = false) throws(TidemarkError) {
        if let stranger = failure.account,
            try self.turnAway(stranger, from: self.turn.store.setting(SyncEngine.accountKey))
        {
            return
        }
        try self.fail(with: failure, isOfOurs: isOfOurs)
    }

    /// The answer makes no sense. It is never taken for "no rows" (SPEC §3.5).
    private func misunderstand(
        _ message: String, mayBeARecordsDoing: Bool = false, isOfOurs: Bool = true
    ) throws(TidemarkError) {
        let failure = RemoteFailure(.protocol, message)
        try self.fail(with: failure, isEvidence: mayBeARecordsDoing, isOfOurs: isOfOurs)
    }

    /// Edits were left without a result, which makes no sense; or nothing is known of any of them.
    private func miss(_ results: [UploadResult]) throws(TidemarkError) {
        let unanswered = self.posted
        let unknown = Set(results.lazy.filter { $0.outcome == .unknown }.map { CodePointString($0.requestID) })
        guard unanswered.allSatisfy({ unknown.contains(CodePointString($0.requestID)) }) else {
            return try self.misunderstand(
                "The server left \(unanswered.count) edits without a result.", mayBeARecordsDoing: true)
        }
        let edits = unanswered.count == 1 ? "the one edit" : "any of \(unanswered.count) edits"
        let failure = RemoteFailure(.busy, "The server works, and no one knows whether it took \(edits).")
        try self.fail(with: failure, isOfOurs: true)
    }

    /// Has a failure diagnosed by the machine, asks the policy of its class, and passes both to the machine.
    ///
    /// - Parameters:
    ///   - hasCursor: Whether it is about the cursor; nil where that depends on the request.
    ///   - isEvidence: Whether an edit of the request may be the cause.
    ///   - isOfOurs: Whether it is about an answer of the store's own account.
    @discardableResult
    func fail(
        with failure: RemoteFailure, hasCursor: Bool? = nil, isEvidence: Bool = true, isOfOurs: Bool = false
    ) throws(TidemarkError) -> ExchangeEvent {
        let asked = self.turn.exchange.asked
        var failed = Machine.Failed(
            failure.failureClass, failure.blame, hasCursor: hasCursor ?? (asked.cursor != nil),
            hasSeen: asked.seen != nil, isEvidence: isEvidence, isOfOurs: isOfOurs)
        let reading = self.turn.exchange.machine.reading(of: failed, self.turn.exchangeLimits)
        let cause = reading.cause(of: failure, in: self.turn.collection)
        failed.verdict = reading.asksPolicy ? self.verdict(on: cause) : .init(cause, cause.failureClass, .retry)
        return try self.tell(.failed(failed), .failure(cause)).event
    }

    private func verdict(on failure: RemoteFailure) -> Machine.Verdict {
        switch self.course(of: failure) {
        case .retry(let wait): .init(failure, failure.failureClass, .retry, wait: wait)
        case .pause: .init(failure, failure.failureClass, .pause)
        }
    }

    /// What the policy of a failure's class says; a pause where the app wants to be asked first.
    private func course(of failure: RemoteFailure) -> FailureVerdict {
        let attempt = self.turn.exchange.machine.memory.attempts + 1
        let failed = FailedExchange(collection: self.turn.collection, cause: failure, attempt: attempt)
        let verdict = self.turn.configuration.policies[failure.failureClass].decide(failed)
        return LostHistory(turn: self.turn).isStopping(failure) ? .pause : verdict
    }
}

extension ExchangeMachine.Reading {
    /// Whether the policy of its class has a say.
    fileprivate var asksPolicy: Bool { self != .refusalOfOne && self != .tooMuch }

    /// What a failure really is.
    fileprivate func cause(of failure: RemoteFailure, in collection: String) -> RemoteFailure {
        switch self {
        case .itself, .refusalOfOne, .tooMuch: failure
        case .refusalOfEveryone:
            RemoteFailure(
                .protocol, "The server refuses one change after the other: \(failure.message)",
                problem: failure.problem, retryAfter: failure.retryAfter, blame: .server)
        case .rollback: failure.asRollback
        case .noHistory:
            RemoteFailure(
                .protocol, "The server has no history of \(collection) to begin with: \(failure.message)")
        case .historiesTakeTurns:
            RemoteFailure(
                .protocol,
                "The history of \(collection) was lost again and again in one sync: do several servers take turns behind this URL?"
            )
        case .ofFormerCredentials:
            RemoteFailure(
                .cancelled,
                "The request was sent before the app renewed the credentials or the URL; the next sync uses the new ones."
            )
        }
    }
}

extension RemoteFailure {
    /// The same failure of a server that was rolled back.
    fileprivate var asRollback: RemoteFailure {
        var failure = self
        failure.serverWentBack = true
        return failure
    }
}

extension ExchangeMachine.Standstill {
    fileprivate func words(of collection: String, _ limits: SyncLimits) -> String {
        switch self {
        case .sameWatermark: "The server says there is more, but its watermark stands still."
        case .circle: "The server's feed goes round in a circle: a watermark came again, with more to come after it."
        case .beginnings: "The server begins to list everything again and again, and comes to no end."
        case .emptyPages(let count): "The server says there is more, and sent \(count) pages without a row."
        case .knownRows(let count, let records):
            """
            The feed of “\(collection)” seems to have no end: this sync has read \(count) rows that are stored here already, \
            and the server says there is more. There are \(records) records here, and no more than \(limits.knownRows) known \
            rows beyond that are read. The next sync continues after the last page. If it fails in the same way, check how the \
            server divides its feed into pages, or raise SyncLimits.knownRows.
            """
        }
    }
}

extension ExchangeAnswer {
    /// What is wrong with an answer before anything of it is taken in; nil when nothing is. What it names is saved and
    /// sent with each request, so it must not be of any size.
    fileprivate func flaw(_ limits: SyncLimits) -> String? {
        let limit = limits.watermarkSize
        let names = [("watermark", self.watermark), ("epoch", self.epoch), ("account", self.account)]
        if let (name, text) = names.first(where: { $0.1.utf8.count > limit }) {
            return "The server's \(name) has \(text.utf8.count) bytes, and \(limit) are the most that is taken."
        }
        let sizes = self.results.lazy.compactMap { $0.name?.utf8.count }
        guard let size = sizes.first(where: { $0 > limits.nameSize }) else { return nil }
        return "The server's name of a record has \(size) bytes, and \(limits.nameSize) are the most that is taken."
    }
}
