package import TidemarkJSON
import TidemarkMachine

/// When the run loop listens to its server's hints, and whether someone hints (SPEC §10).
///
/// It is told what was heard and what time it is, and says whom to listen for. It has neither a clock nor a task.
package struct HintWatch {
    /// Where it stands.
    package enum Phase: Hashable {
        /// There is nothing to listen for, or no network.
        case off
        /// It listens. At that time it looks how long nothing was heard.
        case listening(until: Duration)
        /// It broke off, or nobody hints; it listens again then.
        case waiting(until: Duration)
        /// The remote has no hints.
        case never
    }

    package private(set) var phase = Phase.off

    /// Whether someone hints: something was heard, and nothing broke off since.
    private(set) var isHinted = false

    /// Why nobody hints; nil where somebody does, or where nothing is known.
    private(set) var why: String?

    /// Which listening counts: what comes of another one is late.
    package private(set) var number = 0

    /// What is listened for.
    package private(set) var names: [CodePointString] = []

    private struct Minute {
        var began: Duration
        var events = 0
        var bytes = 0
    }

    private let plan: RunPlan

    /// What of ``names`` is heard about.
    private var isHeard = false
    private var since: Duration?
    private var renewal: Duration?

    /// When something was heard last, or the listening began.
    private var lastHeard = Duration.zero

    /// What was sent since a minute began.
    private var minute = Minute(began: .zero)
    private var breaks = 0
    private var refusals = 0

    init(_ plan: RunPlan) {
        self.plan = plan
        if !plan.listens { self.phase = .never }
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
    /// How it stands, for people.
    var status: RunStatus.Hints {
        guard !self.isHinted else { return .heard }
        guard case .waiting(let time) = self.phase else { return .none(why: self.why, next: nil) }
        return .none(why: self.why, next: time)
    }

    /// Whether a listening counts of which nothing was heard.
    func isUnheard(_ number: Int) -> Bool {
        guard case .listening = self.phase else { return false }
        return number == self.number && !self.isHeard
    }
}

// MARK: - What happens

extension HintWatch {
    /// There are other collections than before.
    mutating func watch(_ names: [CodePointString], _ moment: RunMoment, mayListen: Bool) {
        guard names != self.names else { return }
        self.names = names
        switch self.phase {
        case .off, .listening: self.listen(moment, mayListen)
        case .waiting, .never: break
        }
    }

    /// Network or budget changed.
    mutating func allow(_ mayListen: Bool, _ moment: RunMoment) {
        switch self.phase {
        case .never: break
        case .off: self.listen(moment, mayListen)
        case .listening, .waiting: if !mayListen { self.stop() }
        }
    }

    /// Credentials or the remote are new: what was so with the former ones says nothing.
    mutating func renew(_ moment: RunMoment, mayListen: Bool) {
        guard self.plan.listens else { return }
        (self.breaks, self.refusals) = (0, 0)
        self.stop()
        self.listen(moment, mayListen)
    }

    /// Something was heard.
    ///
    /// - Returns: Whether it counts, and whether it is the first that was heard of this listening.
    mutating func hear(_ number: Int, _ heard: HeardHints, _ moment: RunMoment) -> (counts: Bool, isFirst: Bool) {
        guard number == self.number, case .listening = self.phase else { return (false, false) }
        if let excess = self.excess(of: heard, moment.now) {
            self.breakOff(excess, nil, moment)
            return (false, false)
        }
        guard heard.isAlive else { return (false, false) }
        // The alarm is not set anew: when it rings, ``wake(_:mayListen:)`` looks at this.
        self.lastHeard = moment.now
        // But where the clock was set back: it would ring too late.
        let latest = moment.now + self.plan.hintSilence
        if case .listening(let deadline) = self.phase, deadline > latest { self.phase = .listening(until: latest) }
        (self.isHinted, self.why, self.refusals) = (true, nil, 0)
        if self.since == nil { self.since = moment.now }
        // A connection that is soon broken off again and again is no better than none.
        if let since, moment.now - since >= self.plan.longestHintWait { self.breaks = 0 }
        defer { self.isHeard = true }
        return (true, !self.isHeard)
    }

    /// Counts what was heard.
    ///
    /// - Returns: What a server sends too much of; nil where it does not.
    private mutating func excess(of heard: HeardHints, _ now: Duration) -> String? {
        // Also by a clock that was set back.
        if !(self.minute.began..<self.minute.began + .seconds(60)).contains(now) { self.minute = Minute(began: now) }
        self.minute.events += heard.events
        self.minute.bytes += heard.bytes
        if self.minute.events > self.plan.hintEventsPerMinute {
            return "The server sent more than \(self.plan.hintEventsPerMinute) events within a minute."
        }
        guard self.minute.bytes > self.plan.hintBytesPerMinute else { return nil }
        return "The server sent more than \(self.plan.hintBytesPerMinute) bytes of events within a minute."
    }

    /// A listening ended.
    mutating func end(_ number: Int, _ result: Result<HintsEnd, RemoteFailure>, _ moment: RunMoment) {
        guard number == self.number, case .listening = self.phase else { return }
        switch result {
        case .success(.never):
            self.stop()
            self.phase = .never
        case .success(.notHere(let why)): self.refuse(why, moment)
        case .success(.ended): self.breakOff("The server ended the connection on which it hinted.", nil, moment)
        case .failure(let failure):
            switch failure.failureClass {
            case .offline, .busy, .cancelled: self.breakOff(failure.message, failure.retryAfter, moment)
            case .auth, .portal, .notFound, .refused, .protocol, .historyLost, .identityChanged:
                self.refuse(failure.message, moment)
            }
        }
    }

    /// A time came.
    mutating func wake(_ moment: RunMoment, mayListen: Bool) {
        guard let alarm, alarm <= moment.now else { return }
        switch self.phase {
        case .off, .never: break
        case .waiting: self.listen(moment, mayListen)
        case .listening:
            let deadline = self.lastHeard + self.plan.hintSilence
            guard deadline > moment.now else {
                return self.breakOff("Nothing was heard of who hints for \(self.plan.hintSilence).", nil, moment)
            }
            if let renewal, renewal > moment.now {
                self.phase = .listening(until: deadline)
            } else {
                // Begun anew it says how all stands, so that a hint that was lost is not lost for ever.
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
        self.phase = .listening(until: moment.now + self.plan.hintSilence)
        self.renewal = moment.now + self.plan.longestWatch - self.plan.longestWatch * (0.1 * moment.chance)
    }

    private mutating func stop() {
        self.number += 1
        self.phase = .off
        self.forget()
    }

    private mutating func forget() {
        (self.isHinted, self.since, self.renewal) = (false, nil, nil)
    }

    private mutating func breakOff(_ why: String, _ retryAfter: RemoteFailure.RetryAfter?, _ moment: RunMoment) {
        let wait = self.plan.hintWait(after: self.breaks, moment)
        self.breaks += 1
        self.wait(max(wait, retryAfter?.span(at: moment.now) ?? .zero), why, moment)
    }

    private mutating func refuse(_ why: String, _ moment: RunMoment) {
        let wait = self.plan.hintProbe(after: self.refusals, moment)
        self.refusals += 1
        self.wait(wait, why, moment)
    }

    private mutating func wait(_ span: Duration, _ why: String, _ moment: RunMoment) {
        self.number += 1
        self.forget()
        self.why = why
        self.phase = .waiting(until: moment.now + span)
    }
}

extension RemoteFailure.RetryAfter {
    /// How long that is.
    fileprivate func span(at now: Duration) -> Duration {
        switch self {
        case .delay(let delay): min(delay, Self.longest)
        case .time(let time): min(max(time - now, .zero), Self.longest)
        }
    }
}
