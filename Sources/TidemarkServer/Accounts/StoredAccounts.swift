/// An account that a storage keeps: whose records they are, however many tokens open it.
public struct ServerAccount: Sendable, Hashable {
    /// What it is called on the wire (SPEC §5, `account`); it never changes, and no other account ever gets it.
    public var id: String
    /// What whoever runs the server calls it; empty once it was removed.
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

/// A token that a storage keeps: what it opens, and never the token itself.
public struct ServerToken: Sendable, Hashable {
    /// The storage's own number for it; 0 before it has one.
    public var number: Int64
    /// The ``ServerAccount/id`` of the account that it opens.
    public var account: String
    /// What it is for, in the words of whoever added it.
    public var label: String
    /// The SHA-256 of the token as hexadecimal digits: a token has so many random bits that nothing more is needed.
    public var digest: String
    /// When it was added, in microseconds since 1970.
    public var addedAt: Int64
    /// From when on it opens nothing; nil for one without an end.
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

/// What an account has on the server.
public struct AccountUsage: Sendable, Hashable {
    /// How many collections something was posted to.
    public var collections: Int
    /// How many records that are not deleted.
    public var rows: Int
    /// How many bytes of JSON are in them.
    public var bytes: Int

    /// A usage from its counts.
    public init(collections: Int, rows: Int, bytes: Int) {
        self.collections = collections
        self.rows = rows
        self.bytes = bytes
    }
}

/// A storage that keeps accounts and their tokens beside the rows, for a server that is administered while it runs.
///
/// Calls come inside ``ServerStorage/transaction(_:)``.
public protocol AccountStorage: ServerStorage {
    /// The accounts that there are, by name.
    func accounts() throws(ServerStorageError) -> [ServerAccount]

    /// The tokens that there are, by number, those that have expired, too.
    func tokens() throws(ServerStorageError) -> [ServerToken]

    /// Adds an account; its id may be that of one that was removed, or of none.
    func add(_ account: ServerAccount) throws(ServerStorageError)

    /// Adds a token.
    ///
    /// - Returns: Its number.
    func add(_ token: ServerToken) throws(ServerStorageError) -> Int64

    /// Takes a token away; it opens nothing from now on.
    func removeToken(_ number: Int64) throws(ServerStorageError)

    /// Keeps everyone else from writing to an account until the transaction ends, so that what it has stays as it is read now.
    ///
    /// Where one writes at a time there is nothing to do.
    func hold(account: String) throws(ServerStorageError)

    /// Takes an account away with its tokens and all of its records. Nobody finds them from then on, nor does an account of the same
    /// id that is added later; ``ServerStorage/eraseRemoved(limit:)`` erases them. That there was one stays known: a server that had
    /// accounts is not open to all again (``ServerReader/keepsAccounts()``).
    ///
    /// A run begins with it (``ServerStorage/run()``), so that a watermark of a collection that went is none of a later one of the
    /// same name (SPEC W8).
    func removeAccount(_ id: String) throws(ServerStorageError)
}

extension AccountStorage {
    /// Nothing, for a storage to which one writes at a time.
    public func hold(account: String) throws(ServerStorageError) {}
}
