/// Adds, lists and removes accounts and their tokens, in a storage that keeps them.
///
/// An account owns records; a token grants access to it. So a token can be renewed, or the token of a lost device be revoked,
/// without touching a record. A token is shown once, when it is made: only its digest is stored.
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

    /// Opens the accounts of a storage that no other code uses meanwhile.
    public init(_ storage: any AccountStorage, limits: ServerLimits = ServerLimits(), now: @escaping () -> Int64) {
        self.storage = storage
        self.limits = limits
        self.now = now
    }

    /// Opens the accounts of a storage, which may not keep any.
    init(
        anyOf storage: any ServerStorage, limits: ServerLimits, now: @escaping () -> Int64
    ) throws(ServerStorageError) {
        guard let accounts = storage as? any AccountStorage else {
            throw Self.refusal("this storage keeps no accounts")
        }
        self.init(accounts, limits: limits, now: now)
    }

    /// The records that a new account begins with.
    public enum Beginning: Sendable, Hashable {
        /// No records.
        case nothing
        /// The records of a server that was open to all.
        case openAccount
        /// The records of a token that was an account itself (``ServerAccounts``). The token then grants access to the new
        /// account.
        case token(String)
    }

    /// An account with its usage.
    public struct Entry: Sendable, Hashable {
        /// The account.
        public var account: ServerAccount
        /// The size of its data.
        public var usage: AccountUsage
        /// The number of its tokens.
        public var tokens: Int
    }

    /// A token with the name of its account.
    public struct Listed: Sendable, Hashable {
        /// The token.
        public var token: ServerToken
        /// The account's name.
        public var account: String
    }

    /// The digest under which a token is stored.
    static func digest(of token: String) -> String { SHA256.hex(Array("tidemark token \(token)".utf8)) }
}

// MARK: - Accounts

extension AccountBook {
    /// Adds an account; from the first account on, access to the server needs a token.
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

    /// The accounts by name, with their usage.
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

    /// Removes an account with its tokens; with its records only if `withRecords` is true.
    ///
    /// - Returns: The removed account.
    @discardableResult
    public func removeAccount(named name: String, withRecords: Bool) throws(ServerStorageError) -> Entry {
        try self.storage.transaction { () throws(ServerStorageError) in
            let account = try self.account(named: name)
            try self.storage.hold(account: account.id)
            let usage = try self.storage.usage(of: account.id)
            guard withRecords || usage.rows == 0 else {
                throw Self.refusal(
                    "the account “\(name)” has \(usage.rows) records, which would be erased; confirm with --with-records, or "
                        + "revoke its tokens")
            }
            let tokens = try self.storage.tokens().count { $0.account == account.id }
            try self.storage.removeAccount(account.id)
            return Entry(account: account, usage: usage, tokens: tokens)
        }
    }

    /// The account with a name.
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
    /// Makes a token of 256 random bits that grants access to an account.
    ///
    /// - Parameters:
    ///   - name: The account's name.
    ///   - label: The purpose of the token, in words.
    ///   - span: How long the token is valid; nil for no expiry.
    /// - Returns: The token, which is not stored, and its number.
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

    /// The tokens of one account, or of all, by number and with the names of their accounts.
    public func tokens(of name: String? = nil) throws(ServerStorageError) -> [Listed] {
        try self.storage.transaction { () throws(ServerStorageError) in
            let only = try name.map { name throws(ServerStorageError) in try self.account(named: name).id }
            let names = Dictionary(uniqueKeysWithValues: try self.storage.accounts().map { ($0.id, $0.name) })
            return try self.storage.tokens().filter { only == nil || $0.account == only }
                .map { Listed(token: $0, account: names[$0.account] ?? "") }
        }
    }

    /// Removes a token: it grants no access from then on.
    ///
    /// - Returns: The removed token.
    @discardableResult
    public func removeToken(_ number: Int64) throws(ServerStorageError) -> ServerToken {
        try self.storage.transaction { () throws(ServerStorageError) in
            guard let token = try self.storage.tokens().first(where: { $0.number == number }) else {
                throw Self.refusal("there is no token \(number); token list shows the existing ones")
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
        try Self.check(text, what: what, mayBeEmpty: mayBeEmpty, self.limits)
    }

    static func check(
        _ text: String, what: String, mayBeEmpty: Bool, _ limits: ServerLimits
    ) throws(ServerStorageError) {
        guard mayBeEmpty || !text.isEmpty else { throw Self.refusal("the \(what) is empty") }
        guard text.utf8.count <= limits.accountName else {
            throw Self.refusal("the \(what) has \(text.utf8.count) bytes; \(limits.accountName) are allowed")
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
    /// Whether two strings have the same code points.
    fileprivate func isSame(as other: String) -> Bool { self.unicodeScalars.elementsEqual(other.unicodeScalars) }
}
