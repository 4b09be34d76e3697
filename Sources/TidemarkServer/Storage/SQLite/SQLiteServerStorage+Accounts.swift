import TidemarkDatabase

extension SQLiteServerStorage: AccountStorage {
    /// The accounts by name; see ``AccountStorage``.
    public func accounts() throws(ServerStorageError) -> [ServerAccount] {
        try translating { () throws(DatabaseError) in
            let select = try self.database.statement(
                "SELECT id, name, added_at FROM account WHERE name IS NOT NULL ORDER BY name")
            var accounts: [ServerAccount] = []
            while try select.step() {
                accounts.append(
                    ServerAccount(id: try select.text(0), name: try select.text(1), addedAt: try select.int64(2)))
            }
            return accounts
        }
    }

    /// The tokens by number; see ``AccountStorage``.
    public func tokens() throws(ServerStorageError) -> [ServerToken] {
        try translating { () throws(DatabaseError) in
            let select = try self.database.statement(
                "SELECT number, account, label, digest, added_at, expires_at FROM token ORDER BY number")
            var tokens: [ServerToken] = []
            while try select.step() { tokens.append(try ServerToken(select)) }
            return tokens
        }
    }

    /// Adds an account; see ``AccountStorage``.
    public func add(_ account: ServerAccount) throws(ServerStorageError) {
        try translating { () throws(DatabaseError) in
            try self.database.statement(
                """
                INSERT INTO account (id, name, added_at) VALUES (?1, ?2, ?3)
                ON CONFLICT (id) DO UPDATE SET name = ?2, added_at = ?3
                """, binding: account.id, account.name, account.addedAt
            ).run()
        }
    }

    /// Adds a token; see ``AccountStorage``.
    public func add(_ token: ServerToken) throws(ServerStorageError) -> Int64 {
        try translating { () throws(DatabaseError) in
            try self.database.statement(
                "INSERT INTO token (account, label, digest, added_at, expires_at) VALUES (?1, ?2, ?3, ?4, ?5)",
                binding: token.account, token.label, token.digest, token.addedAt, token.expiresAt
            ).run()
            return self.database.lastInsertRowID
        }
    }

    /// Removes a token; see ``AccountStorage``.
    public func removeToken(_ number: Int64) throws(ServerStorageError) {
        try translating { () throws(DatabaseError) in
            try self.database.statement("DELETE FROM token WHERE number = ?1", binding: number).run()
        }
    }

    /// Removes an account with all its data; see ``AccountStorage``.
    public func removeAccount(_ id: String) throws(ServerStorageError) {
        try translating { () throws(DatabaseError) in
            for sql in [
                "DELETE FROM token WHERE account = ?1",
                "UPDATE feed SET account = '\(Self.removed)', collection = id WHERE account = ?1",
                "UPDATE account SET name = NULL WHERE id = ?1",
            ] {
                try self.database.statement(sql, binding: id).run()
            }
        }
        self.beginRun()
    }

    /// The size of an account's data; see ``ServerReader``.
    public func usage(of account: String) throws(ServerStorageError) -> AccountUsage {
        try self.saveFeeds()
        return try self.rowReader.usage(of: account)
    }

    /// Whether the account was removed; see ``ServerStorage``.
    public func isRemoved(account: String) throws(ServerStorageError) -> Bool {
        try translating { () throws(DatabaseError) in
            let select = try self.database.statement(
                "SELECT 1 FROM account WHERE id = ?1 AND name IS NULL", binding: account)
            return try select.step()
        }
    }
}

extension SQLiteServerReader {
    func token(ofDigest digest: String) throws(ServerStorageError) -> ServerToken? {
        try translating { () throws(DatabaseError) in
            let select = try self.database.statement(
                "SELECT number, account, label, digest, added_at, expires_at FROM token WHERE digest = ?1",
                binding: digest)
            return try select.step() ? try ServerToken(select) : nil
        }
    }

    func keepsAccounts() throws(ServerStorageError) -> Bool {
        try translating { () throws(DatabaseError) in
            try self.database.integer("SELECT EXISTS (SELECT 1 FROM account)") != 0
        }
    }
}

extension ServerToken {
    /// Reads a token from the six columns of a row.
    fileprivate init(_ row: DatabaseStatement) throws(DatabaseError) {
        self.init(
            number: try row.int64(0), account: try row.text(1), label: try row.text(2), digest: try row.text(3),
            addedAt: try row.int64(4), expiresAt: try row.int64OrNull(5))
    }
}
