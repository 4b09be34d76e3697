// What a failure leads to (SPEC §3.5), and what it says of what was sent (§3.6).

extension ExchangeMachine {
    /// A failure as it came, and what a policy made of it.
    package struct Failed: Hashable, Sendable {
        /// Its class, as it came.
        package var failureClass: FailureClass

        /// Whose fault it looks like.
        package var blame: FailureBlame

        /// Whether the request named a cursor.
        package var hasCursor: Bool

        /// Whether the request named the newest token.
        package var hasSeen: Bool

        /// Whether it may be the doing of what was posted.
        package var isEvidence: Bool

        /// Whether it is about an answer of the store's own account.
        package var isOfOurs: Bool

        /// What it really is, by ``ExchangeMachine/reading(of:_:)``, and what the policy of that class chose.
        package var verdict: Verdict?

        /// Describes a failure.
        package init(
            _ failureClass: FailureClass, _ blame: FailureBlame = .unknown, hasCursor: Bool = true,
            hasSeen: Bool = false,
            isEvidence: Bool = true, isOfOurs: Bool = false, verdict: Verdict? = nil
        ) {
            self.failureClass = failureClass
            self.blame = blame
            self.hasCursor = hasCursor
            self.hasSeen = hasSeen
            self.isEvidence = isEvidence
            self.isOfOurs = isOfOurs
            self.verdict = verdict
        }
    }

    /// What a policy made of a failure.
    package struct Verdict: Hashable, Sendable {
        /// What it really is.
        package var failure: Failure

        /// The class of that.
        package var failureClass: FailureClass

        /// What the policy of the class chose.
        package var course: FailureCourse

        /// How long the policy wants to wait; nil for what the server asked for, or the back-off.
        package var wait: Duration?

        /// Names what was chosen.
        package init(_ failure: Failure, _ failureClass: FailureClass, _ course: FailureCourse, wait: Duration? = nil) {
            self.failure = failure
            self.failureClass = failureClass
            self.course = course
            self.wait = wait
        }
    }

    /// What a failure is, before a policy is asked.
    package enum Reading: Hashable, Sendable {
        /// What it looks like.
        case itself

        /// The refusal of the one edit that was posted.
        case refusalOfOne

        /// The refusal of whatever is posted: it is no use to hold each change in turn.
        case refusalOfEveryone

        /// An answer that is too large, and less can be asked for.
        case tooMuch

        /// What the credentials or the URL of before led to, and the app has renewed them since.
        case ofFormerCredentials

        /// The refusal of the newest token alone. No rows are read from it, so its age is no reason: the server was rolled back (W8).
        case rollback

        /// The loss of a history where there is none to begin with: to start over would go on for ever (I8).
        case noHistory

        /// The loss of a history again and again: several servers take turns behind one URL, and waiting is all that is left.
        case historiesTakeTurns
    }

    /// What a failure says of what was sent (SPEC §3.6).
    enum Evidence: Hashable, Sendable {
        /// Nothing.
        case none

        /// One record failed alone. It is a suspect until another exchange shows that the server works.
        case alone

        /// A batch failed as a whole a second time, and is halved.
        case again
    }

    /// What a failure is. It changes nothing here: the policy of its class is asked next, and then ``receive(_:_:)`` told.
    package func reading(of failed: Failed, _ limits: ExchangeLimits) -> Reading {
        var machine = self
        _ = machine.weigh(failed, limits)
        return machine.read(failed, limits)
    }

    mutating func fail(_ failed: Failed, _ limits: ExchangeLimits) -> Step {
        if failed.isOfOurs { self.recogniseAccount() }
        let evidence = self.weigh(failed, limits)
        let reading = self.read(failed, limits)
        guard reading != .refusalOfOne else { return self.take(.refusedAlone, nil, limits) }
        guard let verdict = failed.verdict else { preconditionFailure("No policy was asked about “\(reading)”.") }
        if self.isPosting { self.memory.postFailure = verdict.failure }
        guard reading != .tooMuch else { return self.take(.answeredTooMuch, verdict.failure, limits) }
        // What is lost was learnt by reading, and another process has to learn it anew before it sends anything.
        if verdict.failureClass == .historyLost, verdict.course == .pause { self.memory.readsFirst = true }
        let event = verdict.failureClass.event(verdict.course, whilePosting: self.isPosting)
        return self.take(
            event, verdict.failure, limits, wait: verdict.course == .retry ? verdict.wait : nil,
            mayTry: verdict.failureClass == .auth || verdict.failureClass == .notFound, evidence: evidence)
    }

    private func read(_ failed: Failed, _ limits: ExchangeLimits) -> Reading {
        switch failed.failureClass {
        case .auth, .notFound, .identityChanged: return self.request.isRenewed ? .ofFormerCredentials : .itself
        case .offline, .busy, .portal, .cancelled: return .itself
        case .protocol: return self.isTooMuch(failed, limits) ? .tooMuch : .itself
        case .historyLost:
            guard failed.hasCursor || failed.hasSeen else { return .noHistory }
            guard self.refusals < limits.listings else { return .historiesTakeTurns }
            return failed.hasCursor ? .itself : .rollback
        case .refused:
            guard self.phase == .posting, self.lone != nil else { return .itself }
            return failed.blame == .sender && self.memory.loners.isServerToBlame ? .refusalOfEveryone : .refusalOfOne
        }
    }

    private func isTooMuch(_ failed: Failed, _ limits: ExchangeLimits) -> Bool {
        let canAskForLess = self.request.posted.count > 1 || self.pageSize(limits) > 1
        return failed.blame == .answerSize && canAskForLess
    }

    /// Counts what failed.
    private mutating func weigh(_ failed: Failed, _ limits: ExchangeLimits) -> Evidence {
        guard failed.isEvidence else { return .none }
        // A GET that the server answered with a failure of its own has done what it was to do: one that can't be read is no
        // reason never to write again. One that did not get through is tried again before the POST.
        if self.phase == .getting, [.protocol, .refused].contains(failed.failureClass) {
            self.memory.readsFirst = false
        }
        guard self.isPosting else { return .none }
        switch failed.failureClass {
        // They say nothing about what was sent.
        case .auth, .notFound, .portal, .identityChanged, .historyLost, .cancelled: return .none
        case .refused:
            // Where it may be the sender's, several refusals in a row are no record's doing: the account may only read.
            if let lone, failed.blame == .sender { self.memory.loners.note(lone) }
            return .none
        case .offline:
            // A server that breaks down over a record looks like a network that does, so silence counts as well, though only
            // after many tries.
            guard self.memory.failedPosts >= limits.silentTries else {
                self.memory.failedPosts += 1
                return .none
            }
            return self.suspect()
        case .busy: return self.suspect()
        case .protocol:
            // A path or a method that the server does not know is no record's doing; nor is it where less can be asked for.
            return failed.blame == .server || self.isTooMuch(failed, limits) ? .none : self.suspect()
        }
    }

    private mutating func suspect() -> Evidence {
        let isRepeated = self.memory.failedPosts > 0
        self.memory.failedPosts += 1
        guard let lone else { return isRepeated ? .again : .none }
        self.memory.loners.note(lone)
        return self.memory.loners.isServerToBlame ? .none : .alone
    }
}
