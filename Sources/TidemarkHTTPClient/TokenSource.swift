import Synchronization

/// A token that is renewed for all requests that share it: once, however many of them were rejected.
///
/// If the server rejects a new token, too, another one would hardly be better: the requests that follow get the rejection at
/// once, so that a client with many collections does not ask the token server once for each of them. After
/// ``renewalPause`` a rejection renews the token again, and so does one of a token that the server had accepted.
final class TokenSource: Sendable {
    /// How long a new token that the server rejected is not replaced by another one.
    static let renewalPause = Duration.seconds(10)

    private typealias Waiter = CheckedContinuation<Result<String, HTTPFailure>, Never>

    private struct State {
        var token: String?

        /// When the token was renewed; nil if the server has accepted it since, or if it is the first one.
        var renewal: ContinuousClock.Instant?
        var isAsking = false
        var waiters: [Int: Waiter] = [:]
        var lastNumber = 0
    }

    private let state: Mutex<State>
    private let renew: @Sendable (String?) async throws -> String
    private let now: @Sendable () -> ContinuousClock.Instant

    init(
        _ token: String?, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        renew: @escaping @Sendable (String?) async throws -> String
    ) {
        self.state = Mutex(State(token: token))
        self.renew = renew
        self.now = now
    }

    /// Remembers that the server accepted a token: a later rejection means that it has expired.
    func accept(_ token: String) {
        self.state.withLock { state in
            if state.token == token { state.renewal = nil }
        }
    }

    /// Returns the token. If there is none, or if it is `spent`, which the server rejected, a new one is made first, unless
    /// `spent` itself was made less than ``renewalPause`` ago and was never accepted: then it is returned.
    func token(insteadOf spent: String?) async throws(HTTPFailure) -> String {
        let number = self.state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                self.wait(number, waiter, insteadOf: spent)
                // If the task was cancelled before there was a waiter, the handler had nothing to resume.
                if Task.isCancelled {
                    self.leave(number)
                }
            }
        } onCancel: {
            self.leave(number)
        }
        return try result.get()
    }

    private func wait(_ number: Int, _ waiter: Waiter, insteadOf spent: String?) {
        let now = self.now()
        let (token, asks) = self.state.withLock { state -> (String?, Bool) in
            if let token = state.token {
                // Another request has renewed it meanwhile, or the new one was rejected as well.
                if token != spent { return (token, false) }
                if let renewal = state.renewal, now < renewal + Self.renewalPause { return (token, false) }
            }
            state.waiters[number] = waiter
            defer { state.isAsking = true }
            return (nil, !state.isAsking)
        }
        if let token {
            waiter.resume(returning: .success(token))
        }
        if asks {
            // A separate task: the token is for all waiters, and the first of them may be cancelled.
            Task { await self.ask(insteadOf: spent) }
        }
    }

    private func ask(insteadOf spent: String?) async {
        let result: Result<String, HTTPFailure>
        do {
            let token = try await self.renew(spent)
            _ = try Self.field(for: token)
            result = .success(token)
        } catch let failure as HTTPFailure {
            result = .failure(failure)
        } catch {
            result = .failure(
                HTTPFailure(.noCredentials, "No new token could be obtained: \(error). Sign in again."))
        }
        let now = self.now()
        let waiters = self.state.withLock { state in
            defer {
                state.isAsking = false
                state.waiters = [:]
            }
            // The first token may be a stored one that has expired: only one that replaced a rejected token is new.
            if case .success(let token) = result { (state.token, state.renewal) = (token, spent == nil ? nil : now) }
            return state.waiters.values
        }
        for waiter in waiters {
            waiter.resume(returning: result)
        }
    }

    private func leave(_ number: Int) {
        let waiter = self.state.withLock { $0.waiters.removeValue(forKey: number) }
        waiter?.resume(returning: .failure(.cancelled))
    }
}

extension TokenSource {
    /// Returns the `Authorization` field for a token; it can contain only the characters of RFC 6750 §2.1.
    static func field(for token: String) throws(HTTPFailure) -> String {
        let text = token.utf8.reversed().drop { $0 == UInt8(ascii: "=") }
        guard !text.isEmpty, text.allSatisfy(Self.isAllowed) else {
            throw HTTPFailure(
                .noCredentials,
                "The token is empty, or has a character that can't be sent. Copy it again, without blanks and line ends."
            )
        }
        return "Bearer \(token)"
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default:
            "-._~+/".utf8.contains(byte)
        }
    }
}
