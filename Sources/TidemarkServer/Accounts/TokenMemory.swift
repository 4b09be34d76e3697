import Synchronization

/// What was looked up of tokens a moment ago: a request asks twice, and a device that syncs asks often.
///
/// It is kept for so short a time that a token which was revoked, here or by another process, opens nothing soon after.
final class TokenMemory: Sendable {
    /// What a token opens.
    enum Standing: Sendable, Hashable {
        case account(String)
        case expired
        case unknown
    }

    private struct State {
        var tokens: [String: (token: ServerToken, at: Int64)] = [:]
        var isOpen: (value: Bool, at: Int64)?
    }

    private let span: Int64
    private let count: Int
    private let state = Mutex(State())

    /// - Parameters:
    ///   - span: How long something is remembered.
    ///   - count: How many tokens are: all are forgotten at the next one.
    init(span: Duration, count: Int) {
        self.span = span.microseconds
        self.count = count
    }

    func standing(of digest: String, at now: Int64) -> Standing? {
        self.state.withLock { state in
            guard let known = state.tokens[digest], self.isFresh(known.at, now) else { return nil }
            return Self.standing(of: known.token, at: now)
        }
    }

    func remember(_ token: ServerToken, at now: Int64) {
        self.state.withLock { state in
            if state.tokens.count >= self.count { state.tokens = [:] }
            state.tokens[token.digest] = (token, now)
        }
    }

    func isOpen(at now: Int64) -> Bool? {
        self.state.withLock { state in state.isOpen.flatMap { self.isFresh($0.at, now) ? $0.value : nil } }
    }

    func remember(isOpen: Bool, at now: Int64) {
        self.state.withLock { $0.isOpen = (isOpen, now) }
    }

    /// Something was changed here.
    func forget() {
        self.state.withLock { $0 = State() }
    }

    static func standing(of token: ServerToken, at now: Int64) -> Standing {
        token.expiresAt.map { $0 <= now } == true ? .expired : .account(token.account)
    }

    /// A clock that was set back makes everything old.
    private func isFresh(_ time: Int64, _ now: Int64) -> Bool { now >= time && now - time < self.span }
}
