// What a failure leads to (SPEC §3.5), and what it says of what was sent (§3.6).

extension ExchangeMachine {
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

    /// What a failure is.
    ///
    /// - Parameters:
    ///   - hasWatermark: Whether the request named a cursor.
    ///   - hasSeen: Whether the request named the newest token.
    package func reading(
        of failureClass: FailureClass, _ blame: FailureBlame, hasWatermark: Bool, hasSeen: Bool = false,
        _ limits: ExchangeLimits
    ) -> Reading {
        switch failureClass {
        case .auth, .notFound, .identityChanged: return self.isRenewed ? .ofFormerCredentials : .itself
        case .offline, .busy, .portal, .cancelled: return .itself
        case .protocol:
            let canAskForLess = self.posted.count > 1 || self.pageSize(limits) > 1
            return blame == .answerSize && canAskForLess ? .tooMuch : .itself
        case .historyLost:
            guard hasWatermark || hasSeen else { return .noHistory }
            guard self.listings < limits.listings else { return .historiesTakeTurns }
            return hasWatermark ? .itself : .rollback
        case .refused:
            guard self.phase == .posting, self.lone != nil else { return .itself }
            return blame == .sender && self.memory.loners.isServerToBlame ? .refusalOfEveryone : .refusalOfOne
        }
    }

    /// What a failure says of what was sent (SPEC §3.6): a batch that fails as a whole a second time is halved, a record that
    /// fails alone is a suspect until another exchange shows that the server works.
    ///
    /// - Returns: What to do about it; nil where it says nothing.
    package mutating func takeEvidence(
        of failureClass: FailureClass, _ blame: FailureBlame, _ limits: ExchangeLimits
    ) -> Step? {
        // A GET that the server answered with a failure of its own has done what it was to do: one that can't be read is no
        // reason never to write again. One that did not get through is tried again before the POST.
        if self.phase == .getting, [.protocol, .refused].contains(failureClass) { self.memory.readsFirst = false }
        guard self.isPosting else { return nil }
        switch failureClass {
        // They say nothing about what was sent.
        case .auth, .notFound, .portal, .identityChanged, .historyLost, .cancelled: return nil
        case .refused:
            // Where it may be the sender's, several refusals in a row are no record's doing: the account may only read.
            if let lone, blame == .sender { self.memory.loners.note(lone) }
            return nil
        case .offline:
            // A server that breaks down over a record looks like a network that does, so silence counts as well, though only
            // after many tries.
            guard self.memory.failedPosts >= limits.silentTries else {
                self.memory.failedPosts += 1
                return nil
            }
            return self.suspect()
        case .busy: return self.suspect()
        case .protocol:
            // A path or a method that the server does not know is no record's doing; nor is it where less can be asked for.
            let isTooMuch = self.reading(of: failureClass, blame, hasWatermark: true, limits) == .tooMuch
            return blame == .server || isTooMuch ? nil : self.suspect()
        }
    }

    private mutating func suspect() -> Step? {
        let isRepeated = self.memory.failedPosts > 0
        self.memory.failedPosts += 1
        guard let lone else { return isRepeated ? self.take(.failedAgain) : nil }
        self.memory.loners.note(lone)
        return self.memory.loners.isServerToBlame ? nil : self.take(.failedAlone)
    }

    /// The exchange failed.
    ///
    /// - Parameters:
    ///   - course: What the policy of its class chose.
    ///   - wait: How long the policy wants to wait; nil for what the server asked for, or the back-off.
    package mutating func fail(
        _ failure: Failure, _ failureClass: FailureClass, _ course: FailureCourse, wait: Duration?
    ) -> Step {
        self.note(failure)
        self.wait = course == .retry ? wait : nil
        // What is lost was learnt by reading, and another process has to learn it anew before it sends anything.
        if failureClass == .historyLost, course == .pause { self.memory.readsFirst = true }
        let step = self.take(failureClass.event(course, whilePosting: self.isPosting))
        if step.event == .historyLost { self.listings += 1 }
        return step
    }

    /// The POST of one edit was refused; see ``Reading/refusalOfOne``.
    package mutating func refuseAlone() -> Step { self.take(.refusedAlone) }

    /// The answer was too large; see ``Reading/tooMuch``.
    package mutating func takeLess(_ failure: Failure, _ limits: ExchangeLimits) -> Step {
        self.note(failure)
        self.memory.pageSize = max(1, self.pageSize(limits) / 2)
        return self.take(.answeredTooMuch)
    }

    /// The store failed.
    package mutating func failStore() -> Step { self.take(.storeFailed) }

    private mutating func note(_ failure: Failure) {
        self.failure = failure
        if self.isPosting { self.memory.postFailure = failure }
    }

    /// How many rows a page brings now.
    package func pageSize(_ limits: ExchangeLimits) -> Int { self.memory.pageSize ?? limits.pageSize }

    /// How many edits go at a time now.
    package func batchSize(_ limits: ExchangeLimits) -> Int {
        min(self.memory.batchSize ?? limits.batchSize, limits.batchSize)
    }
}
