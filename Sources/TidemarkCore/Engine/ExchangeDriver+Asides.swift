import TidemarkMachine
import TidemarkRules

// What an answer says besides results and rows.

extension ExchangeDriver {
    /// How long to be quiet, what to tell a person, what it took.
    func note(_ answer: ExchangeAnswer) {
        self.turn.gains.requests += max(1, answer.requests) - 1
        self.turn.gains.note(answer.notices)
        if let wait = answer.wait, wait > .zero {
            self.turn.exchange.restsUntil = self.now + min(wait, self.turn.limits.longestRetryAfter)
        }
    }

    /// Why nothing is asked of the server now, though it answers; nil where it may be asked.
    func reasonToRest() -> RemoteFailure? {
        guard let until = self.turn.exchange.restsUntil, until > self.now else { return nil }
        let seconds = (until - self.now).components.seconds
        return RemoteFailure(.busy, "The server answers, and asks to be left alone for \(max(1, seconds)) s.")
    }

    /// The exchange failed after some of its edits had a result: these count, and the failure is about the rest (R17).
    func take(_ results: [UploadResult], before failure: RemoteFailure) throws(TidemarkError) {
        let count = self.turn.exchange.machine.posted.count
        let (_, taken) = try Inbox(turn: self.turn).take(results)
        let early = ShownEarly(turn: self.turn)
        try early.note(early.ahead(taken, .empty, of: nil, to: nil))
        try self.breakOff(afterSettling: count - self.turn.exchange.machine.posted.count)
        try self.take(failure)
    }

    /// What follows is about the edits that no result has settled.
    func breakOff(afterSettling count: Int) throws(TidemarkError) {
        for step in self.turn.exchange.machine.breakOff(afterSettling: count) { try self.carryOut(step) }
    }

    /// A page begins a listing of everything.
    ///
    /// - Returns: Whether the page counts.
    func mayBeginListing() throws(TidemarkError) -> Bool {
        let state = try self.turn.state()
        let isExpected = state.isListing && state.watermark == nil
        switch self.turn.exchange.machine.beginListing(isExpected: isExpected, self.turn.exchangeLimits) {
        case .expected: return true
        case .begun(let step):
            try self.carryOut(step)
            try self.noteListing(since: self.turn.exchange.pullBegan ?? self.now)
            return true
        case .endless:
            try self.misunderstand("The server begins to list everything again and again, and comes to no end.")
            return false
        }
    }
}
