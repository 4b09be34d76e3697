extension ExchangeMachine {
    /// All that can have a say in what the exchange does next, for telling two exchanges apart that differ in nothing else.
    ///
    /// Left out is what only chooses how long a wait is, what a failure is called, and which watermarks this sync has
    /// passed: a server that keeps W3 gives none of them out again before its history is lost.
    package struct Shape: Hashable, Sendable {
        /// Where it stands.
        package let phase: ExchangePhase

        /// The sizes, the counts of failures and of beginnings, each in a place of its own.
        package let numbers: [Int]

        /// What is so or not so, each in a place of its own.
        package let flags: [Bool]

        /// The suspect, and who failed alone last.
        package let names: [Name?]

        /// The edits that are out and not settled.
        package let posted: [Posted]

        /// What waits for the next sync, and how often it did.
        package let postponed: [Name: Int]

        /// What came back, and how often.
        package let contended: [Name: Int]
    }

    /// All that can have a say in what the exchange does next.
    ///
    /// - Parameter limits: Beyond a limit one more failure makes no difference.
    package func shape(_ limits: ExchangeLimits) -> Shape {
        Shape(
            phase: self.phase,
            numbers: [
                self.memory.batchSize ?? 0, self.memory.pageSize ?? 0,
                min(self.memory.failedPosts, limits.silentTries), self.refusals, self.beginnings, self.walk.emptyPages,
            ],
            flags: [
                self.memory.readsFirst, self.memory.loners.areSeveral, self.memory.loners.canWrite,
                self.memory.isAccountInDoubt, self.memory.renewedAfter.map { self.request.number > $0 } ?? false,
                self.memory.postFailure != nil, self.request.isRenewed, self.mayTry,
            ],
            names: [self.memory.loners.suspect, self.memory.loners.last],
            posted: self.request.posted, postponed: self.postponed.tries, contended: self.postponed.contended)
    }

    private var mayTry: Bool {
        if case .paused(_, mayTry: true) = self.standing { true } else { false }
    }
}
