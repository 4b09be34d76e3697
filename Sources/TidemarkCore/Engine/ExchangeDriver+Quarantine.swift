import TidemarkJSON
import TidemarkMachine
import TidemarkRules

// The parts of an answer besides results and rows.

extension ExchangeDriver {
    /// Stores the answer's cursor, counts its requests, and keeps its notices and its throttling.
    func note(_ answer: ExchangeAnswer) throws(TidemarkError) {
        try self.noteSeen(answer.cursor)
        self.transaction.gains.requests += max(1, answer.requests) - 1
        self.transaction.gains.note(answer.notices)
        if let wait = answer.wait, wait > .zero {
            self.transaction.exchange.throttledUntil = self.now + min(wait, self.transaction.limits.longestRetryAfter)
        }
    }

    /// Stores the newest cursor, that of an answer. The server checked the former one with the same request (W8).
    private func noteSeen(_ newest: String) throws(TidemarkError) {
        guard self.transaction.capabilities.judgesSeen, !newest.isEmpty,
            try self.transaction.state().cursor.map({ CodePointString($0) }) != CodePointString(newest)
        else { return }
        try self.transaction.change { $0.seen = newest }
    }

    /// The throttling of the server, as a failure; nil if a request may be sent.
    func throttlingFailure() -> RemoteFailure? {
        guard let until = self.transaction.exchange.throttledUntil, until > self.now else { return nil }
        let seconds = (until - self.now).components.seconds
        return RemoteFailure(.busy, "The server answers, but asks the client to wait \(max(1, seconds)) s.")
    }

    /// The exchange failed after some results: the results count, and the failure concerns the other edits (R17).
    func take(_ results: [UploadResult], before failure: RemoteFailure) throws(TidemarkError) {
        let count = self.posted.count
        _ = try Inbox(transaction: self.transaction).take(results)
        try self.breakOff(afterSettling: count - self.posted.count)
        try self.take(failure, isOfOurs: true)
    }

    /// Tells the machine that results were applied. The next input is about the edits without a result.
    func breakOff(afterSettling count: Int) throws(TidemarkError) {
        if count > 0 { try self.tell(.answered(nil)) }
    }
}

extension ExchangeMachine.KnownFeed where Name == CodePointString {
    init(_ state: CollectionState, _ capabilities: RemoteCapabilities) {
        self.init(
            cursor: state.cursor.map { CodePointString($0) }, seen: state.seen.map { CodePointString($0) },
            startsOver: state.startsOver,
            isRolledBack: state.claim == .rollback || state.resync?.reason == .rollback,
            judgesSeen: capabilities.judgesSeen)
    }
}
