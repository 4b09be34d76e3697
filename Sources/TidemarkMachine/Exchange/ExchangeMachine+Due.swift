// What is due: someone asks, or the app lets go on what was paused.

extension ExchangeMachine {
    /// A sync begins, unless one is going on: what waited for the next one waits no more. Only then can be seen whether
    /// there is something to send.
    package mutating func begin() {
        guard !self.isUnderWay else { return }
        self.listings = 0
        self.beginnings = 0
        self.walk = FeedWalk()
        self.postponed = [:]
    }

    /// Someone asks for a sync, which ``begin()`` has begun or joined.
    ///
    /// - Parameters:
    ///   - hasEdits: Whether there is something to send.
    ///   - mayTryAccess: Whether it pauses since the credentials were bad. They may be good by now.
    ///   - rest: How to say that the server wants to be left alone; nil where it does not.
    package mutating func ask(hasEdits: Bool, mayTryAccess: Bool, rest: Failure? = nil) -> Step {
        guard self.phase != .paused else { return self.take(mayTryAccess ? .dueToTryAccess : .dueInVain) }
        if let rest {
            if !self.isUnderWay { self.failure = rest }
            return self.take(.dueTooEarly)
        }
        guard hasEdits else { return self.take(.dueToGet) }
        // The queue belongs to the account that made it: whoever the new credentials are of is asked first.
        return self.take(self.memory.readsFirst || self.memory.isAccountInDoubt ? .dueToReadFirst : .dueToPost)
    }

    /// The request that was due goes out.
    ///
    /// - Parameters:
    ///   - number: Grows with each request.
    ///   - posted: What it carries, in its order; empty for a GET.
    package mutating func send(_ posted: [Posted], as number: Int) {
        precondition(self.phase == (posted.isEmpty ? .getting : .posting), "\(posted.count) edits while \(self.phase)")
        self.number = number
        self.unsettled = posted
        self.isRenewed = false
    }

    /// Nothing of what was due could be sent.
    package mutating func findNothing() -> Step { self.take(.foundNothing) }

    /// The app renewed its credentials, or wants what was paused to go on (SPEC §3.5).
    ///
    /// - Parameter number: The last request that went out; nil where the store belongs to no account yet.
    package mutating func renew(after number: Int?) -> Step {
        self.memory.renewedAfter = number
        self.isRenewed = self.isUnderWay
        if self.phase == .paused { self.memory.attempts = 0 }
        return self.take(.renewed)
    }
}
