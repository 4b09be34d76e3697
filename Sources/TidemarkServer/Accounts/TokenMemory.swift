import Synchronization

/// A cache of token look-ups: a request needs two of them, and a syncing device sends many requests.
///
/// An entry is kept only briefly, so that the revocation of a token, here or by another process, soon takes effect.
final class TokenMemory: Sendable {
    /// The access that a token grants.
    enum Access: Sendable, Hashable {
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
    ///   - span: How long an entry is valid.
    ///   - count: The most tokens in the cache; the next token clears the cache.
    init(span: Duration, count: Int) {
        self.span = span.microseconds
        self.count = count
    }

    func access(of digest: String, at now: Int64) -> Access? {
        self.state.withLock { state in
            guard let known = state.tokens[digest], self.isFresh(known.at, now) else { return nil }
            return Self.access(of: known.token, at: now)
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

    /// Clears the cache after a change of accounts or tokens in this process.
    func forget() {
        self.state.withLock { $0 = State() }
    }

    static func access(of token: ServerToken, at now: Int64) -> Access {
        token.expiresAt.map { $0 <= now } == true ? .expired : .account(token.account)
    }

    /// If the clock was set back, every entry is stale.
    private func isFresh(_ time: Int64, _ now: Int64) -> Bool { now >= time && now - time < self.span }
}
