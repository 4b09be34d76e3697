import GeneratedRows
import Synchronization
import Tidemark
import TidemarkCore
import TidemarkWire

/// Sends the answers of an earlier run again, in their order, with the request ids of this run. A copy of the same store sends
/// the same edits in the same order.
final class Replay: Remote {
    let capabilities = RemoteCapabilities.native

    private let exchanges: [Acknowledger.Exchange]
    private let next = Mutex(0)

    init(_ exchanges: [Acknowledger.Exchange]) {
        self.exchanges = exchanges
    }

    func exchange(_ request: ExchangeRequest) async throws(RemoteFailure) -> ExchangeAnswer {
        // An HTTP client writes the request as well.
        keep(WireRequest(request))
        let number = self.next.withLock { next in
            defer { next += 1 }
            return next
        }
        guard number < self.exchanges.count else { throw RemoteFailure(.invalidAnswer, "No recorded answer is left.") }
        return try JSONAnswer.decode(try Self.answer(of: self.exchanges[number], to: request), to: request)
    }

    private static func answer(
        of exchange: Acknowledger.Exchange, to request: ExchangeRequest
    ) throws(RemoteFailure) -> [UInt8] {
        do {
            return try RequestIDs.replace(
                at: exchange.ids, of: exchange.answer, by: request.uploads.map(\.requestID.utf8))
        } catch {
            throw RemoteFailure(.invalidAnswer, error.description)
        }
    }
}
