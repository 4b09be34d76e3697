/// Adds, lists and removes accounts and their tokens, in a storage that keeps them.
///
/// An account is whose records they are; a token is what opens it. So a token can be renewed, or one of a device that was lost
/// be revoked, and no record is touched. A token is shown once, when it is made: only its digest is kept.
///
/// ```swift
/// let book = AccountBook(storage, now: { 1_763_000_000_000_000 })
/// try book.addAccount(named: "ada")
/// let (token, number) = try book.addToken(to: "ada", label: "phone", lasting: .seconds(90 * 86_400))
/// try book.removeToken(number)
/// ```
public struct AccountBook {
    private let storage: any AccountStorage
    private let now: () -> Int64
    private let limits: ServerLimits

    /// A book over a storage that nobody else uses meanwhile.
    public init(_ storage: any AccountStorage, limits: ServerLimits = ServerLimits(), now: @escaping () -> Int64) {
        self.storage = storage
        self.limits = limits
        self.now = now
    }

    /// The book of a storage that may keep accounts, or not.
    init(
        anyOf storage: any ServerStorage, limits: ServerLimits, now: @escaping () -> Int64
    ) throws(ServerStorageError) {
        guard let accounts = storage as? any AccountStorage else {
            throw Self.refusal("this storage keeps no accounts")
        }
        self.init(accounts, limits: limits, now: now)
    }

    /// Whose records a new account begins with.
    public enum Beginning: Sendable, Hashable {
        /// None.
        case nothing
        /// Those of a server that was open to all.
        case openAccount
        /// Those of a token that was an account itself (``ServerAccounts``). It opens the account from now on.
        case token(String)
    }

    /// An account with what is said of it.
    public struct Entry: Sendable, Hashable {
        /// The account.
        public var account: ServerAccount
        /// What it has.
        public var usage: AccountUsage
        /// How many tokens open it.
        public var tokens: Int
    }

    /// A token with the name of the account that it opens.
    public struct Listed: Sendable, Hashable {
        /// The token.
        public var token: ServerToken
        /// The account's name.
        public var account: String
    }

    /// The digest under which a token is kept.
    static func digest(of token: String) -> String { SHA256.hex(Array("tidemark token \(token)".utf8)) }
}

// MARK: - Accounts

extension AccountBook {
    /// Adds an account; a server that had none is open to nobody without a token from now on.
    @discardableResult
    public func addAccount(named name: String, beginningWith beginning: Beginning = .nothing) throws(ServerStorageError)
        -> ServerAccount
    {
        try self.check(name, what: "name of an account", mayBeEmpty: false)
        return try self.storage.transaction { () throws(ServerStorageError) in
            guard try !self.storage.accounts().contains(where: { $0.name.isSame(as: name) }) else {
                throw Self.refusal("there is an account “\(name)” already")
            }
            let id =
                switch beginning {
                case .nothing: Self.random(bytes: 16)
                case .openAccount: ServerAccounts.openAccount
                case .token(let token): ServerAccounts.name(of: token)
                }
            if let owner = try self.storage.accounts().first(where: { $0.id == id }) {
                throw Self.refusal("the account “\(owner.name)” has these records already")
            }
            let account = ServerAccount(id: id, name: name, addedAt: self.now())
            try self.storage.add(account)
            if case .token(let token) = beginning {
                let digest = Self.digest(of: token)
                guard try self.storage.token(ofDigest: digest) == nil else {
                    throw Self.refusal("the token opens another account")
                }
                _ = try self.storage.add(
                    ServerToken(account: id, label: "the former account", digest: digest, addedAt: self.now()))
            }
            return account
        }
    }

    /// The accounts by name, and what each has.
    public func accounts() throws(ServerStorageError) -> [Entry] {
        try self.storage.transaction { () throws(ServerStorageError) in
            var tokens: [String: Int] = [:]
            for token in try self.storage.tokens() { tokens[token.account, default: 0] += 1 }
            return try self.storage.accounts().map { account throws(ServerStorageError) in
                Entry(
                    account: account, usage: try self.storage.usage(of: account.id),
                    tokens: tokens[account.id] ?? 0)
            }
        }
    }

    /// Takes an account away with its tokens; with its records only where that is said.
    ///
    /// - Returns: What it had.
    @discardableResult
    public func removeAccount(named name: String, withRecords: Bool) throws(ServerStorageError) -> Entry {
        try self.storage.transaction { () throws(ServerStorageError) in
            let account = try self.account(named: name)
            try self.storage.hold(account: account.id)
            let usage = try self.storage.usage(of: account.id)
            guard withRecords || usage.rows == 0 else {
                throw Self.refusal(
                    "the account “\(name)” has \(usage.rows) records, which would be gone; say so with --with-records, or "
                        + "revoke its tokens")
            }
            let tokens = try self.storage.tokens().count { $0.account == account.id }
            try self.storage.removeAccount(account.id)
            return Entry(account: account, usage: usage, tokens: tokens)
        }
    }

    /// The account of a name.
    public func account(named name: String) throws(ServerStorageError) -> ServerAccount {
        let accounts = try self.storage.accounts()
        guard let account = accounts.first(where: { $0.name.isSame(as: name) }) else {
            let names = accounts.map { "“\($0.name)”" }.joined(separator: ", ")
            throw Self.refusal(
                accounts.isEmpty
                    ? "there is no account “\(name)”, nor any other; add it first"
                    : "there is no account “\(name)”; there are \(names)")
        }
        return account
    }
}

// MARK: - Tokens

extension AccountBook {
    /// Makes a token of 256 random bits that opens an account.
    ///
    /// - Parameters:
    ///   - name: The account's.
    ///   - label: What the token is for, in words.
    ///   - span: How long it opens the account; nil for ever.
    /// - Returns: The token, which is not kept, and its number.
    public func addToken(
        to name: String, label: String = "", lasting span: Duration? = nil
    ) throws(ServerStorageError) -> (token: String, number: Int64) {
        try self.check(label, what: "label of a token", mayBeEmpty: true)
        let token = "tm-" + Self.random(bytes: 32)
        return try self.storage.transaction { () throws(ServerStorageError) in
            let account = try self.account(named: name)
            let number = try self.storage.add(
                ServerToken(
                    account: account.id, label: label, digest: Self.digest(of: token), addedAt: self.now(),
                    expiresAt: span.map { self.now() + $0.microseconds }))
            return (token, number)
        }
    }

    /// The tokens with the names of their accounts, by number; of one account, or of all.
    public func tokens(of name: String? = nil) throws(ServerStorageError) -> [Listed] {
        try self.storage.transaction { () throws(ServerStorageError) in
            let only = try name.map { name throws(ServerStorageError) in try self.account(named: name).id }
            let names = Dictionary(uniqueKeysWithValues: try self.storage.accounts().map { ($0.id, $0.name) })
            return try self.storage.tokens().filter { only == nil || $0.account == only }
                .map { Listed(token: $0, account: names[$0.account] ?? "") }
        }
    }

    /// Takes a token away: it opens nothing from now on.
    ///
    /// - Returns: What it was.
    @discardableResult
    public func removeToken(_ number: Int64) throws(ServerStorageError) -> ServerToken {
        try self.storage.transaction { () throws(ServerStorageError) in
            guard let token = try self.storage.tokens().first(where: { $0.number == number }) else {
                throw Self.refusal("there is no token \(number); token list shows those that there are")
            }
            try self.storage.removeToken(number)
            return token
        }
    }
}

// MARK: - Within

extension AccountBook {
    private static func refusal(_ words: String) -> ServerStorageError { ServerStorageError(.refused, words) }

    private func check(_ text: String, what: String, mayBeEmpty: Bool) throws(ServerStorageError) {
        guard mayBeEmpty || !text.isEmpty else { throw Self.refusal("the \(what) is empty") }
        guard text.utf8.count <= self.limits.accountName else {
            throw Self.refusal("the \(what) has \(text.utf8.count) bytes; \(self.limits.accountName) are allowed")
        }
        guard !text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7f }) else {
            throw Self.refusal("the \(what) has a control character in it")
        }
    }

    /// Random bytes of the system's generator, as hexadecimal digits.
    private static func random(bytes: Int) -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<bytes).map { _ in
            let digits = String(UInt8.random(in: .min ... .max, using: &generator), radix: 16)
            return digits.count == 1 ? "0\(digits)" : digits
        }.joined()
    }
}

extension String {
    /// Whether it has the same code points.
    fileprivate func isSame(as other: String) -> Bool { self.unicodeScalars.elementsEqual(other.unicodeScalars) }
}
