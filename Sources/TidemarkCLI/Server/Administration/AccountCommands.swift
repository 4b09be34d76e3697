import Foundation
import Tidemark
import TidemarkServer

/// `tidemark account add`: whose records they are.
enum AccountAddCommand: Command {
    static let name = "account add"
    static let summary = "add an account to a server; from then on nobody comes in without a token"
    static let parameters = [Parameter.required("NAME")]
    static let options = [ServerStoreAccess.store, Self.from, Option.json]
    static let example = "tidemark account add --store server.db ada"

    private static let from = Option(
        name: "--from", value: "open|token",
        summary: "begin with the records of the open account, or of a --token of serve, read from TIDEMARK_TOKEN",
        kind: .choice(["open", "token"]))

    static func run(_ input: Arguments, _ console: Console) async throws -> ExitStatus {
        let access = try ServerStoreAccess(input)
        let name = try input.required(0)
        let reply = try access.ask(
            .addAccount(name: name, beginning: try Self.beginning(input.value(Self.from))), mayMake: true)
        if input.has(Option.json) { try console.print(bytes: reply.bytes) }
        console.say(
            "\(name): a token opens it: tidemark token add --store \(ShellWords.quoted(path: access.shown)) "
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
                    "The token whose records they are is missing. Put it into the environment, where no list of processes "
                        + "shows it: \(GivenToken.variable)")
            }
            return .token(token)
        case .some(let word):
            throw UsageError("--from \(word) is neither open nor token", for: Self.self)
        }
    }
}

/// `tidemark account list`: which there are.
enum AccountListCommand: Command {
    static let name = "account list"
    static let summary = "list the accounts of a server, and what each has"
    static let parameters: [Parameter] = []
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

/// `tidemark account remove`: one less.
enum AccountRemoveCommand: Command {
    static let name = "account remove"
    static let summary = "remove an account from a server, with its tokens"
    static let parameters = [Parameter.required("NAME")]
    static let options = [ServerStoreAccess.store, Self.withRecords]
    static let example = "tidemark account remove --store server.db ada --with-records"

    private static let withRecords = Option(
        name: "--with-records", value: nil, summary: "and with all of its records, for ever")

    static func run(_ input: Arguments, _ console: Console) async throws -> ExitStatus {
        let name = try input.required(0)
        let reply = try ServerStoreAccess(input).ask(
            .removeAccount(name: name, withRecords: input.has(Self.withRecords)))
        let rows = reply["rows"]?.int ?? 0
        console.say("\(name) is gone, with \(rows == 1 ? "1 record" : "\(rows) records")")
        if let why = reply["left"]?.string {
            console.say("what they take on the disk is free after the next purge of a server: \(why)")
        }
        return .success
    }
}
