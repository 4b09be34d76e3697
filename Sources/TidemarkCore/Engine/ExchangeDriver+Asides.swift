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
            try self.turn.state().watermark.map({ CodePointString($0) }) != CodePointString(token)
        else { return }
        try self.turn.change { $0.seen = token }
    }

    /// The tokens that a request names.
    ///
    /// A full resync does not tell what a rolled back server has lost from what was deleted; the server can, so its first request
    /// names the newest token (I1, W8). After a rollback the server has lost that token.
    func tokens(by state: CollectionState) -> Exchange.Tokens {
        guard state.startsOver else {
            let isNewer = state.seen.map { CodePointString($0) } != state.watermark.map { CodePointString($0) }
            return Exchange.Tokens(cursor: state.watermark, seen: isNewer ? state.seen : nil)
        }
        let isRollback = state.claim == .rollback || state.resync?.reason == .rollback
        guard self.turn.capabilities.judgesSeen, !isRollback else { return Exchange.Tokens() }
        return Exchange.Tokens(seen: state.seen ?? state.watermark)
    }

    /// Why nothing is asked of the server now, though it answers; nil where it may be asked.
    func reasonToRest() -> RemoteFailure? {
        guard let until = self.turn.exchange.restsUntil, until > self.now else { return nil }
        let seconds = (until - self.now).components.seconds
        return RemoteFailure(.busy, "The server answers, and asks to be left alone for \(max(1, seconds)) s.")
    }

    /// The exchange failed after some of its edits had a result: these count, and the failure is about the rest (R17).
    func take(_ results: [UploadResult], before failure: RemoteFailure) throws(TidemarkError) {
        let count = self.posted.count
        _ = try Inbox(turn: self.turn).take(results)
        try self.breakOff(afterSettling: count - self.posted.count)
        try self.take(failure, isOfOurs: true)
    }

    /// What follows is about the edits that no result has settled.
    func breakOff(afterSettling count: Int) throws(TidemarkError) {
        if count > 0 { try self.tell(.answered(nil)) }
    }

    /// Whether the answer that came is to the request of the full resync that is requested.
    func isFirstPage() throws(TidemarkError) -> Bool {
        try self.turn.state().startsOver && self.turn.exchange.asked.cursor == nil
    }
}
