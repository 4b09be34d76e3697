import Foundation
import Tidemark
import TidemarkListener
import TidemarkServer

/// `tidemark serve`: a server on a SQLite file, until it is told to stop.
enum ServeCommand: Command {
    static let name = "serve"
    static let summary = "run a server on a SQLite file"
    static let parameters: [Parameter] = []
    static let options = [
        Option(
            name: "--store", value: "FILE", summary: "the server's file: a SQLite database", isRequired: true,
            kind: .store),
        Self.listen, Self.token, Self.tokens, Self.maxBody, Self.page, Self.horizon, Self.clientTimeout,
    ]
    static let example = "tidemark serve --store server.db --listen 127.0.0.1:8080"

    private static let listen = Option(
        name: "--listen", value: "HOST:PORT", summary: "127.0.0.1:8080 when left out; port 0 takes a free one")
    private static let token = Option(
        name: "--token", value: "T", summary: "each token is one account; without any there is one, open to all",
        isRepeated: true)
    private static let tokens = Option(
        name: "--tokens", value: "FILE",
        summary: "the same, a token on each line; the environment's TIDEMARK_TOKENS has them with blanks between")
    private static let maxBody = Option(
        name: "--max-body", value: "SIZE", summary: "how large a request may be; 8MiB when left out")
    private static let page = Option(
        name: "--page", value: "N", summary: "how many records an answer brings; 500 when left out")
    private static let horizon = Option(
        name: "--horizon", value: "SPAN", summary: "how long deletions are remembered; 90d when left out")
    private static let clientTimeout = Option(
        name: "--client-timeout", value: "SPAN", summary: "how long a client may be silent; 30s when left out")

    static func run(_ input: Arguments, _ console: Console) async throws -> ExitStatus {
        let limits = try Self.limits(input)
        let settings = try Self.settings(input)
        let tokens = try ServerTokens.all(
            given: input.all(Self.token), file: input.value(Self.tokens),
            environment: ProcessInfo.processInfo.environment)
        guard !tokens.contains("") else { throw UsageError("--token needs a token that is not empty", for: Self.self) }
        let path = try input.required(Option.store)
        // From here on a signal ends the program in good order.
        let signals = StopSignals {
            console.say("tidemark: SIGHUP: there is nothing to reload; a new start reads the tokens again")
        }
        let core = ServerCore(
            storage: try Self.storage(path), accounts: ServerAccounts(tokens: tokens), limits: limits,
            now: WallClock.microseconds, report: { console.say("tidemark: the storage failed: \($0)") })
        let listener = try HTTPListener(core, settings: settings)
        try console.print("listening on http://\(Self.shown(settings.address)):\(listener.port)/v1")
        try console.flush()
        let accounts = tokens.count == 1 ? "1 account" : "\(tokens.count) accounts"
        console.say("\(path): \(tokens.isEmpty ? "open to all" : accounts); Ctrl-C stops it")
        await Self.purge(core, until: signals, console)
        if !listener.stop() {
            console.say("tidemark: a request was still being worked on, and was given up; nothing of it was kept")
        }
        return .success
    }

    /// Forgets old tombstones at the start and every hour, until the signal comes.
    private static func purge(_ core: ServerCore, until signals: StopSignals, _ console: Console) async {
        await withTaskGroup { group in
            group.addTask { await signals.first() }
            group.addTask {
                repeat {
                    do throws(ServerStorageError) {
                        let count = try core.purge().tombstones
                        if count > 0 { console.say("forgot \(count) old deletion\(count == 1 ? "" : "s")") }
                    } catch {
                        console.say("tidemark: old deletions could not be forgotten: \(error)")
                    }
                } while (try? await Task.sleep(for: .seconds(3_600))) != nil
            }
            await group.next()
            group.cancelAll()
        }
    }

    private static func storage(_ path: String) throws -> SQLiteServerStorage {
        if let complaint = StoreFile(path).complaint { throw CommandFailure(complaint) }
        do throws(ServerStorageError) {
            return try SQLiteServerStorage(.file(path))
        } catch {
            throw CommandFailure(error.message)
        }
    }

    private static func limits(_ input: Arguments) throws(UsageError) -> ServerLimits {
        var limits = ServerLimits()
        if let size = try input.size(Self.maxBody) {
            limits.body = size
            limits.record = min(limits.record, size)
        }
        if let number = try input.number(Self.page) { limits.page = number }
        if let span = try input.span(Self.horizon) { limits.horizon = span }
        return limits
    }

    private static func settings(_ input: Arguments) throws(UsageError) -> ListenerSettings {
        let text = input.value(Self.listen) ?? "127.0.0.1:8080"
        let colon = text.lastIndex(of: ":")
        let host = colon.map { String(text[..<$0]) } ?? ""
        guard let colon, !host.isEmpty, let port = UInt16(text[text.index(after: colon)...]) else {
            throw UsageError("--listen \(text) is not HOST:PORT, such as 127.0.0.1:8080 or [::1]:0", for: Self.self)
        }
        let address = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        var settings = ListenerSettings(address: address, port: port)
        if let span = try input.span(Self.clientTimeout) { settings.clientTimeout = span }
        return settings
    }

    /// An IPv6 address stands in brackets in a URL (RFC 3986 §3.2.2).
    private static func shown(_ address: String) -> String {
        address.contains(":") ? "[\(address)]" : address
    }
}
