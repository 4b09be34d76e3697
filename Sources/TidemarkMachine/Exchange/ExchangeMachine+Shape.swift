extension ExchangeMachine {
    /// All values that influence the next step of the exchange, to compare two exchanges without regard to the others.
    ///
    /// It leaves out the values that only choose the length of a wait or name a failure, and the cursors that this sync has
    /// passed: a server that keeps W3 returns none of them again before its history is lost.
    package struct Shape: Hashable, Sendable {
        /// The phase.
        package let phase: ExchangePhase

        /// The sizes, and the counts of failures and of resyncs, each at a fixed index.
        package let numbers: [Int]

        /// The flags, each at a fixed index.
        package let flags: [Bool]

        /// The suspect, and the last record that failed alone.
        package let names: [Name?]

        /// The edits in flight that are not settled.
        package let posted: [Posted]

        /// The records that wait for the next sync, with the number of tries.
        package let postponed: [Name: Int]

        /// The records that conflicted although no field clashed, with the number of times.
        package let contended: [Name: Int]
    }

    /// Returns all values that influence the next step of the exchange.
    ///
    /// - Parameter limits: Counts beyond a limit make no difference.
    package func shape(_ limits: ExchangeLimits) -> Shape {
        Shape(
            phase: self.phase,
            numbers: [
                self.memory.batchSize ?? 0, self.memory.pageSize ?? 0,
                min(self.memory.failedPosts, limits.unansweredPosts), self.refusals, self.beginnings,
                self.progress.emptyPages,
            ],
            flags: [
                self.memory.readsFirst, self.memory.poison.hasSeveral, self.memory.poison.canWrite,
                self.memory.isAccountUnconfirmed, self.memory.renewedAfter.map { self.request.number > $0 } ?? false,
                self.memory.postFailure != nil, self.request.isRenewed, self.mayTry,
            ],
            names: [self.memory.poison.suspect, self.memory.poison.last],
            posted: self.request.posted, postponed: self.postponed.tries, contended: self.postponed.contended)
    }

    private var mayTry: Bool {
        if case .paused(_, mayTry: true) = self.detailedPhase { true } else { false }
    }
}
