import Synchronization
import Tidemark
import TidemarkAdapters

/// The connection between a device and the server. It records the requests, and can lose an answer.
final class DemoLine: Remote {
    private struct State {
        var losesNextAnswer = false
        var uploads: [UploadRequest] = []
    }

    private let remote: any Remote
    private let state = Mutex(State())

    init(_ remote: some Remote) {
        self.remote = remote
    }

    /// Every EDIT that was sent, in order, with repetitions.
    var sentEdits: [[UInt8]] { self.state.withLock { $0.uploads.map(\.encodedEdit) } }

    /// Makes the connection lose the next answer; the request arrives.
    func loseNextAnswer() {
        self.state.withLock { $0.losesNextAnswer = true }
    }

    var capabilities: RemoteCapabilities { self.remote.capabilities }

    func exchange(_ request: ExchangeRequest) async throws(RemoteFailure) -> ExchangeAnswer {
        let answer = try await self.remote.exchange(request)
        let isLost = self.state.withLock { state in
            state.uploads += request.uploads
            defer { state.losesNextAnswer = false }
            return state.losesNextAnswer
        }
        guard !isLost else { throw RemoteFailure(.offline, "The connection broke before the answer arrived.") }
        return answer
    }
}
