import Synchronization
package import TidemarkCore
import TidemarkJSON
import TidemarkWire

/// A remote of the wire (Contract §5) that keeps its last requests and answers for the messages of the checks.
package final class CarriedRemote: Remote, ConformanceCarrier {
    /// The number of requests that it keeps.
    private static let kept = 2

    private let carrier: any ConformanceCarrier
    private let last = Mutex<[ConformanceExchange]>([])

    package let capabilities: RemoteCapabilities

    /// Makes a remote of a server of some level.
    package init(_ carrier: any ConformanceCarrier, level: ConformanceLevel) {
        self.carrier = carrier
        self.capabilities = level.capabilities
    }

    package var url: String { self.carrier.url }
    package var hasToken: Bool { self.carrier.hasToken }

    package func exchange(_ request: ExchangeRequest) async throws(RemoteFailure) -> ExchangeAnswer {
        let reply = try await self.send(ConformanceRequest(WireRequest(request)))
        return try WireAnswer.decode(
            status: reply.status, header: { reply.field($0) }, body: reply.body, request: request, base: self.url)
    }

    package func send(_ request: ConformanceRequest) async throws(RemoteFailure) -> ConformanceReply {
        do throws(RemoteFailure) {
            let reply = try await self.carrier.send(request)
            self.keep(request, .success(reply))
            return reply
        } catch {
            self.keep(request, .failure(error))
            throw error
        }
    }

    package func hints(
        for collections: [String], onHint: @escaping @Sendable (RemoteHint) -> Void
    ) async throws(RemoteFailure) -> RemoteHint.End {
        try await self.carrier.hints(for: collections, onHint: onHint)
    }

    /// The level that the server declares in the list of collections (Contract §5); nil if it declares none, or has no list.
    ///
    /// - Throws: `RemoteFailure` if the list declares a newer version of the wire.
    package func declaredLevel(_ time: ConformanceTime) async throws -> ConformanceLevel? {
        let reply = try await time.within("the answer to GET /") {
            () async throws(RemoteFailure) in try await self.send(.list)
        }
        guard reply.status == 200, let list = reply.json else { return nil }
        try WireVersion.check(list["wire"]?.text)
        return list["level"]?.string.flatMap(ConformanceLevel.init)
    }

    /// Returns the last exchanges since the last call.
    func takeLast() -> [ConformanceExchange] {
        self.last.withLock { last in
            defer { last = [] }
            return last
        }
    }

    private func keep(_ request: ConformanceRequest, _ answer: Result<ConformanceReply, RemoteFailure>) {
        let exchange = ConformanceExchange(url: self.url, hasToken: self.hasToken, request: request, answer: answer)
        self.last.withLock { last in
            last = last.suffix(Self.kept - 1) + [exchange]
        }
    }
}
