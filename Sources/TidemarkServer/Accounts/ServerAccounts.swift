/// Tokens that are accounts: each grants access to its own account. Without any, and without accounts in the storage
/// (``ServerAccount``), there is one account, open to all (Contract §5).
///
/// ```swift
/// let accounts = ServerAccounts(tokens: ["s3cret", "0ther"])
/// ```
public struct ServerAccounts: Sendable {
    /// The one account of a server without tokens.
    static let openAccount = "open"

    /// The names of the accounts. A token is not stored; it is looked up by its digest, so that the time of a failed look-up
    /// reveals nothing about the valid tokens (W10).
    private let names: Set<String>

    /// One account for each token; one open account if there is none.
    public init(tokens: [String]) {
        self.names = Set(tokens.map(Self.name))
    }

    /// One account that is open to all.
    public static let open = ServerAccounts(tokens: [])

    /// Whether there are no tokens.
    var isEmpty: Bool { self.names.isEmpty }

    /// The accounts that `others` does not contain.
    func missing(from others: ServerAccounts) -> Set<String> { self.names.subtracting(others.names) }

    /// The account of a token that is one itself: the same each time, and the token can't be derived from it.
    static func name(of token: String) -> String {
        String(SHA256.hex(Array("tidemark account \(token)".utf8)).prefix(32))
    }

    /// The account of a token; nil if it is not one of these tokens.
    func account(of token: String) -> String? {
        let name = Self.name(of: token)
        return self.names.contains(name) ? name : nil
    }
}
