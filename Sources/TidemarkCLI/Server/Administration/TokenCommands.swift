import Foundation
import Tidemark
import TidemarkServer

/// `tidemark token add`: creates a token for an account.
enum TokenAddCommand: Command {
    static let name = "token add"
    static let summary = "create a token for an account; it is printed only once"
    static let options = [ServerStoreAccess.store, Self.account, Self.label, Self.expires, Option.json]
    static let example = "tidemark token add --store server.db --account ada --label phone --expires 90d"

    static let account = Option(name: "--account", value: "NAME", summary: "the account of the token", isRequired: true)
    private static let label = Option(
        name: "--label", value: "TEXT", summary: "a description, such as the name of a device")
    private static let expires = Option(
        name: "--expires", value: "SPAN", summary: "how long the token is valid; default: no expiry")

    static func run(_ input: Arguments, _ console: Console) async throws -> ExitStatus {
        let reply = try ServerStoreAccess(input).ask(
            .addToken(
                account: try input.required(Self.account), label: input.value(Self.label) ?? "",
                seconds: try input.span(Self.expires).map { max(1, $0.components.seconds) }))
        if input.has(Option.json) {
            try console.print(bytes: reply.bytes)
        } else {
            try console.print(reply["token"]?.string ?? "")
            console.say(
                "This is token \(reply["number"]?.int ?? 0). It is not printed again; if it is lost, add another one.")
        }
        return .success
    }
}

/// `tidemark token list`: lists the tokens.
enum TokenListCommand: Command {
    static let name = "token list"
    static let summary = "list the tokens with account, label and expiry"
    static let options = [ServerStoreAccess.store, Self.account, Option.json]
    static let example = "tidemark token list --store server.db --account ada"

    private static let account = Option(name: "--account", value: "NAME", summary: "only the tokens of this account")

    static func run(_ input: Arguments, _ console: Console) async throws -> ExitStatus {
        let tokens = try ServerStoreAccess(input).ask(.listTokens(account: input.value(Self.account)))
        for token in tokens.array ?? [] {
            if input.has(Option.json) {
                try console.print(bytes: token.bytes)
            } else {
                let end = token["expires_at"]?.int.map { "until \(Date.shown(microseconds: $0))" } ?? "without an end"
                try console.print(columns: [
                    String(token["number"]?.int ?? 0), token["account"]?.string ?? "", token["label"]?.string ?? "",
                    end,
                ])
            }
        }
        return .success
    }
}

/// `tidemark token revoke`: makes a token invalid.
enum TokenRevokeCommand: Command {
    static let name = "token revoke"
    static let summary = "revoke a token by its number, with effect within a second"
    static let parameters = [Parameter.required("NUMBER")]
    static let options = [ServerStoreAccess.store]
    static let example = "tidemark token revoke --store server.db 3"

    static func run(_ input: Arguments, _ console: Console) async throws -> ExitStatus {
        let word = try input.required(0)
        guard let number = Digits.number(word[...]).map(Int64.init), number > 0 else {
            throw UsageError("“\(word)” is not the number of a token; tidemark token list prints them", for: Self.self)
        }
        _ = try ServerStoreAccess(input).ask(.revokeToken(number: number))
        console.say("token \(number) is revoked")
        return .success
    }
}
