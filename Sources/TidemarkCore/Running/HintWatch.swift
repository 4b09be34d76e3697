package import TidemarkJSON
import TidemarkMachine

/// Decides when the run loop listens to its server's change notifications, and whether they arrive (Contract §10).
///
/// Its inputs are the received events and the time, its output is the list of collections to listen for. It has neither a clock
/// nor a task.
package struct HintWatch {
    /// The phase of listening.
    package enum Phase: Hashable {
        /// There are no collections to listen for, or there is no network.
        case off
        /// The client listens. At that time it checks how long no event was received.
        case listening(until: Duration)
        /// The connection broke off, or there are no notifications; the client listens again at that time.
        case waiting(until: Duration)
        /// The remote has no change notifications.
        case never
    }

    package private(set) var phase = Phase.off

    /// Whether notifications arrive: an event was received, and the connection has not broken off since then.
    private(set) var isHinted = false

    /// Why no notifications arrive; nil if they arrive, or if the reason is unknown.
    private(set) var why: SyncStatus.Run.Hints.Reason?

    /// The number of the present connection: events with another number are late.
    package private(set) var number = 0

    /// The collections to listen for.
    package private(set) var names: [CodePointString] = []

    private struct Minute {
        var began: Duration
        var events = 0
        var bytes = 0
    }

    private let plan: RunPlan

    /// Whether an event was received on this connection.
    private var isHeard = false
    private var since: Duration?
    private var renewal: Duration?

    /// When the last event was received, or the connection began.
    private var lastHeard = Duration.zero

    /// The events and bytes since a minute began.
    private var minute = Minute(began: .zero)
    private var breaks = 0
    private var refusals = 0

    init(_ plan: RunPlan) {
        self.plan = plan
        if !plan.usesHints { self.phase = .never }
    }

    /// When to call ``wake(_:mayListen:)``; nil for never.
    var alarm: Duration? {
        switch self.phase {
        case .off, .never: nil
        case .waiting(let time): time
        case .listening(let deadline): self.renewal.map { min($0, deadline) } ?? deadline
        }
    }
}

extension HintWatch {
    /// The status for the app.
    var status: SyncStatus.Run.Hints {
        guard !self.isHinted else { return .heard }
        guard case .waiting(let time) = self.phase else { return .none(why: self.why, next: nil) }
        return .none(why: self.why, next: time)
    }

    /// Whether this is the present connection, and no event was received on it.
    func isUnheard(_ number: Int) -> Bool {
        guard case .listening = self.phase else { return false }
        return number == self.number && !self.isHeard
    }
}

// MARK: - Inputs

extension HintWatch {
    /// The set of collections changed.
    mutating func watch(_ names: [CodePointString], _ moment: RunMoment, mayListen: Bool) {
        guard names != self.names else { return }
        self.names = names
        switch self.phase {
        case .off, .listening: self.listen(moment, mayListen)
        case .waiting, .never: break
        }
    }

    /// The network or the budget changed.
    mutating func allow(_ mayListen: Bool, _ moment: RunMoment) {
        switch self.phase {
        case .never: break
        case .off: self.listen(moment, mayListen)
        case .listening, .waiting: if !mayListen { self.stop() }
        }
    }

    /// The credentials or the remote were replaced: the earlier failures no longer count.
    mutating func renew(_ moment: RunMoment, mayListen: Bool) {
        guard self.plan.usesHints else { return }
        (self.breaks, self.refusals) = (0, 0)
        self.stop()
        self.listen(moment, mayListen)
    }

    /// Events were received.
    ///
    /// - Returns: Whether they count, and whether they are the first ones of this connection.
    mutating func hear(_ number: Int, _ heard: HeardHints, _ moment: RunMoment) -> (counts: Bool, isFirst: Bool) {
        guard number == self.number, case .listening = self.phase else { return (false, false) }
        if let excess = self.excess(of: heard, moment.now) {
            self.breakOff(excess, nil, moment)
            return (false, false)
        }
        guard heard.isAlive else { return (false, false) }
        // The timer is not moved: when it fires, ``wake(_:mayListen:)`` reads this time.
        self.lastHeard = moment.now
        (self.isHinted, self.why, self.refusals) = (true, nil, 0)
        if self.since == nil { self.since = moment.now }
        // The count of breaks is kept for a connection that breaks off soon again and again.
        if let since, moment.now - since >= self.plan.maxReconnectWait { self.breaks = 0 }
        defer { self.isHeard = true }
        return (true, !self.isHeard)
    }

    /// Counts received events.
    ///
    /// - Returns: Which limit the server exceeds; nil if it exceeds none.
    private mutating func excess(of heard: HeardHints, _ now: Duration) -> SyncStatus.Run.Hints.Reason? {
        // A new minute begins when the former one is over, and if the clock was set back.
        if !(self.minute.began..<self.minute.began + .seconds(60)).contains(now) { self.minute = Minute(began: now) }
        self.minute.events += heard.events
        self.minute.bytes += heard.bytes
        if self.minute.events > self.plan.hintEventsPerMinute {
            return .init(.flooded, "The server sent more than \(self.plan.hintEventsPerMinute) events within a minute.")
        }
        guard self.minute.bytes > self.plan.hintBytesPerMinute else { return nil }
        return .init(
            .flooded, "The server sent more than \(self.plan.hintBytesPerMinute) bytes of events within a minute.")
    }

    /// A connection ended.
    mutating func end(_ number: Int, _ result: Result<RemoteHint.End, RemoteFailure>, _ moment: RunMoment) {
        guard number == self.number, case .listening = self.phase else { return }
        switch result {
        case .success(.never):
            self.stop()
            self.phase = .never
        case .success(.unavailable(let why)): self.refuse(.init(.unavailable, why), moment)
        case .success(.ended):
            self.breakOff(.init(.ended, "The server ended the connection for change notifications."), nil, moment)
        case .failure(let failure):
            let why = SyncStatus.Run.Hints.Reason(.failure(failure.failureClass), failure.message)
            switch failure.failureClass {
            case .offline, .busy, .cancelled: self.breakOff(why, failure.retryAfter, moment)
            case .auth, .portal, .notFound, .refused, .invalidAnswer, .historyLost, .identityChanged:
                self.refuse(why, moment)
            }
        }
    }

    /// The clock was set back: every time is moved with it, so that no wait becomes longer.
    mutating func setBack(by jump: Duration) {
        switch self.phase {
        case .off, .never: break
        case .listening(let time): self.phase = .listening(until: time - jump)
        case .waiting(let time): self.phase = .waiting(until: time - jump)
        }
        self.lastHeard -= jump
        self.minute.began -= jump
        self.since = self.since.map { $0 - jump }
        self.renewal = self.renewal.map { $0 - jump }
    }

    /// The timer fired.
    mutating func wake(_ moment: RunMoment, mayListen: Bool) {
        guard let alarm, alarm <= moment.now else { return }
        switch self.phase {
        case .off, .never: break
        case .waiting: self.listen(moment, mayListen)
        case .listening:
            let deadline = self.lastHeard + self.plan.hintTimeout
            guard deadline > moment.now else {
                let message = "The server sent no event for \(self.plan.hintTimeout)."
                return self.breakOff(.init(.silent, message), nil, moment)
            }
            if let renewal, renewal > moment.now {
                self.phase = .listening(until: deadline)
            } else {
                // A new connection starts with the state of all collections, so that a lost notification has no lasting effect.
                self.listen(moment, mayListen)
            }
        }
    }
}

// MARK: - Waits

extension HintWatch {
    private mutating func listen(_ moment: RunMoment, _ mayListen: Bool) {
        guard mayListen, !self.names.isEmpty else { return self.stop() }
        self.number += 1
        self.isHeard = false
        self.lastHeard = moment.now
        self.minute = Minute(began: moment.now)
        self.phase = .listening(until: moment.now + self.plan.hintTimeout)
        self.renewal = moment.now + self.plan.maxHintConnection - self.plan.maxHintConnection * (0.1 * moment.chance)
    }

    private mutating func stop() {
        self.number += 1
        self.phase = .off
        self.forget()
    }

    private mutating func forget() {
        (self.isHinted, self.since, self.renewal) = (false, nil, nil)
    }

    private mutating func breakOff(
        _ why: SyncStatus.Run.Hints.Reason, _ retryAfter: RemoteFailure.RetryAfter?, _ moment: RunMoment
    ) {
        let wait = self.plan.hintWait(after: self.breaks, moment)
        self.breaks += 1
        self.wait(max(wait, retryAfter?.span(at: moment.now) ?? .zero), why, moment)
    }

    private mutating func refuse(_ why: SyncStatus.Run.Hints.Reason, _ moment: RunMoment) {
        let wait = self.plan.hintProbe(after: self.refusals, moment)
        self.refusals += 1
        self.wait(wait, why, moment)
    }

    private mutating func wait(_ span: Duration, _ why: SyncStatus.Run.Hints.Reason, _ moment: RunMoment) {
        self.number += 1
        self.forget()
        self.why = why
        self.phase = .waiting(until: moment.now + span)
    }
}

extension RemoteFailure.RetryAfter {
    /// The length of the wait.
    fileprivate func span(at now: Duration) -> Duration {
        switch self {
        case .delay(let delay): min(delay, Self.longest)
        case .time(let time): min(max(time - now, .zero), Self.longest)
        }
    }
}
