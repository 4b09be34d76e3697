import TidemarkJSON
import TidemarkMachine
import TidemarkRules

// The parts of an answer besides results and rows.

extension ExchangeDriver {
    /// Stores the answer's token, counts its requests, and keeps its notices and its throttling.
    func note(_ answer: ExchangeAnswer) throws(TidemarkError) {
        try self.noteSeen(answer.watermark)
        self.turn.gains.requests += max(1, answer.requests) - 1
        self.turn.gains.note(answer.notices)
        if let wait = answer.wait, wait > .zero {
            self.turn.exchange.restsUntil = self.now + min(wait, self.turn.limits.longestRetryAfter)
        }
    }

    /// Stores the token of an answer. The server judged the former token with the same request, so this is the newest (W8).
    private func noteSeen(_ token: String) throws(TidemarkError) {
        guard self.turn.capabilities.judgesSeen, !token.isEmpty,
            try self.turn.state().watermark.map({ CodePointString($0) }) != CodePointString(token)
        else { return }
        try self.turn.change { $0.seen = token }
    }

    /// The tokens that a request names.
    ///
    /// A full resync can't distinguish rows that a rolled back server has lost from deleted rows. The server can, so the first request of a
    /// full resync names the newest token (I1, W8). After a rollback the server has lost that token.
    func tokens(by state: CollectionState) -> Exchange.Tokens {
        guard state.startsOver else {
            let isNewer = state.seen.map { CodePointString($0) } != state.watermark.map { CodePointString($0) }
            return Exchange.Tokens(cursor: state.watermark, seen: isNewer ? state.seen : nil)
        }
        let isRollback = state.claim == .rollback || state.resync?.reason == .rollback
        guard self.turn.capabilities.judgesSeen, !isRollback else { return Exchange.Tokens() }
        return Exchange.Tokens(seen: state.seen ?? state.watermark)
    }

    /// The throttling of the server, as a failure; nil if a request may be sent.
    func reasonToRest() -> RemoteFailure? {
        guard let until = self.turn.exchange.restsUntil, until > self.now else { return nil }
        let seconds = (until - self.now).components.seconds
        return RemoteFailure(.busy, "The server answers, and asks to be left alone for \(max(1, seconds)) s.")
    }

    /// The exchange failed after some results: the results count, and the failure is about the other edits (R17).
    func take(_ results: [UploadResult], before failure: RemoteFailure) throws(TidemarkError) {
        let count = self.posted.count
        _ = try Inbox(turn: self.turn).take(results)
        try self.breakOff(afterSettling: count - self.posted.count)
        try self.take(failure, isOfOurs: true)
    }

    /// Tells the machine that results were applied. The next input is about the edits without a result.
    func breakOff(afterSettling count: Int) throws(TidemarkError) {
        if count > 0 { try self.tell(.answered(nil)) }
    }

    /// Whether the answer is the first page of the requested full resync.
    func isFirstPage() throws(TidemarkError) -> Bool {
        try self.turn.state().startsOver && self.turn.exchange.asked.cursor == nil
    }
}
