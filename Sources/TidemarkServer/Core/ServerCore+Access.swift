// Authorization of requests (W10).

extension ServerCore {
    /// The account of the token in the field `Authorization` of a request. Throws an answer 401 if there is none.
    func account(of request: ServerRequest) throws(ServerRefusal) -> String {
        if try self.isOpen() { return ServerAccounts.openAccount }
        let token = try Self.bearer(of: request)
        if let account = self.accounts.account(of: token) { return account }
        return try Self.account(with: try self.stored(token))
    }

    /// The same without a query of the storage; nil if it has to be queried.
    func cachedAccount(of request: ServerRequest) throws(ServerRefusal) -> String? {
        if self.accounts.isEmpty {
            guard let isOpen = self.tokenMemory.isOpen(at: self.now()) else { return nil }
            if isOpen { return ServerAccounts.openAccount }
        }
        let token = try Self.bearer(of: request)
        if let account = self.accounts.account(of: token) { return account }
        guard let access = self.tokenMemory.access(of: AccountBook.digest(of: token), at: self.now()) else {
            return nil
        }
        return try Self.account(with: access)
    }

    private static func account(with access: TokenMemory.Access) throws(ServerRefusal) -> String {
        switch access {
        case .account(let account): return account
        case .expired:
            throw Self.unauthorized(
                "the token has expired; ask the server's operator for a new one", challenge: Self.invalid)
        case .unknown:
            throw Self.unknownToken
        }
    }

    /// The digest of the storage's token that authorized a request; nil if another token did, or if the server is open to all,
    /// whatever token the request has.
    func digestOfToken(of request: ServerRequest) throws(ServerRefusal) -> String? {
        guard try !self.isOpen() else { return nil }
        let token = try Self.bearer(of: request)
        return self.accounts.account(of: token) == nil ? AccountBook.digest(of: token) : nil
    }

    /// Refuses a request whose token was revoked or has expired since it was authorized.
    func checkAgain(_ digest: String) throws(ServerRefusal) {
        guard try self.spent([digest]).isEmpty else { throw Self.unknownToken }
    }

    /// Returns the tokens among some that are revoked or have expired.
    func spent(_ digests: [String]) throws(ServerRefusal) -> [String] {
        let now = self.now()
        return try self.withSnapshot { (reader) throws(ServerStorageError) in
            var spent: [String] = []
            for digest in digests {
                let token = try reader.token(ofDigest: digest)
                let isGood = token.map { TokenMemory.access(of: $0, at: now) == .account($0.account) } ?? false
                if !isGood { spent.append(digest) }
            }
            return spent
        }
    }

    /// The token of a request.
    private static func bearer(of request: ServerRequest) throws(ServerRefusal) -> String {
        guard let field = request.header("Authorization") else {
            throw Self.unauthorized("send a token: Authorization: Bearer …", challenge: "Bearer")
        }
        let parts = field.utf8.split(separator: UInt8(ascii: " ")).map { Substring($0) }
        guard parts.count == 2, parts[0].lowercased() == "bearer" else {
            throw Self.unauthorized(
                "the Authorization field is not understood; it must read: Bearer, a blank, the token",
                challenge: #"Bearer error="invalid_request""#)
        }
        return String(parts[1])
    }

    static let unknownToken = ServerCore.unauthorized(
        "this server does not know the token; ask the server's operator for a new one", challenge: ServerCore.invalid)

    private static let invalid = #"Bearer error="invalid_token""#

    private static func unauthorized(_ detail: String, challenge: String) -> ServerRefusal {
        ServerRefusal(Problem(401, .notAuthorized, detail), headers: [("WWW-Authenticate", challenge)])
    }

    /// Whether there is one account that needs no token.
    private func isOpen() throws(ServerRefusal) -> Bool {
        guard self.accounts.isEmpty else { return false }
        let generation = self.tokenMemory.generation
        if let known = self.tokenMemory.isOpen(at: self.now()) { return known }
        let isOpen = try !self.withSnapshot { (reader) throws(ServerStorageError) in try reader.keepsAccounts() }
        self.tokenMemory.remember(isOpen: isOpen, at: self.now(), generation: generation)
        return isOpen
    }

    /// The storage's information on a token.
    private func stored(_ token: String) throws(ServerRefusal) -> TokenMemory.Access {
        let (digest, now) = (AccountBook.digest(of: token), self.now())
        let generation = self.tokenMemory.generation
        if let known = self.tokenMemory.access(of: digest, at: now) { return known }
        let found = try self.withSnapshot { (reader) throws(ServerStorageError) in
            try reader.token(ofDigest: digest)
        }
        self.tokenMemory.remember(found, ofDigest: digest, at: now, generation: generation)
        return found.map { TokenMemory.access(of: $0, at: now) } ?? .unknown
    }

    private func withSnapshot<Outcome: Sendable>(
        _ work: (any ServerReader) throws(ServerStorageError) -> Outcome
    ) throws(ServerRefusal) -> Outcome {
        try self.withReader { (reader) throws(ServerStorageError) in
            try reader.snapshot { () throws(ServerStorageError) in try work(reader) }
        }
    }
}
