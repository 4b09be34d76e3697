import GeneratedRows
import Synchronization
import Tidemark
import TidemarkWire

/// Gives the answers of an earlier run, in their order: the same store and seed ask the same things.
final class Replay: Remote {
    private let answers: [[UInt8]]
    private let next = Mutex(0)

    init(_ exchanges: [Acknowledger.Exchange]) {
        self.answers = exchanges.map(\.answer)
    }

    func exchange(_ request: ExchangeRequest) async throws(RemoteFailure) -> ExchangeAnswer {
        // As a carrier does.
        keep(WireRequest(request))
        let number = self.next.withLock { next in
            defer { next += 1 }
            return next
        }
        guard number < self.answers.count else { throw RemoteFailure(.protocol, "There is no answer any more.") }
        return try JSONAnswer.decode(self.answers[number], to: request)
    }
}
