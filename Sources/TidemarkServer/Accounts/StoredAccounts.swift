/// An account that a storage keeps: the owner of records, with any number of tokens.
public struct ServerAccount: Sendable, Hashable {
    /// The name on the wire (Contract §5, `account`); it never changes, and no other account ever gets it.
    public var id: String
    /// The operator's name for the account; empty once it was removed.
    public var name: String
    /// When it was added, in microseconds since 1970.
    public var addedAt: Int64

    /// An account from its parts.
    public init(id: String, name: String, addedAt: Int64) {
        self.id = id
        self.name = name
        self.addedAt = addedAt
    }
}

/// A token that a storage keeps: its account and its digest, never the token itself.
public struct ServerToken: Sendable, Hashable {
    /// The storage's number of the token; 0 before it is added.
    public var number: Int64
    /// The ``ServerAccount/id`` of its account.
    public var account: String
    /// The purpose of the token, in the operator's words.
    public var label: String
    /// The SHA-256 of the token as hexadecimal digits: a token has so many random bits that it needs no salt.
    public var digest: String
    /// When it was added, in microseconds since 1970.
    public var addedAt: Int64
    /// The time from which it is invalid; nil for no expiry.
    public var expiresAt: Int64?

    /// A token from its parts.
    public init(
        number: Int64 = 0, account: String, label: String, digest: String, addedAt: Int64, expiresAt: Int64? = nil
    ) {
        self.number = number
        self.account = account
        self.label = label
        self.digest = digest
        self.addedAt = addedAt
        self.expiresAt = expiresAt
    }
}

/// The size of an account's data on the server.
public struct AccountUsage: Sendable, Hashable {
    /// The number of collections to which something was posted.
    public var collections: Int
    /// The number of records that are not deleted.
    public var rows: Int
    /// The bytes of JSON in these records.
    public var bytes: Int

    /// A usage from its counts.
    public init(collections: Int, rows: Int, bytes: Int) {
        self.collections = collections
        self.rows = rows
        self.bytes = bytes
    }
}

/// A storage that also keeps accounts and their tokens, for a server that is administered while it runs.
///
/// Calls come inside ``ServerStorage/transaction(_:)``.
public protocol AccountStorage: ServerStorage {
    /// The accounts, by name.
    func accounts() throws(ServerStorageError) -> [ServerAccount]

    /// The tokens, by number, including expired ones.
    func tokens() throws(ServerStorageError) -> [ServerToken]

    /// Adds an account; its id may be that of a removed account, or new.
    func add(_ account: ServerAccount) throws(ServerStorageError)

    /// Adds a token.
    ///
    /// - Returns: Its number.
    func add(_ token: ServerToken) throws(ServerStorageError) -> Int64

    /// Removes a token; it grants no access from then on.
    func removeToken(_ number: Int64) throws(ServerStorageError)

    /// Keeps all other writers from an account until the transaction ends, so that its data does not change after it was read.
    ///
    /// A storage with one writer at a time need not do anything.
    func hold(account: String) throws(ServerStorageError)

    /// Removes an account with its tokens and all of its records. From then on no request finds them, not even one of an
    /// account that is added later with the same id; ``ServerStorage/eraseRemoved(limit:)`` erases them. The storage remembers
    /// that it had an account, so that the server does not become open to all again (``ServerReader/keepsAccounts()``).
    ///
    /// The removal begins a new incarnation (``ServerStorage/run()``), so that a cursor of a removed collection is not valid
    /// for a later collection of the same name (W8).
    func removeAccount(_ id: String) throws(ServerStorageError)
}

extension AccountStorage {
    /// Does nothing, for a storage with one writer at a time.
    public func hold(account: String) throws(ServerStorageError) {}
}
