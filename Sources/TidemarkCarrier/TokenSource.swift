import Synchronization

/// A token that is renewed for all who share it: asked for once, however many find it spent.
final class TokenSource: Sendable {
    private typealias Waiter = CheckedContinuation<Result<String, CarrierFailure>, Never>

    private struct State {
        var token: String?
        var isAsking = false
        var waiters: [Int: Waiter] = [:]
        var lastNumber = 0
    }

    private let state: Mutex<State>
    private let renew: @Sendable (String?) async throws -> String

    init(_ token: String?, renew: @escaping @Sendable (String?) async throws -> String) {
        self.state = Mutex(State(token: token))
        self.renew = renew
    }

    /// The token; a new one where there is none, or where the present one is the one that was refused.
    func token(insteadOf spent: String?) async throws(CarrierFailure) -> String {
        let number = self.state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                self.wait(number, waiter, insteadOf: spent)
                // Cancelled before there was a waiter: the handler found nobody to tell.
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
        let (token, asks) = self.state.withLock { state -> (String?, Bool) in
            // Somebody else has renewed it by now.
            if let token = state.token, token != spent { return (token, false) }
            state.waiters[number] = waiter
            defer { state.isAsking = true }
            return (nil, !state.isAsking)
        }
        if let token {
            waiter.resume(returning: .success(token))
        }
        if asks {
            // A task of its own: the token is everybody's, and who came first may be cancelled.
            Task { await self.ask(insteadOf: spent) }
        }
    }

    private func ask(insteadOf spent: String?) async {
        let result: Result<String, CarrierFailure>
        do {
            let token = try await self.renew(spent)
            _ = try Self.field(for: token)
            result = .success(token)
        } catch let failure as CarrierFailure {
            result = .failure(failure)
        } catch {
            result = .failure(CarrierFailure(.noCredentials, "No new token could be got: \(error). Sign in again."))
        }
        let waiters = self.state.withLock { state in
            defer {
                state.isAsking = false
                state.waiters = [:]
            }
            if case .success(let token) = result { state.token = token }
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
    /// What is sent as `Authorization` for a token; only what RFC 6750 §2.1 allows can be.
    static func field(for token: String) throws(CarrierFailure) -> String {
        let text = token.utf8.reversed().drop { $0 == UInt8(ascii: "=") }
        guard !text.isEmpty, text.allSatisfy(Self.isAllowed) else {
            throw CarrierFailure(
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
