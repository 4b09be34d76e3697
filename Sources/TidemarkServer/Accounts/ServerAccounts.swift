/// Tokens that are accounts: each one opens its own. Without any, and without accounts in the storage (``ServerAccount``), there
/// is one account, open to all (SPEC §5).
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

    /// Whether there is no token among these.
    var isEmpty: Bool { self.names.isEmpty }

    /// The accounts that are not among others.
    func missing(from others: ServerAccounts) -> Set<String> { self.names.subtracting(others.names) }

    /// The account of a token that is one itself: stable on the wire, and not to be turned back into the token.
    static func name(of token: String) -> String {
        String(SHA256.hex(Array("tidemark account \(token)".utf8)).prefix(32))
    }

    /// The account that a token is; nil where it is none of these.
    func account(of token: String) -> String? {
        let name = Self.name(of: token)
        return self.names.contains(name) ? name : nil
    }
}
