public import TidemarkServer

extension PostgresServerStorage: AccountStorage {
    /// The accounts by name; see `AccountStorage`.
    public func accounts() throws(ServerStorageError) -> [ServerAccount] {
        let found = try self.session.run(Self.allAccounts)
        var accounts: [ServerAccount] = []
        for row in 0..<found.count {
            accounts.append(
                ServerAccount(
                    id: try found.text(row, 0), name: try found.text(row, 1), addedAt: try found.number(row, 2)))
        }
        return accounts
    }

    /// The tokens by number; see `AccountStorage`.
    public func tokens() throws(ServerStorageError) -> [ServerToken] {
        let found = try self.session.run(Self.allTokens)
        var tokens: [ServerToken] = []
        for row in 0..<found.count { tokens.append(try ServerToken(found, row)) }
        return tokens
    }

    /// Adds an account; see `AccountStorage`.
    public func add(_ account: ServerAccount) throws(ServerStorageError) {
        let added = try self.session.run(
            Self.addAccount, [.text(account.id), .text(account.name), .number(account.addedAt)])
        guard added.changes == 1 else {
            throw ServerStorageError(
                .interrupted, "Another process has added an account with the same records at this moment.")
        }
    }

    /// Adds a token; see `AccountStorage`.
    public func add(_ token: ServerToken) throws(ServerStorageError) -> Int64 {
        let added = try self.session.run(
            Self.addToken,
            [
                .text(token.account), .text(token.label), .text(token.digest), .number(token.addedAt),
                token.expiresAt.map { .number($0) } ?? .null,
            ])
        return try added.number(0, 0)
    }

    /// Removes a token; see `AccountStorage`.
    public func removeToken(_ number: Int64) throws(ServerStorageError) {
        try self.session.run(Self.dropToken, [.number(number)])
    }

    /// Locks an account and its feeds; see `AccountStorage`.
    public func hold(account: String) throws(ServerStorageError) {
        // In the order in which POSTs lock: the feeds, and then, to make a new feed, the account. After that there are no new
        // feeds.
        for statement in [Self.holdFeeds, Self.holdAccount, Self.holdFeeds] {
            try self.session.run(statement, [.text(account)])
        }
    }

    /// Removes an account with all its data; see `AccountStorage`.
    public func removeAccount(_ id: String) throws(ServerStorageError) {
        try self.hold(account: id)
        for statement in Self.dropAccount { try self.session.run(statement, [.text(id)]) }
        try self.session.beginRun()
        self.writing?.run = nil
    }

    /// The size of an account's data; see `ServerReader`.
    public func usage(of account: String) throws(ServerStorageError) -> AccountUsage {
        // The rows of the feeds are written at the end of a transaction.
        try self.saveFeeds()
        return try self.rowReader.usage(of: account)
    }

    /// Whether the account was removed; see `ServerStorage`.
    public func isRemoved(account: String) throws(ServerStorageError) -> Bool {
        let found = try self.session.run(Self.isRemoved, [.text(account)])
        return found.count > 0 ? try found.flag(0, 0) : false
    }

    private static let allAccounts = PostgresStatement(
        "all accounts", "SELECT id, name, added_at FROM tidemark_account WHERE name IS NOT NULL ORDER BY name")
    private static let allTokens = PostgresStatement(
        "all tokens",
        "SELECT number, account, label, digest, added_at, expires_at FROM tidemark_token ORDER BY number")
    private static let addAccount = PostgresStatement(
        "add account",
        """
        INSERT INTO tidemark_account (id, name, added_at) VALUES ($1, $2, $3)
        ON CONFLICT (id) DO UPDATE SET name = excluded.name, added_at = excluded.added_at
        WHERE tidemark_account.name IS NULL
        """)
    private static let addToken = PostgresStatement(
        "add token",
        """
        INSERT INTO tidemark_token (account, label, digest, added_at, expires_at) VALUES ($1, $2, $3, $4, $5)
        RETURNING number
        """)
    private static let dropToken = PostgresStatement("drop token", "DELETE FROM tidemark_token WHERE number = $1")
    private static let holdAccount = PostgresStatement(
        "hold account", "SELECT id FROM tidemark_account WHERE id = $1 FOR UPDATE")
    private static let holdFeeds = PostgresStatement(
        "hold feeds", "SELECT id FROM tidemark_feed WHERE account = $1 ORDER BY collection FOR UPDATE")
    private static let dropAccount = [
        PostgresStatement("drop name", "UPDATE tidemark_account SET name = NULL WHERE id = $1"),
        PostgresStatement("drop tokens", "DELETE FROM tidemark_token WHERE account = $1"),
        PostgresStatement(
            "leave feeds",
            "INSERT INTO tidemark_removed (account, feed) SELECT account, id FROM tidemark_feed WHERE account = $1"),
        PostgresStatement("drop feeds", "DELETE FROM tidemark_feed WHERE account = $1"),
    ]
    // Locked, so that no other transaction removes it before this one ends.
    private static let isRemoved = PostgresStatement(
        "is removed", "SELECT name IS NULL FROM tidemark_account WHERE id = $1 FOR SHARE")
}

extension PostgresServerReader {
    func token(ofDigest digest: String) throws(ServerStorageError) -> ServerToken? {
        let found = try self.session.run(Self.token, [.text(digest)])
        return found.count > 0 ? try ServerToken(found, 0) : nil
    }

    func keepsAccounts() throws(ServerStorageError) -> Bool {
        try self.session.run(Self.anyAccount).count > 0
    }

    private static let token = PostgresStatement(
        "token",
        // A token that was added while its account was removed is not valid.
        """
        SELECT number, account, label, digest, added_at, expires_at FROM tidemark_token WHERE digest = $1
        AND EXISTS (SELECT 1 FROM tidemark_account WHERE id = account AND name IS NOT NULL)
        """)
    private static let anyAccount = PostgresStatement("any account", "SELECT added_at FROM tidemark_account LIMIT 1")
}

extension ServerToken {
    /// Reads a token from the six columns of a row.
    fileprivate init(_ found: PostgresResult, _ row: Int) throws(ServerStorageError) {
        self.init(
            number: try found.number(row, 0), account: try found.text(row, 1), label: try found.text(row, 2),
            digest: try found.text(row, 3), addedAt: try found.number(row, 4), expiresAt: try found.numberOrNull(row, 5)
        )
    }
}
