import TidemarkJSON
import TidemarkMachine

// A policy picks an event or an input; the tables say what that does (SPEC §3.5).

extension SyncEngine {
    /// What a failure of a whole exchange is for the exchange's table.
    func event(after failure: RemoteFailure, in collection: String) -> ExchangeEvent {
        self.noteFailure(failure, of: collection)
        var exchange = self.exchange(of: collection)
        let course: FailureCourse
        let failed = FailedExchange(collection: collection, cause: failure, attempt: exchange.attempts + 1)
        switch self.configuration.policies[failure.failureClass].decide(failed) {
        case .retry where self.isStopping(failure, exchange): (course, exchange.wait) = (.pause, nil)
        case .retry(let wait): (course, exchange.wait) = (.retry, wait)
        case .pause: (course, exchange.wait) = (.pause, nil)
        }
        self.keep(exchange, of: collection)
        let isPosting = exchange.phase == .posting && !exchange.posted.isEmpty
        return failure.failureClass.event(course, whilePosting: isPosting)
    }

    /// Whether the app wants to be asked before what a server lost is replaced by what it has.
    private func isStopping(_ failure: RemoteFailure, _ exchange: Exchange) -> Bool {
        switch self.configuration.serverWentBack {
        case .pause: failure.serverWentBack && !exchange.maySyncAfterWentBack
        case .journal, .sendAgain: false
        }
    }

    /// What follows for a record whose change was just refused; nil when it stays held.
    func inputAfterRefusal(
        of record: inout Record, in collection: String, _ reason: inout JournalEntry.Reason?
    ) throws(TidemarkError) -> Machine.Input? {
        let problem = try record.hold.map { (bytes) throws(TidemarkError) in try Payload(bytes: bytes).json() }
        let refusal = RefusedChange(
            collection: collection, pk: record.pk, state: record.machine.phase.state ?? .edited,
            status: record.refusedStatus, problem: problem ?? [:], attempt: record.failures + 1)
        let verdict = self.configuration.policies.refused.decide(refusal)
        record.failures = verdict == .retry ? refusal.attempt : 0
        switch verdict {
        case .leave: return nil
        case .ask:
            record.hold = problem.map { Self.asking($0).bytes }
            return nil
        case .resign:
            reason = .rejected
            return .resign
        case .retry:
            var exchange = self.exchange(of: collection)
            exchange.postponed[CodePointString(record.pk)] = refusal.attempt
            self.keep(exchange, of: collection)
            return .release
        }
    }

    /// The end of an exchange that has nothing left to do, but for what was refused and is to be sent again: that has
    /// its wait like a failure, so that no one hammers at a server that said no (I8).
    func eventAtRest(in collection: String) throws(TidemarkError) -> ExchangeEvent {
        var exchange = self.exchange(of: collection)
        guard let attempt = exchange.postponed.values.max() else { return .answeredDone }
        var count = 0
        for pk in exchange.postponed.keys.sorted() {
            guard try self.load(pk.value, in: collection).machine.phase.activity == .idle else { continue }
            count += 1
        }
        guard count > 0 else { return .answeredDone }
        exchange.attempts = attempt - 1
        exchange.wait = nil
        exchange.failure = exchange.reasonToPostpone(count)
        self.keep(exchange, of: collection)
        return .failed
    }

    private static let askMember = "tidemark-ask"

    /// A hold that a person is to end: kept beside the server's problem, so that it survives a restart.
    private static func asking(_ problem: JSON) -> JSON {
        var problem = problem
        problem[self.askMember] = true
        return problem
    }

    /// Whether a person is asked about a held record.
    static func isAsking(_ hold: [UInt8]?) -> Bool {
        guard let hold, let problem = try? JSON(parsing: hold) else { return false }
        return problem[self.askMember] == true
    }
}
