import TidemarkJSON
import TidemarkMachine

// The driver of the exchange's table: inputs from whoever owns the network and the clock.

extension SyncEngine {
    /// Begins a sync of a collection. While one is going on, this joins it.
    ///
    /// A sync does not wait out a back-off: it tries at once. Only a pause stays one; see ``renew(_:)``.
    public func sync(_ collection: String, now: Duration) throws(TidemarkError) -> [Effect] {
        try self.commit { (effects) throws(TidemarkError) in
            try self.resumeTrouble(of: collection)
            var exchange = self.exchange(of: collection)
            if exchange.report == nil {
                exchange.report = CollectionReport(collection: collection)
                exchange.listings = 0
                exchange.postponed = [:]
                exchange.damaged = []
                exchange.received = 0
                exchange.left = nil
            }
            self.keep(exchange, of: collection)
            guard exchange.phase != .paused else {
                try self.finish(collection, &effects)
                return
            }
            // The queue belongs to the account that made it: whoever the new credentials are of is asked first.
            let isFull = try self.hasSomethingToSend(in: collection)
            let event: ExchangeEvent = isFull && !exchange.isAccountInDoubt ? .dueToPost : .dueToGet
            try self.happen(event, in: collection, now: now, &effects)
        }
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
            exchange.isAccountInDoubt = try self.store.setting(Self.accountKey) != nil
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
            var record = try self.load(pk, in: collection)
            guard record.machine.canReceive(.lost), record.machine.upload?.requestID == requestID else { continue }
            try self.drive(&record, .lost, in: collection, &effects)
            self.tellUpload(of: record, in: collection, &effects)
        }
    }

    private func startOver(_ collection: String, _ effects: inout [Effect]) throws(TidemarkError) {
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
            try self.store.unsettledRecords(in: collection)
            + self.store.waitingRecords(in: collection).filter { $0.upload != nil }
        for stored in unsettled {
            var record = try self.revive(stored, in: collection)
            guard record.machine.canReceive(.historyLost) else { continue }
            try self.drive(&record, .historyLost, in: collection, &effects)
        }
    }

    private func backOff(_ collection: String, now: Duration, _ effects: inout [Effect]) {
        var exchange = self.exchange(of: collection)
        exchange.attempts += 1
        let jitter = self.configuration.retry.delay(attempt: exchange.attempts, using: &self.memory.generator)
        let until: Duration =
            switch (exchange.wait, exchange.failure?.retryAfter) {
            case (.some(let wait), _): now + max(wait, .zero)
            case (nil, .delay(let delay)): now + delay
            case (nil, .time(let time)): max(time, now)
            case (nil, nil): now + jitter
            }
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
        report.failure = exchange.phase == .idle ? nil : exchange.failure
        report.nextTry = exchange.phase == .waiting ? exchange.until : nil
        switch exchange.phase {
        case .paused: report.outcome = exchange.failure?.failureClass.isOfAccess == true ? .unauthorised : .unreachable
        case .waiting: report.outcome = .unreachable
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

// MARK: - Failures

extension SyncEngine {
    /// The policy of the failure's class, as an event (SPEC §3.5).
    private func classify(
        _ failure: RemoteFailure, in collection: String, _ effects: inout [Effect]
    ) throws(TidemarkError) -> ExchangeEvent {
        let exchange = self.exchange(of: collection)
        switch failure.failureClass {
        case .auth, .identityChanged: break
        case .offline:
            if exchange.attempts >= self.configuration.limits.silentTries { self.suspect(in: collection) }
        case .busy, .protocol: self.suspect(in: collection)
        case .historyLost:
            // To start over from the start would go on for ever (I8).
            guard try self.store.state(of: collection).watermark != nil else {
                let message = "The server has no history of \(collection) to begin with: \(failure.message)"
                return self.event(after: RemoteFailure(.protocol, message), in: collection)
            }
            return try self.eventAfterLosingHistory(failure, in: collection)
        case .refused:
            guard exchange.phase == .posting, !exchange.posted.isEmpty else { break }
            if let lone = exchange.lone {
                try self.refuse(lone, failure, in: collection, &effects)
                return try self.hasSomethingToSend(in: collection) ? .answeredToPost : .answeredToGet
            }
            self.halveBatch(of: collection)
        }
        return self.event(after: failure, in: collection)
    }

    /// Reads from the start, but not without end: where histories take turns, waiting is all that is left (I8).
    func eventAfterLosingHistory(
        _ failure: RemoteFailure, in collection: String
    ) throws(TidemarkError) -> ExchangeEvent {
        var exchange = self.exchange(of: collection)
        guard exchange.listings < self.configuration.limits.listings else {
            let message =
                "The history of \(collection) was lost again and again in one sync: do several servers take turns behind this URL?"
            return self.event(after: RemoteFailure(.protocol, message), in: collection)
        }
        exchange.listings += 1
        self.keep(exchange, of: collection)
        let event = self.event(after: failure, in: collection)
        if event == .historyLost, failure.serverWentBack { try self.noteServerWentBack(in: collection) }
        return event
    }

    /// A request that is refused with one edit in it is that edit's refusal.
    private func refuse(
        _ pk: String, _ failure: RemoteFailure, in collection: String, _ effects: inout [Effect]
    ) throws(TidemarkError) {
        var record = try self.load(pk, in: collection)
        guard record.machine.canReceive(.answered(.refused)) else { return }
        record.hold = (failure.problem?.document ?? ["title": .string(JSONString(failure.message))]).bytes
        record.refusedStatus = failure.problem?.status
        try self.drive(&record, .answered(.refused), in: collection, &effects)
    }

    private func halveBatch(of collection: String) {
        var exchange = self.exchange(of: collection)
        exchange.batchSize = max(1, exchange.posted.count / 2)
        self.keep(exchange, of: collection)
    }

    /// SPEC §3.6: a batch that fails as a whole a second time is bisected; a record that fails alone is a suspect until
    /// something else shows whether the server works. A server that breaks down over a record looks like a network that
    /// does, so silence counts as well, though only after many tries.
    func suspect(in collection: String) {
        var exchange = self.exchange(of: collection)
        guard exchange.phase == .posting, !exchange.posted.isEmpty else { return }
        if let lone = exchange.lone {
            exchange.suspect = lone
            self.keep(exchange, of: collection)
        } else if exchange.attempts > 0 {
            self.halveBatch(of: collection)
        }
    }
}

extension FailureClass {
    /// Whether it is about who we are, and not about whether the server can be reached.
    var isOfAccess: Bool {
        switch self {
        case .auth, .identityChanged: true
        case .offline, .busy, .refused, .protocol, .historyLost: false
        }
    }
}
