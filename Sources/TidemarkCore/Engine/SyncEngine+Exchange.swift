import TidemarkJSON
import TidemarkMachine

// The driver of the exchange's table: inputs from whoever owns the network and the clock.

extension SyncEngine {
    /// Begins a sync of a collection. While one is going on, this joins it.
    ///
    /// A sync does not wait out a back-off: it tries at once. It tries once, too, where it pauses for credentials that
    /// were bad: they may be good by now. Any other pause stays one; see ``renew(_:)``.
    public func sync(_ collection: String, now: Duration) throws(TidemarkError) -> [Effect] {
        try self.commit { (effects) throws(TidemarkError) in
            try self.resumeTrouble(of: collection)
            var exchange = self.exchange(of: collection)
            if exchange.report == nil {
                exchange.report = CollectionReport(collection: collection)
                exchange.listings = 0
                exchange.walk = FeedWalk()
                exchange.postponed = [:]
                exchange.damaged = []
                exchange.received = 0
                exchange.left = nil
            }
            self.keep(exchange, of: collection)
            guard let event = try self.due(in: collection) else { return try self.finish(collection, &effects) }
            try self.happen(event, in: collection, now: now, &effects)
        }
    }

    /// What is next for a sync that someone asked for; nil where a pause lets nothing be.
    private func due(in collection: String) throws(TidemarkError) -> ExchangeEvent? {
        let exchange = self.exchange(of: collection)
        guard exchange.phase != .paused else {
            // Another account stays another one, and what a policy of the app paused, the app lets go on.
            return exchange.failure?.failureClass == .auth ? .dueToTryAccess : nil
        }
        guard try self.hasSomethingToSend(in: collection) else { return .dueToGet }
        // The queue belongs to the account that made it: whoever the new credentials are of is asked first.
        return exchange.readsFirst || exchange.isAccountInDoubt ? .dueToReadFirst : .dueToPost
    }

    /// Takes in an answer. One that comes late, twice, or for another process is dropped.
    public func receive(
        _ answer: ExchangeAnswer, for token: ExchangeToken, now: Duration
    ) throws(TidemarkError) -> [Effect] {
        guard self.isAwaited(token) else { return [] }
        return try self.settle(token, now: now) { (effects) throws(TidemarkError) in
            let event = try self.apply(answer, in: token.collection, &effects)
            try self.happen(event, in: token.collection, now: now, &effects)
            try self.saveTrouble(of: token.collection)
        }
    }

    /// Takes in that an exchange brought no answer.
    public func fail(
        _ failure: RemoteFailure, for token: ExchangeToken, now: Duration
    ) throws(TidemarkError) -> [Effect] {
        guard self.isAwaited(token) else { return [] }
        return try self.settle(token, now: now) { (effects) throws(TidemarkError) in
            let event = try self.classify(failure, in: token.collection, &effects)
            try self.happen(event, in: token.collection, now: now, &effects)
            try self.saveTrouble(of: token.collection)
        }
    }

    /// Tries again if it is time to. Does nothing when the exchange does not wait, or not so long any more.
    public func wake(_ collection: String, now: Duration) throws(TidemarkError) -> [Effect] {
        let exchange = self.exchange(of: collection)
        guard exchange.phase == .waiting, let until = exchange.until, now >= until else { return [] }
        return try self.sync(collection, now: now)
    }

    /// Takes in that the app renewed its credentials, or wants what was paused to go on (SPEC §3.5).
    ///
    /// The next request is a GET, whatever is to be sent: only its answer shows whose account this is, and nothing of
    /// the queue goes to another one.
    public func renew(_ collection: String) throws(TidemarkError) -> [Effect] {
        try self.commit { (effects) throws(TidemarkError) in
            try self.resumeTrouble(of: collection)
            var exchange = self.exchange(of: collection)
            exchange.renewedAfter = try self.store.setting(Self.accountKey) == nil ? nil : self.memory.tokens
            if exchange.phase == .paused {
                exchange.attempts = 0
                exchange.maySyncAfterWentBack = exchange.failure?.serverWentBack == true
            }
            self.keep(exchange, of: collection)
            try self.happen(.renewed, in: collection, now: .zero, &effects)
            try self.saveTrouble(of: collection)
        }
    }

    /// Whether this exchange is the one that is out.
    private func isAwaited(_ token: ExchangeToken) -> Bool {
        let exchange = self.exchange(of: token.collection)
        switch exchange.phase {
        case .getting, .posting: return exchange.token == token.number
        case .idle, .waiting, .paused: return false
        }
    }

    /// One answer is one transaction (SPEC §3.2). When the store fails, the answer counts as lost: the uploads are
    /// sent again as they were, and the server gives the same answer (ack-write-fails).
    private func settle(
        _ token: ExchangeToken, now: Duration,
        _ body: (inout [Effect]) throws(TidemarkError) -> Void
    ) throws(TidemarkError) -> [Effect] {
        do {
            return try self.commit(body)
        } catch {
            var exchange = self.exchange(of: token.collection)
            exchange.phase = .waiting
            exchange.posted = [:]
            exchange.report = nil
            self.keep(exchange, of: token.collection)
            throw error
        }
    }
}

// MARK: - The table

extension SyncEngine {
    /// Moves the exchange, and carries out what the table says.
    func happen(
        _ event: ExchangeEvent, in collection: String, now: Duration, _ effects: inout [Effect]
    ) throws(TidemarkError) {
        var exchange = self.exchange(of: collection)
        switch exchange.phase.transition(on: event) {
        case .stay: return
        case .impossible: preconditionFailure("\(event) cannot occur while \(exchange.phase)")
        case .move(let phase, let actions):
            if actions.contains(.lose) { try self.lose(exchange.posted, in: collection, &effects) }
            // An answer that was taken in, and waits only for what a policy sends again, is no POST that failed.
            if actions.contains(.readFirst), !exchange.posted.isEmpty { exchange.readsFirst = true }
            if actions.contains(.bisect) { exchange.bisect() }
            if actions.contains(.shorten) { exchange.shorten(self.configuration.limits) }
            exchange.phase = phase
            exchange.posted = [:]
            self.keep(exchange, of: collection)
            try self.carryOut(actions, in: collection, now: now, &effects)
        }
    }

    private func carryOut(
        _ actions: ExchangeActions, in collection: String, now: Duration, _ effects: inout [Effect]
    ) throws(TidemarkError) {
        if actions.contains(.startOver) { try self.startOver(collection, &effects) }
        if actions.contains(.post) { try self.post(collection, &effects) }
        if actions.contains(.get) { try self.send([], of: [:], in: collection, &effects) }
        if actions.contains(.backOff) { self.backOff(collection, now: now, &effects) }
        if actions.contains(.finish) { try self.finish(collection, &effects) }
    }

    /// Every upload that was out learns that its fate is unknown (R17).
    private func lose(
        _ posted: [String: String], in collection: String, _ effects: inout [Effect]
    ) throws(TidemarkError) {
        for requestID in posted.keys.sorted() {
            guard let pk = posted[requestID] else { continue }
            let damage = try self.damage { () throws(TidemarkError) in
                var record = try self.load(pk, in: collection)
                guard record.machine.canReceive(.lost), record.machine.upload?.requestID == requestID else { return }
                try self.drive(&record, .lost, in: collection, &effects)
                self.tellUpload(of: record, in: collection, &effects)
            }
            if damage != nil { self.leaveOut(pk, of: collection) }
        }
    }

    private func startOver(_ collection: String, _ effects: inout [Effect]) throws(TidemarkError) {
        // From the start, every watermark comes again.
        var exchange = self.exchange(of: collection)
        exchange.walk = FeedWalk()
        self.keep(exchange, of: collection)
        var state = try self.store.state(of: collection)
        state.watermark = nil
        state.listing += 1
        state.isListing = true
        state.malformedTries = 0
        try self.store.save(state, of: collection)
        // The listing says anew what makes no sense, and what it does not name is gone.
        for item in try self.store.itemsSetAside(in: collection) {
            try self.store.clearAside(item.pk, in: collection)
        }
        try self.forgetAnswers(in: collection, &effects)
    }

    /// What is of unknown fate now may have been taken, and the server may not remember what it answered (R18, SPEC §6).
    private func forgetAnswers(in collection: String, _ effects: inout [Effect]) throws(TidemarkError) {
        let unsettled =
            try self.unsettledRecords(in: collection)
            + self.store.waitingRecords(in: collection).filter { $0.upload != nil }
        for stored in unsettled {
            guard var record = try self.undamaged(stored, in: collection), record.machine.canReceive(.historyLost)
            else { continue }
            try self.drive(&record, .historyLost, in: collection, &effects)
        }
    }

    private func backOff(_ collection: String, now: Duration, _ effects: inout [Effect]) {
        var exchange = self.exchange(of: collection)
        exchange.attempts += 1
        let own = self.configuration.retry.delay(attempt: exchange.attempts, using: &self.memory.generator)
        let asked: Duration? =
            switch exchange.failure?.retryAfter {
            case .delay(let delay): delay
            case .time(let time): time - now
            case nil: nil
            }
        // A server may ask for more patience than ours, and not for less: nobody hammers because it was told to (I8).
        let patience = max(own, min(asked ?? .zero, self.configuration.limits.longestRetryAfter))
        let until = now + max(exchange.wait ?? patience, .zero)
        exchange.until = until
        self.keep(exchange, of: collection)
        effects.append(.wake(collection: collection, at: until))
    }

    private func finish(_ collection: String, _ effects: inout [Effect]) throws(TidemarkError) {
        var exchange = self.exchange(of: collection)
        guard var report = exchange.report else { return }
        report.nameOnce()
        let waiting = try self.store.waitingRecords(in: collection)
        report.conflicts = waiting.filter { $0.phase.activity == .deciding }.map(\.pk)
        report.held =
            waiting.filter { $0.phase.activity == .held }.map(\.pk)
            + (try self.store.itemsSetAside(in: collection).map(\.pk)) + exchange.damaged.sorted().map(\.value)
        report.held = CollectionReport.once(report.held)
        report.watermark = try self.store.state(of: collection).watermark
        report.failure = exchange.failure
        report.nextTry = exchange.phase == .waiting ? exchange.until : nil
        switch exchange.phase {
        case .paused: report.outcome = exchange.failure?.failureClass.isOfAccess == true ? .unauthorised : .unreachable
        case .waiting: report.outcome = .unreachable
        // Cancelled: how far it came is not known.
        case .idle where exchange.failure != nil: report.outcome = .unreachable
        case .idle, .getting, .posting:
            report.outcome = report.conflicts.isEmpty ? (report.held.isEmpty ? .inStep : .held) : .conflicts
        }
        let progress = exchange.progress(of: collection, isOver: true)
        exchange.report = nil
        self.keep(exchange, of: collection)
        effects.append(.progress(progress))
        effects.append(.finish(report))
    }

    func exchange(of collection: String) -> Exchange {
        self.memory.exchanges[CodePointString(collection)] ?? Exchange()
    }

    func keep(_ exchange: Exchange, of collection: String) {
        self.memory.exchanges[CodePointString(collection)] = exchange
    }
}
