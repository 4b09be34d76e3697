import TidemarkJSON
import TidemarkMachine

// What a failure is for the exchange's table (SPEC §3.5), and what it says of the records that were in a POST (§3.6).

extension SyncEngine {
    /// The policy of the failure's class, as an event (SPEC §3.5).
    func classify(
        _ failure: RemoteFailure, in collection: String, _ effects: inout [Effect]
    ) throws(TidemarkError) -> ExchangeEvent {
        switch failure.failureClass {
        // They say nothing about what was sent.
        case .auth, .portal, .identityChanged, .cancelled: break
        case .offline: self.suspectSilence(in: collection)
        case .busy: self.suspect(in: collection)
        case .protocol:
            self.noteThatFeedWasTried(in: collection)
            if failure.blame == .answerSize, self.exchange(of: collection).canAskForLess(self.configuration.limits) {
                self.noteFailure(failure, of: collection)
                return .answeredTooMuch
            }
            // A path or a method that the server does not know is no record's doing.
            if failure.blame != .server { self.suspect(in: collection) }
        case .historyLost:
            // To start over from the start would go on for ever (I8).
            guard try self.store.state(of: collection).watermark != nil else {
                let message = "The server has no history of \(collection) to begin with: \(failure.message)"
                return self.event(after: RemoteFailure(.protocol, message), in: collection)
            }
            return try self.eventAfterLosingHistory(failure, in: collection)
        case .refused:
            self.noteThatFeedWasTried(in: collection)
            let exchange = self.exchange(of: collection)
            guard exchange.phase == .posting, let lone = exchange.lone else { break }
            guard !self.isRefusalOfEveryone(failure, of: lone, in: collection) else {
                let message = "The server refuses one change after the other: \(failure.message)"
                let cause = RemoteFailure(
                    .protocol, message, problem: failure.problem, retryAfter: failure.retryAfter, blame: .server)
                return self.event(after: cause, in: collection)
            }
            try self.refuse(lone, failure, in: collection, &effects)
            // Who can't write can still read (SPEC §3.1): the feed comes before the next change that may be refused.
            return .answeredToGet
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

    /// Keeps what failed, for people.
    func noteFailure(_ failure: RemoteFailure, of collection: String) {
        var exchange = self.exchange(of: collection)
        exchange.failure = failure
        if exchange.phase == .posting, !exchange.posted.isEmpty { exchange.postFailure = failure }
        self.keep(exchange, of: collection)
    }

    /// A GET that the server answered with a failure of its own has done what it was to do: one that can't be read is
    /// no reason never to write again. A GET that did not get through is tried again before the POST.
    private func noteThatFeedWasTried(in collection: String) {
        var exchange = self.exchange(of: collection)
        guard exchange.phase == .getting else { return }
        exchange.readsFirst = false
        self.keep(exchange, of: collection)
    }
}

// MARK: - Refusals

extension SyncEngine {
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

    /// Whether a refusal that may be the sender's (403) has met several records, each alone, while nothing went
    /// through: then the account may only read, and it is no use to hold each of its changes in turn. They wait.
    private func isRefusalOfEveryone(
        _ failure: RemoteFailure, of pk: String, in collection: String
    ) -> Bool {
        guard failure.blame == .sender else { return false }
        var exchange = self.exchange(of: collection)
        exchange.loners.note(pk)
        self.keep(exchange, of: collection)
        return exchange.loners.isServerToBlame
    }
}

// MARK: - Poison

extension SyncEngine {
    /// SPEC §3.6: a batch that fails as a whole a second time is bisected; a record that fails alone is a suspect until
    /// another exchange shows that the server works.
    func suspect(in collection: String) {
        var exchange = self.exchange(of: collection)
        guard exchange.phase == .posting, !exchange.posted.isEmpty else { return }
        let isRepeated = exchange.failedPosts > 0
        exchange.failedPosts += 1
        if let lone = exchange.lone {
            exchange.loners.note(lone)
            if !exchange.loners.isServerToBlame { exchange.loners.suspect = lone }
        } else if isRepeated {
            exchange.bisect()
        }
        self.keep(exchange, of: collection)
    }

    /// A server that breaks down over a record looks like a network that does, so silence counts as well, though only
    /// after many tries.
    private func suspectSilence(in collection: String) {
        var exchange = self.exchange(of: collection)
        guard exchange.phase == .posting, !exchange.posted.isEmpty else { return }
        guard exchange.failedPosts < self.configuration.limits.silentTries else { return self.suspect(in: collection) }
        exchange.failedPosts += 1
        self.keep(exchange, of: collection)
    }

    /// An exchange worked. If a record failed alone before it, that counts against the record (SPEC §3.6).
    func clearSuspect(in collection: String, _ effects: inout [Effect]) throws(TidemarkError) {
        var exchange = self.exchange(of: collection)
        guard let suspect = exchange.loners.suspect else { return }
        let failure = exchange.postFailure ?? exchange.failure
        exchange.loners.suspect = nil
        self.keep(exchange, of: collection)
        guard var record = try self.undamaged(suspect, in: collection),
            record.machine.phase.activity == .unconfirmed
        else { return }
        record.failures += 1
        guard record.failures >= self.configuration.limits.loneFailures else {
            return try self.store.save(record.stored, in: collection)
        }
        record.hold =
            (failure?.problem?.document ?? [
                "title": .string(JSONString(failure?.message ?? "The server fails on this record alone."))
            ]).bytes
        record.failures = 0
        try self.drive(&record, .hold, in: collection, &effects)
    }
}

extension FailureClass {
    /// Whether it is about who we are, and not about whether the server can be reached.
    var isOfAccess: Bool {
        switch self {
        case .auth, .identityChanged: true
        case .offline, .busy, .portal, .refused, .protocol, .historyLost, .cancelled: false
        }
    }
}
