import TidemarkJSON
import TidemarkMachine
import TidemarkRules

// What an answer says besides results and rows.

extension ExchangeDriver {
    /// Keeps the answer's token, counts its requests, and keeps its notices and its wait.
    func note(_ answer: ExchangeAnswer) throws(TidemarkError) {
        try self.noteSeen(answer.watermark)
        self.turn.gains.requests += max(1, answer.requests) - 1
        self.turn.gains.note(answer.notices)
        if let wait = answer.wait, wait > .zero {
            self.turn.exchange.restsUntil = self.now + min(wait, self.turn.limits.longestRetryAfter)
        }
    }

    /// The server has answered with a token. It judged the one before when it took the request, so this is the newest (W8).
    private func noteSeen(_ token: String) throws(TidemarkError) {
        guard self.turn.capabilities.judgesSeen, !token.isEmpty,
            try self.former() != CodePointString(token)
        else { return }
        try self.turn.change { $0.seen = token }
    }

    /// The token that a request names beside its cursor; nil if there is none, and during a full resync after the server was
    /// rolled back, which has lost this token.
    func seen() throws(TidemarkError) -> String? {
        guard let seen = try self.turn.state().seen, try self.former() != CodePointString(seen),
            try !LostHistory(turn: self.turn).isUnderWay()
        else { return nil }
        return seen
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
        _ = try Inbox(turn: self.turn).take(results)
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
