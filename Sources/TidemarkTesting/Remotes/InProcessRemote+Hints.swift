public import TidemarkCore
import TidemarkMachine
import TidemarkServer
import TidemarkWire

extension InProcessRemote {
    /// Receives the server's hints, encoded and decoded as over a real connection: the hint of a commit arrives before the
    /// answer to its POST. Heartbeats depend on the server's clock.
    public func hints(
        for collections: [String], onHint: @escaping @Sendable (RemoteHint) -> Void
    ) async throws(RemoteFailure) -> RemoteHint.End {
        let request = self.request("GET", WireHints.target(for: collections), WireHints.headers)
        let watch: ServerWatch
        switch self.server.core.answer(request) {
        case .events(let opened): watch = opened
        case .whole(let response):
            return try WireHints.end(
                status: response.status, header: { response.header($0) }, body: response.body)
        }
        let reader = HintReader(onHint)
        let (news, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        watch.onNews {
            for hint in watch.take() { _ = reader.take(hint.event) }
            if watch.isOver { signal.finish() }
        }
        let clock = self.server.clock
        await withTaskCancellationHandler {
            await withDiscardingTaskGroup { group in
                group.addTask {
                    while (try? await clock.sleep(until: clock.now + InProcessServer.heartbeat)) != nil {
                        _ = reader.take(ServerHint.heartbeat)
                    }
                }
                for await _ in news {}
                group.cancelAll()
            }
        } onCancel: {
            watch.end()
        }
        watch.end()
        guard !Task.isCancelled else { throw RemoteFailure(.cancelled, "The hints were cancelled.") }
        return reader.end
    }
}
