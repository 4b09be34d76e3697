import Synchronization
import TidemarkCore
import TidemarkSimulation
import TidemarkTesting
import TidemarkMachine

/// What lies between a device of a concurrent simulation and the server: it loses, repeats and delays, as a seed says, until
/// it is told to be calm.
final class UnreliableNetwork: Remote {
    private struct State {
        var generator: SeededGenerator
        var isCalm = false
        var isHeld = false
        /// How many requests wait.
        var held = 0
        var requests = 0
        /// The bytes of each edit that was ever sent, by its id (R17, I5).
        var frozen: [String: [UInt8]] = [:]
        var changed: String?
        /// What a connection that broke off was taken for, where that was wrong.
        var misread: String?
    }

    /// What becomes of a request.
    private enum Fate: CaseIterable {
        case whole, lost, answerLost, twice, late, busy, busyAfter
    }

    private let server: InProcessRemote
    private let breaking: (any Remote)?
    private let state: Mutex<State>

    /// - Parameter breaking: Where requests get lost, if not here: a remote whose connections break off.
    init(_ server: InProcessServer, breaking: (any Remote)?, seed: UInt64) {
        self.server = InProcessRemote(server)
        self.breaking = breaking
        self.state = Mutex(State(generator: SeededGenerator(seed: seed)))
    }

    /// From now on all is carried.
    func calm() { self.state.withLock { $0.isCalm = true } }

    /// From now on requests wait, or all go on.
    func hold(_ isHeld: Bool) { self.state.withLock { $0.isHeld = isHeld } }

    /// How many requests wait.
    var held: Int { self.state.withLock { $0.held } }

    /// How many requests were sent.
    var requests: Int { self.state.withLock { $0.requests } }

    /// What a connection that broke off was taken for, where that was wrong; nil where it never was.
    var misread: String? { self.state.withLock { $0.misread } }

    /// The pk of an edit that was sent again with other bytes; nil where none was.
    var changed: String? { self.state.withLock { $0.changed } }

    func exchange(_ request: ExchangeRequest) async throws(RemoteFailure) -> ExchangeAnswer {
        let (fate, before, after) = self.note(request)
        try await self.waitWhileHeld()
        await Self.wait(before)
        switch fate {
        case .whole: break
        case .lost: throw await self.lose(request)
        case .busy: throw RemoteFailure(.busy, "Something before the server is busy.")
        case .answerLost, .busyAfter:
            _ = try? self.server.exchangeNow(request)
            await Self.wait(after)
            throw RemoteFailure(fate == .busyAfter ? .busy : .offline, "The answer was lost.")
        case .twice:
            _ = try? self.server.exchangeNow(request)
            await Self.wait(after)
        case .late:
            // Its copy arrives when others have come in between, and the first answer is the one that is heard.
            let answer = try self.server.exchangeNow(request)
            await Self.wait(after)
            _ = try? self.server.exchangeNow(request)
            return answer
        }
        let answer = try self.server.exchangeNow(request)
        await Self.wait(after)
        return answer
    }

    /// What no answer came to may have arrived, and may not: it is no answer of any kind (SPEC §3.5).
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
                let former = state.frozen.updateValue(upload.frozen, forKey: upload.requestID)
                if let former, former != upload.frozen { state.changed = upload.pk }
            }
            guard !state.isCalm else { return (.whole, 0, 0) }
            let isWhole = Bool.random(using: &state.generator)
            let fate = isWhole ? .whole : Fate.allCases.randomElement(using: &state.generator) ?? .whole
            return (
                fate, Int.random(in: 0...20, using: &state.generator), Int.random(in: 0...20, using: &state.generator)
            )
        }
    }

    /// Whoever is cancelled meanwhile sees a connection that broke off, as some remotes call it.
    private func waitWhileHeld() async throws(RemoteFailure) {
        guard self.state.withLock({ $0.isHeld }) else { return }
        self.state.withLock { $0.held += 1 }
        defer { self.state.withLock { $0.held -= 1 } }
        while self.state.withLock({ $0.isHeld }) {
            guard !Task.isCancelled else { throw RemoteFailure(.offline, "The connection broke off.") }
            await Task.yield()
        }
    }

    /// Lets others go first.
    private static func wait(_ turns: Int) async {
        for _ in 0..<turns { await Task.yield() }
    }
}
