import Synchronization
import TidemarkJSON

/// The open watches of all accounts.
final class HintBoard: Sendable {
    private struct Account {
        var all: [ObjectIdentifier: ServerWatch] = [:]
        var named: [CodePointString: [ObjectIdentifier: ServerWatch]] = [:]
        var count = 0
        /// How many names of collections its watches keep: the named ones, and those that a watch of all collections has got
        /// hints of.
        var names = 0

        /// The watches that get the hints of a collection.
        func readers(of collection: String) -> [ServerWatch] {
            let named = self.named[CodePointString(collection)]?.values.map(\.self) ?? []
            return self.all.isEmpty ? named : named + self.all.values
        }
    }

    private struct State {
        var accounts: [CodePointString: Account] = [:]
        /// The watches that were opened with a token of the storage, by the token's digest.
        var tokens: [String: [ObjectIdentifier: ServerWatch]] = [:]
        var count = 0
        /// How many names of collections all watches keep.
        var names = 0

        /// Refuses `names` more names for an account's watches if a limit is reached; nil if they are allowed.
        func refusal(of names: Int, to account: CodePointString, _ limits: ServerLimits) -> ServerRefusal? {
            guard self.names + names <= limits.watchedNames else { return .tooManyWatches }
            guard (self.accounts[account]?.names ?? 0) + names <= limits.watchedNamesOfAccount else {
                return .tooManyNamesOfAccount(limits.watchedNamesOfAccount)
            }
            return nil
        }
    }

    private let limits: ServerLimits
    private let state = Mutex(State())

    init(_ limits: ServerLimits) {
        self.limits = limits
    }

    /// How many watches are open.
    var count: Int { self.state.withLock(\.count) }

    /// Opens a watch; every later hint reaches it.
    ///
    /// - Parameters:
    ///   - collections: The collections, each once; nil for all of the account.
    ///   - token: The digest of the storage's token that authorized the request; nil if none did.
    func open(account: String, collections: [String]?, token: String? = nil) throws(ServerRefusal) -> ServerWatch {
        let watch = ServerWatch(
            account: account, collections: collections, token: token, most: self.limits.watchedCollections,
            hasRoom: { [weak self] in self?.takesOneMore(of: CodePointString(account)) ?? false },
            close: { [weak self] in self?.close($0, names: $1) })
        let refusal = self.state.withLock { state -> ServerRefusal? in
            let name = CodePointString(account)
            let names = collections?.count ?? 0
            guard state.count < self.limits.watches else { return .tooManyWatches }
            guard state.accounts[name]?.count ?? 0 < self.limits.watchesOfAccount else {
                return .tooManyWatchesOfAccount(self.limits.watchesOfAccount)
            }
            if let refusal = state.refusal(of: names, to: name, self.limits) { return refusal }
            state.count += 1
            state.names += names
            state.accounts[name, default: Account()].count += 1
            state.accounts[name]?.names += names
            let id = ObjectIdentifier(watch)
            if let token { state.tokens[token, default: [:]][id] = watch }
            guard let collections else {
                state.accounts[name]?.all[id] = watch
                return nil
            }
            for collection in collections {
                state.accounts[name]?.named[CodePointString(collection), default: [:]][id] = watch
            }
            return nil
        }
        if let refusal { throw refusal }
        return watch
    }

    /// Offers a hint to all watches of its collection.
    func announce(_ hint: ServerHint, account: String) {
        // Offered outside of the lock: the woken code may need the lock.
        let readers = self.state.withLock { $0.accounts[CodePointString(account)]?.readers(of: hint.collection) ?? [] }
        for reader in readers { reader.offer(hint) }
    }

    /// Ends all watches of an account.
    func end(account: String) {
        let watches = self.state.withLock { state -> [ServerWatch] in
            guard let account = state.accounts[CodePointString(account)] else { return [] }
            return account.all.values + account.named.values.flatMap(\.values)
        }
        // Outside of the lock, which each watch takes when it ends. A watch that is listed twice ends once.
        for watch in watches { watch.end() }
    }

    /// The watches that were opened with a token of the storage, by the token's digest.
    var watchesByToken: [String: [ServerWatch]] { self.state.withLock { $0.tokens.mapValues { Array($0.values) } } }

    /// The accounts that have open watches.
    var watchedAccounts: [String] { self.state.withLock { $0.accounts.keys.map(\.value) } }

    /// Whether a collection has an open watch.
    func isWatched(account: String, collection: String) -> Bool {
        self.state.withLock { state in
            guard state.count > 0, let account = state.accounts[CodePointString(account)] else { return false }
            return !account.all.isEmpty || account.named[CodePointString(collection)] != nil
        }
    }

    /// Whether a watch of all collections may keep one more name; if so, the name is counted.
    private func takesOneMore(of account: CodePointString) -> Bool {
        self.state.withLock { state in
            guard state.refusal(of: 1, to: account, self.limits) == nil else { return false }
            state.names += 1
            state.accounts[account]?.names += 1
            return true
        }
    }

    /// - Parameter names: How many names the watch kept.
    private func close(_ watch: ServerWatch, names: Int) {
        self.state.withLock { state in
            let name = CodePointString(watch.account)
            let id = ObjectIdentifier(watch)
            // Removed from the dictionary first: a dictionary that is referenced twice is copied as a whole on a change.
            guard var account = state.accounts.removeValue(forKey: name) else { return }
            state.count -= 1
            state.names -= names
            account.names -= names
            account.count -= 1
            if let token = watch.token {
                state.tokens[token]?[id] = nil
                if state.tokens[token]?.isEmpty == true { state.tokens[token] = nil }
            }
            account.all[id] = nil
            for collection in watch.collections ?? [] {
                let collection = CodePointString(collection)
                account.named[collection]?[id] = nil
                if account.named[collection]?.isEmpty == true { account.named[collection] = nil }
            }
            if account.count > 0 { state.accounts[name] = account }
        }
    }
}

extension ServerRefusal {
    /// The delay before a retry, in seconds.
    private static let retryAfter = [("Retry-After", "60")]

    static let tooManyWatches = ServerRefusal(
        Problem(
            503, .tooManyWatches,
            "the server has as many watches as its limit allows; poll instead, and try again later"),
        headers: Self.retryAfter)

    fileprivate static func tooManyNamesOfAccount(_ limit: Int) -> ServerRefusal {
        ServerRefusal(
            Problem(
                429, .tooManyWatches,
                "the account watches \(limit) names of collections already; name fewer, or poll instead"
            ),
            headers: Self.retryAfter)
    }

    fileprivate static func tooManyWatchesOfAccount(_ limit: Int) -> ServerRefusal {
        ServerRefusal(
            Problem(
                429, .tooManyWatches,
                "the account watches \(limit) times already; close a watch, or poll instead"),
            headers: Self.retryAfter)
    }
}
