// Whose request it is (SPEC W10).

extension ServerCore {
    /// The account that a request names in `Authorization`, or the answer that asks for it.
    func account(of request: ServerRequest) throws(ServerRefusal) -> String {
        if try self.isOpen() { return ServerAccounts.openAccount }
        let token = try Self.bearer(of: request)
        if let account = self.accounts.account(of: token) { return account }
        switch try self.stored(token) {
        case .account(let account): return account
        case .expired:
            throw Self.unauthorised(
                "the token has expired; ask who runs this server for a new one", challenge: Self.invalid)
        case .unknown:
            throw Self.unknownToken
        }
    }

    /// By which of the storage's tokens a request that was let in came; nil where it came by none of them, as to a server that is
    /// open to all, whatever it has in its head.
    func digestOfToken(of request: ServerRequest) throws(ServerRefusal) -> String? {
        guard try !self.isOpen() else { return nil }
        let token = try Self.bearer(of: request)
        return self.accounts.account(of: token) == nil ? AccountBook.digest(of: token) : nil
    }

    /// Refuses whom a token let in that opens nothing any more: it was revoked in this moment.
    func checkAgain(_ digest: String) throws(ServerRefusal) {
        guard try self.spent([digest]).isEmpty else { throw Self.unknownToken }
    }

    /// Those of some tokens that open nothing any more.
    func spent(_ digests: [String]) throws(ServerRefusal) -> [String] {
        let now = self.now()
        return try self.withSnapshot { (reader) throws(ServerStorageError) in
            var spent: [String] = []
            for digest in digests {
                let token = try reader.token(ofDigest: digest)
                let isGood = token.map { TokenMemory.standing(of: $0, at: now) == .account($0.account) } ?? false
                if !isGood { spent.append(digest) }
            }
            return spent
        }
    }

    /// The token of a request.
    private static func bearer(of request: ServerRequest) throws(ServerRefusal) -> String {
        guard let field = request.header("Authorization") else {
            throw Self.unauthorised("send a token: Authorization: Bearer …", challenge: "Bearer")
        }
        let parts = field.utf8.split(separator: UInt8(ascii: " ")).map { Substring($0) }
        guard parts.count == 2, parts[0].lowercased() == "bearer" else {
            throw Self.unauthorised(
                "the Authorization field is not understood; it must read: Bearer, a blank, the token",
                challenge: #"Bearer error="invalid_request""#)
        }
        return String(parts[1])
    }

    static let unknownToken = ServerCore.unauthorised(
        "this server does not know the token; ask who runs it for a new one", challenge: ServerCore.invalid)

    private static let invalid = #"Bearer error="invalid_token""#

    private static func unauthorised(_ detail: String, challenge: String) -> ServerRefusal {
        ServerRefusal(Problem(401, .notAuthorised, detail), headers: [("WWW-Authenticate", challenge)])
    }

    /// Whether there is one account, for whoever comes.
    private func isOpen() throws(ServerRefusal) -> Bool {
        guard self.accounts.isEmpty else { return false }
        if let known = self.tokenMemory.isOpen(at: self.now()) { return known }
        let isOpen = try !self.withSnapshot { (reader) throws(ServerStorageError) in try reader.keepsAccounts() }
        self.tokenMemory.remember(isOpen: isOpen, at: self.now())
        return isOpen
    }

    /// What the storage knows of a token.
    private func stored(_ token: String) throws(ServerRefusal) -> TokenMemory.Standing {
        let (digest, now) = (AccountBook.digest(of: token), self.now())
        if let known = self.tokenMemory.standing(of: digest, at: now) { return known }
        let found = try self.withSnapshot { (reader) throws(ServerStorageError) in
            try reader.token(ofDigest: digest)
        }
        guard let found else { return .unknown }
        self.tokenMemory.remember(found, at: now)
        return TokenMemory.standing(of: found, at: now)
    }

    private func withSnapshot<Outcome: Sendable>(
        _ work: (any ServerReader) throws(ServerStorageError) -> Outcome
    ) throws(ServerRefusal) -> Outcome {
        try self.withReader { (reader) throws(ServerStorageError) in
            try reader.snapshot { () throws(ServerStorageError) in try work(reader) }
        }
    }
}
