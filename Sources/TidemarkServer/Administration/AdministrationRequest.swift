public import TidemarkJSON

/// A request of the server's operator about accounts, tokens or backups.
///
/// A running server locks its file, so the request goes to it as JSON over a socket in its folder; if no server runs, a core
/// over the file carries it out.
///
/// ```swift
/// let reply = AdministrationRequest.addAccount(name: "ada", beginning: .nothing).reply(of: core)
/// print(reply["error"]?.string ?? "done")
/// ```
public enum AdministrationRequest: Sendable, Hashable {
    /// Adds an account.
    case addAccount(name: String, beginning: AccountBook.Beginning)
    /// Lists all accounts.
    case listAccounts
    /// Removes an account, with its records only if `withRecords` is true.
    case removeAccount(name: String, withRecords: Bool)
    /// Makes a token for an account, valid indefinitely or for some seconds.
    case addToken(account: String, label: String, seconds: Int64?)
    /// Lists the tokens of an account, or all.
    case listTokens(account: String?)
    /// Revokes a token.
    case revokeToken(number: Int64)
    /// Copies everything to a new file; the path must be absolute, since the server has another working directory.
    case backUp(path: String)
}

// MARK: - As JSON

extension AdministrationRequest {
    /// The form on the socket.
    public var json: JSON {
        switch self {
        case .addAccount(let name, let beginning):
            switch beginning {
            case .nothing: ["do": "add account", "name": Self.text(name)]
            case .openAccount: ["do": "add account", "name": Self.text(name), "from": "open"]
            case .token(let token):
                ["do": "add account", "name": Self.text(name), "from": "token", "token": Self.text(token)]
            }
        case .listAccounts: ["do": "list accounts"]
        case .removeAccount(let name, let withRecords):
            ["do": "remove account", "name": Self.text(name), "with_records": .bool(withRecords)]
        case .addToken(let account, let label, let seconds):
            [
                "do": "add token", "account": Self.text(account), "label": Self.text(label),
                "seconds": seconds.map(Self.number) ?? .null,
            ]
        case .listTokens(let account): ["do": "list tokens", "account": account.map(Self.text) ?? .null]
        case .revokeToken(let number): ["do": "revoke token", "number": Self.number(number)]
        case .backUp(let path): ["do": "back up", "path": Self.text(path)]
        }
    }

    /// Parses a request from the socket; nil if it is malformed.
    public init?(_ json: JSON) {
        func text(_ member: String) -> String? { json[member]?.string.map { String($0) } }
        func number(_ member: String) -> Int64? { json[member]?.int.map(Int64.init) }
        switch text("do") {
        case "add account":
            guard let name = text("name"), let beginning = Self.beginning(text("from"), text("token")) else {
                return nil
            }
            self = .addAccount(name: name, beginning: beginning)
        case "list accounts": self = .listAccounts
        case "remove account":
            guard let name = text("name"), let withRecords = json["with_records"]?.bool else { return nil }
            self = .removeAccount(name: name, withRecords: withRecords)
        case "add token":
            guard let account = text("account"), let label = text("label") else { return nil }
            let seconds = number("seconds")
            guard seconds.map({ (1...Self.longestSpan).contains($0) }) != false else { return nil }
            self = .addToken(account: account, label: label, seconds: seconds)
        case "list tokens": self = .listTokens(account: text("account"))
        case "revoke token":
            guard let number = number("number") else { return nil }
            self = .revokeToken(number: number)
        case "back up":
            guard let path = text("path") else { return nil }
            self = .backUp(path: path)
        case _: return nil
        }
    }

    /// A thousand years, in seconds.
    private static let longestSpan: Int64 = 31_557_600_000

    private static func beginning(_ from: String?, _ token: String?) -> AccountBook.Beginning? {
        switch from {
        case nil: .nothing
        case "open": .openAccount
        case "token": token.map { .token($0) }
        case _: nil
        }
    }

    private static func text(_ text: String) -> JSON { .string(JSONString(text)) }
}

// MARK: - Execution

extension AdministrationRequest {
    /// Whether it can take long: then others need not wait for it.
    package var isLong: Bool { if case .backUp = self { true } else { false } }

    /// Checks the names that it makes, as the server does: so a mistake is reported without a server.
    package func checkNames(_ limits: ServerLimits = ServerLimits()) throws(ServerStorageError) {
        switch self {
        case .addAccount(let name, _):
            try AccountBook.check(name, what: "name of an account", mayBeEmpty: false, limits)
        case .addToken(_, let label, _):
            try AccountBook.check(label, what: "label of a token", mayBeEmpty: true, limits)
        case .listAccounts, .removeAccount, .listTokens, .revokeToken, .backUp: break
        }
    }

    /// Carries it out and returns the reply: an object with `error`, a sentence, if it failed.
    public func reply(of core: ServerCore) -> JSON {
        do throws(ServerStorageError) {
            return try self.carryOut(core)
        } catch {
            return ["error": Self.text(error.message)]
        }
    }

    private func carryOut(_ core: ServerCore) throws(ServerStorageError) -> JSON {
        switch self {
        case .addAccount(let name, let beginning):
            let account = try core.withAccounts { (book) throws(ServerStorageError) in
                try book.addAccount(named: name, beginningWith: beginning)
            }
            // From now on every request needs a token, so watches without one end.
            core.endWatches(of: ServerAccounts.openAccount)
            return ["name": Self.text(account.name), "id": Self.text(account.id)]
        case .listAccounts:
            return .array(
                try core.withAccounts { (book) throws(ServerStorageError) in try book.accounts() }.map(\.json))
        case .removeAccount(let name, let withRecords):
            let gone = try core.withAccounts { (book) throws(ServerStorageError) in
                try book.removeAccount(named: name, withRecords: withRecords)
            }
            core.endWatches(of: gone.account.id)
            var reply: JSON = ["name": Self.text(name), "rows": Self.number(gone.usage.rows)]
            do throws(ServerStorageError) {
                try core.eraseRemoved()
            } catch {
                // The account is removed nevertheless, and the next purge erases the rest.
                reply["left"] = Self.text(error.message)
            }
            return reply
        case .addToken(let account, let label, let seconds):
            let (token, number) = try core.withAccounts { (book) throws(ServerStorageError) in
                try book.addToken(to: account, label: label, lasting: seconds.map { .seconds($0) })
            }
            return ["token": Self.text(token), "number": Self.number(number)]
        case .listTokens(let account):
            let tokens = try core.withAccounts { (book) throws(ServerStorageError) in try book.tokens(of: account) }
            return .array(tokens.map(\.json))
        case .revokeToken(let number):
            let token = try core.withAccounts { (book) throws(ServerStorageError) in try book.removeToken(number) }
            core.endWatches(of: token.account)
            return ["number": Self.number(number)]
        case .backUp(let path):
            try core.backUp(to: path)
            return ["path": Self.text(path)]
        }
    }

    fileprivate static func number(_ number: some BinaryInteger) -> JSON { .number(JSONNumber(Int(number))) }
}

extension AccountBook.Entry {
    /// The form in the reply to `account list`.
    fileprivate var json: JSON {
        [
            "name": .string(JSONString(self.account.name)), "id": .string(JSONString(self.account.id)),
            "added_at": AdministrationRequest.number(self.account.addedAt),
            "tokens": AdministrationRequest.number(self.tokens),
            "collections": AdministrationRequest.number(self.usage.collections),
            "rows": AdministrationRequest.number(self.usage.rows),
            "bytes": AdministrationRequest.number(self.usage.bytes),
        ]
    }
}

extension AccountBook.Listed {
    /// The form in the reply to `token list`.
    fileprivate var json: JSON {
        [
            "number": AdministrationRequest.number(self.token.number), "account": .string(JSONString(self.account)),
            "label": .string(JSONString(self.token.label)),
            "added_at": AdministrationRequest.number(self.token.addedAt),
            "expires_at": self.token.expiresAt.map(AdministrationRequest.number) ?? .null,
        ]
    }
}
