import Foundation
import Tidemark
import TidemarkServer

/// `tidemark account add`: adds an account, which owns records.
enum AccountAddCommand: Command {
    static let name = "account add"
    static let summary = "add an account; from then on every client needs a token"
    static let parameters = [Parameter.required("NAME")]
    static let options = [ServerStoreAccess.store, Self.from, Option.json]
    static let example = "tidemark account add --store server.db ada"

    private static let from = Option(
        name: "--from", value: "open|token",
        summary: "whose records it gets: those of the open account, or of the token of serve in TIDEMARK_TOKEN",
        kind: .choice(["open", "token"]))

    static func run(_ input: Arguments, _ console: Console) async throws -> ExitStatus {
        let access = try ServerStoreAccess(input)
        let name = try input.required(0)
        let reply = try access.ask(
            .addAccount(name: name, beginning: try Self.beginning(input.value(Self.from))), mayMake: true)
        if input.has(Option.json) { try console.print(bytes: reply.bytes) }
        console.say(
            "\(name): to create a token for it: tidemark token add --store \(ShellWords.quoted(path: access.shown)) "
                + "--account \(ShellWords.quoted(name, or: "NAME"))")
        return .success
    }

    private static func beginning(_ from: String?) throws -> AccountBook.Beginning {
        switch from {
        case nil: return .nothing
        case "open": return .openAccount
        case "token":
            guard let token = ProcessInfo.processInfo.environment[GivenToken.variable], !token.isEmpty else {
                throw CommandFailure(
                    "The token that owns the records is missing. Set it in the environment, which no list of processes "
                        + "shows: \(GivenToken.variable)")
            }
            return .token(token)
        case .some(let word):
            throw UsageError("--from \(word) is neither open nor token", for: Self.self)
        }
    }
}

/// `tidemark account list`: lists the accounts.
enum AccountListCommand: Command {
    static let name = "account list"
    static let summary = "list the accounts with their tokens, records and size"
    static let options = [ServerStoreAccess.store, Option.json]
    static let example = "tidemark account list --store server.db"

    static func run(_ input: Arguments, _ console: Console) async throws -> ExitStatus {
        for account in try ServerStoreAccess(input).ask(.listAccounts).array ?? [] {
            if input.has(Option.json) {
                try console.print(bytes: account.bytes)
            } else {
                let (tokens, rows) = (account["tokens"]?.int ?? 0, account["rows"]?.int ?? 0)
                try console.print(columns: [
                    account["name"]?.string ?? "", tokens == 1 ? "1 token" : "\(tokens) tokens",
                    rows == 1 ? "1 record" : "\(rows) records", ByteSize.inWords(account["bytes"]?.int ?? 0),
                    Date.shown(microseconds: account["added_at"]?.int ?? 0),
                ])
            }
        }
        return .success
    }
}

/// `tidemark account remove`: removes an account.
enum AccountRemoveCommand: Command {
    static let name = "account remove"
    static let summary = "remove an account and its tokens"
    static let parameters = [Parameter.required("NAME")]
    static let options = [ServerStoreAccess.store, Self.withRecords]
    static let example = "tidemark account remove --store server.db ada --with-records"

    private static let withRecords = Option(
        name: "--with-records", value: nil, summary: "also delete all of its records, permanently")

    static func run(_ input: Arguments, _ console: Console) async throws -> ExitStatus {
        let name = try input.required(0)
        let reply = try ServerStoreAccess(input).ask(
            .removeAccount(name: name, withRecords: input.has(Self.withRecords)))
        let rows = reply["rows"]?.int ?? 0
        console.say("removed \(name), with \(rows == 1 ? "1 record" : "\(rows) records")")
        if let why = reply["left"]?.string {
            console.say("the next purge of a server frees their disk space: \(why)")
        }
        return .success
    }
}
