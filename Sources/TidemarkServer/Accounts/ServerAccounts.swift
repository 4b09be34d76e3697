/// Who may use the server: every bearer token is one account; without any there is one account, open to all (SPEC §5).
///
/// ```swift
/// let accounts = ServerAccounts(tokens: ["s3cret", "0ther"])
/// ```
public struct ServerAccounts: Sendable {
    /// The one account of a server without tokens.
    static let openAccount = "open"

    /// The names of the accounts; a token itself is not kept, and is looked up by its digest, so that how long a wrong
    /// one takes says nothing about the right ones (SPEC W10).
    private let names: Set<String>

    /// One account for each token; one open account where there is none.
    public init(tokens: [String]) {
        self.names = Set(tokens.map(Self.name))
    }

    /// One account, for whoever comes.
    public static let open = ServerAccounts(tokens: [])

    /// The account's name on the wire: stable, and not to be turned back into the token.
    static func name(of token: String) -> String {
        String(SHA256.hex(Array("tidemark account \(token)".utf8)).prefix(32))
    }

    /// The account that a request names in `Authorization`, or the answer that asks for it.
    func account(of request: ServerRequest) throws(ServerRefusal) -> String {
        guard !self.names.isEmpty else { return Self.openAccount }
        guard let field = request.header("Authorization") else {
            throw Self.refusal("send a token: Authorization: Bearer …", challenge: "Bearer")
        }
        let parts = field.split(separator: " ", omittingEmptySubsequences: true)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else {
            throw Self.refusal(
                "the Authorization field is not understood; it must read: Bearer, a blank, the token",
                challenge: #"Bearer error="invalid_request""#)
        }
        let name = Self.name(of: String(parts[1]))
        guard self.names.contains(name) else {
            throw Self.refusal(
                "this server does not know the token; ask who runs it for a new one",
                challenge: #"Bearer error="invalid_token""#)
        }
        return name
    }

    private static func refusal(_ detail: String, challenge: String) -> ServerRefusal {
        ServerRefusal(Problem(401, .notAuthorised, detail), headers: [("WWW-Authenticate", challenge)])
    }
}
