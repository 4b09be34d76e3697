import Synchronization
import TidemarkCore
import TidemarkHTTP
import TidemarkMachine

/// A remote that loses the answers to POSTs after the server has carried them out.
final class AnswerLoser: Remote {
    private let inner: HTTPRemote
    private let losses = Mutex(0)

    var capabilities: RemoteCapabilities { self.inner.capabilities }

    init(_ inner: HTTPRemote) {
        self.inner = inner
    }

    /// Loses the answers to the next POSTs.
    func lose(_ count: Int) {
        self.losses.withLock { $0 = count }
    }

    func exchange(_ request: ExchangeRequest) async throws(RemoteFailure) -> ExchangeAnswer {
        let answer = try await self.inner.exchange(request)
        let isLost = self.losses.withLock { losses in
            guard losses > 0, !request.uploads.isEmpty else { return false }
            losses -= 1
            return true
        }
        if isLost { throw RemoteFailure(.offline, "the answer was lost") }
        return answer
    }
}
