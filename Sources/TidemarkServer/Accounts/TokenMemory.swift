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
        /// The digests that the storage does not have, in a separate table: requests with invented tokens displace no valid one.
        var unknown: [String: Int64] = [:]
        var isOpen: (value: Bool, at: Int64)?
        var generation: UInt64 = 0
    }

    private let span: Int64
    private let count: Int
    private let unknownCount: Int
    private let state = Mutex(State())

    /// - Parameters:
    ///   - span: How long an entry is valid.
    ///   - count: The most tokens in the cache; the next token clears their table.
    ///   - unknownCount: The most unknown tokens in it; the next one clears their table.
    init(span: Duration, count: Int, unknownCount: Int) {
        self.span = span.microseconds
        self.count = count
        self.unknownCount = unknownCount
    }

    /// The number of changes of accounts and tokens in this process. The result of a look-up is used only while this is the
    /// number that it was before the look-up: a change may come between the read and the use.
    var generation: UInt64 { self.state.withLock(\.generation) }

    func access(of digest: String, at now: Int64) -> Access? {
        self.state.withLock { state in
            if let known = state.tokens[digest], self.isFresh(known.at, now) {
                return Self.access(of: known.token, at: now)
            }
            if let time = state.unknown[digest], self.isFresh(time, now) { return .unknown }
            return nil
        }
    }

    /// Caches the result of a look-up, unless it is of an earlier generation.
    ///
    /// - Parameters:
    ///   - token: The token; nil if the storage does not have it.
    ///   - generation: The ``generation`` before the look-up.
    func remember(_ token: ServerToken?, ofDigest digest: String, at now: Int64, generation: UInt64) {
        self.state.withLock { state in
            guard state.generation == generation else { return }
            guard let token else {
                state.tokens[digest] = nil
                if state.unknown.count >= self.unknownCount { state.unknown = [:] }
                state.unknown[digest] = now
                return
            }
            state.unknown[digest] = nil
            if state.tokens.count >= self.count { state.tokens = [:] }
            state.tokens[digest] = (token, now)
        }
    }

    func isOpen(at now: Int64) -> Bool? {
        self.state.withLock { state in state.isOpen.flatMap { self.isFresh($0.at, now) ? $0.value : nil } }
    }

    /// Caches whether there is one account that needs no token, unless the answer is of an earlier generation.
    func remember(isOpen: Bool, at now: Int64, generation: UInt64) {
        self.state.withLock { state in
            guard generation == state.generation else { return }
            state.isOpen = (isOpen, now)
        }
    }

    /// Clears the cache after a change of accounts or tokens in this process, and begins the next generation.
    func forget() {
        self.state.withLock { $0 = State(generation: $0.generation + 1) }
    }

    static func access(of token: ServerToken, at now: Int64) -> Access {
        token.expiresAt.map { $0 <= now } == true ? .expired : .account(token.account)
    }

    /// If the clock was set back, every entry is stale.
    private func isFresh(_ time: Int64, _ now: Int64) -> Bool { now >= time && now - time < self.span }
}
