import Synchronization
import TidemarkCore
import TidemarkSimulation
import TidemarkTesting
import TidemarkMachine

/// The network between a device of a concurrent simulation and the server. A seed decides which messages it loses, repeats and
/// delays, until it is calm.
final class UnreliableNetwork: Remote {
    let capabilities = RemoteCapabilities.native

    private struct State {
        var generator: SeededGenerator
        var isCalm = false
        var isHeld = false
        /// How many requests wait.
        var held = 0
        var requests = 0
        /// The bytes of each edit that was sent, by request id (R17, I5).
        var encodedEdit: [String: [UInt8]] = [:]
        var changed: String?
        /// The wrong meaning that a client gave to a broken connection.
        var misread: String?
    }

    /// The treatment of a request.
    private enum Fate: CaseIterable {
        case whole, lost, answerLost, twice, late, busy, busyAfter
    }

    private let server: InProcessRemote
    private let breaking: (any Remote)?
    private let state: Mutex<State>

    /// - Parameter breaking: A remote whose connections break: it gets the requests that this network would lose. Nil:
    ///   they are lost without it.
    init(_ server: InProcessServer, breaking: (any Remote)?, seed: UInt64) {
        self.server = InProcessRemote(server)
        self.breaking = breaking
        self.state = Mutex(State(generator: SeededGenerator(seed: seed)))
    }

    /// Delivers each message from now on.
    func calm() { self.state.withLock { $0.isCalm = true } }

    /// Holds all requests from now on, or continues all.
    func hold(_ isHeld: Bool) { self.state.withLock { $0.isHeld = isHeld } }

    /// How many requests wait.
    var held: Int { self.state.withLock { $0.held } }

    /// How many requests were sent.
    var requests: Int { self.state.withLock { $0.requests } }

    /// The wrong meaning that a client gave to a broken connection; nil if it gave none.
    var misread: String? { self.state.withLock { $0.misread } }

    /// The pk of an edit that was sent again with other bytes; nil if no edit was.
    var changed: String? { self.state.withLock { $0.changed } }

    func exchange(_ request: ExchangeRequest) async throws(RemoteFailure) -> ExchangeAnswer {
        let (fate, before, after) = self.note(request)
        try await self.waitWhileHeld()
        await Self.wait(before)
        switch fate {
        case .whole: break
        case .lost: throw await self.lose(request)
        case .busy: throw RemoteFailure(.busy, "A proxy of the server is busy.")
        case .answerLost, .busyAfter:
            _ = try? self.server.exchangeNow(request)
            await Self.wait(after)
            throw RemoteFailure(fate == .busyAfter ? .busy : .offline, "The answer was lost.")
        case .twice:
            _ = try? self.server.exchangeNow(request)
            await Self.wait(after)
        case .late:
            // A copy of the request arrives after other requests, and the client receives the first answer.
            let answer = try self.server.exchangeNow(request)
            await Self.wait(after)
            _ = try? self.server.exchangeNow(request)
            return answer
        }
        let answer = try self.server.exchangeNow(request)
        await Self.wait(after)
        return answer
    }

    /// Loses a request or its answer. The client may not treat that as an answer (Contract §3.5).
    private func lose(_ request: ExchangeRequest) async -> RemoteFailure {
        guard let breaking = self.breaking else { return RemoteFailure(.offline, "The request was lost.") }
        do throws(RemoteFailure) {
            _ = try await breaking.exchange(request)
            self.state.withLock { $0.misread = "an answer" }
        } catch {
            guard ![.offline, .cancelled].contains(error.failureClass) else { return error }
            self.state.withLock { $0.misread = "\(error.failureClass), \(error.message)" }
            return error
        }
        return RemoteFailure(.offline, "The request was lost.")
    }

    private func note(_ request: ExchangeRequest) -> (fate: Fate, before: Int, after: Int) {
        self.state.withLock { state in
            state.requests += 1
            for upload in request.uploads {
                let former = state.encodedEdit.updateValue(upload.encodedEdit, forKey: upload.requestID)
                if let former, former != upload.encodedEdit { state.changed = upload.pk }
            }
            guard !state.isCalm else { return (.whole, 0, 0) }
            let isWhole = Bool.random(using: &state.generator)
            let fate = isWhole ? .whole : Fate.allCases.randomElement(using: &state.generator) ?? .whole
            return (
                fate, Int.random(in: 0...20, using: &state.generator), Int.random(in: 0...20, using: &state.generator)
            )
        }
    }

    /// Waits while requests are held. A cancelled caller gets a broken connection, as from some remotes.
    private func waitWhileHeld() async throws(RemoteFailure) {
        guard self.state.withLock({ $0.isHeld }) else { return }
        self.state.withLock { $0.held += 1 }
        defer { self.state.withLock { $0.held -= 1 } }
        while self.state.withLock({ $0.isHeld }) {
            guard !Task.isCancelled else { throw RemoteFailure(.offline, "The connection broke.") }
            await Task.yield()
        }
    }

    /// Yields to other tasks.
    private static func wait(_ turns: Int) async {
        for _ in 0..<turns { await Task.yield() }
    }
}
