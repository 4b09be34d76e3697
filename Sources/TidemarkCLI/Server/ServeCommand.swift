import Foundation
import Tidemark
import TidemarkListener
import TidemarkPostgres
import TidemarkServer

/// `tidemark serve`: runs a server on a SQLite file or a PostgreSQL database, until a signal stops it.
enum ServeCommand: Command {
    static let name = "serve"
    static let summary = "run a server on a SQLite file or a PostgreSQL database"
    static let options =
        [
            Option(
                name: "--store", value: "FILE",
                summary:
                    "the server's SQLite file; or postgresql://USER@HOST/NAME, which several servers can share",
                isRequired: true, kind: .store),
            Self.listen, Self.token, Self.tokens, Self.maxBody, Self.page, Self.horizon, Self.clientTimeout,
        ] + Self.operationOptions
    static let example = "tidemark serve --store server.db --listen 127.0.0.1:8080"

    private static let listen = Option(
        name: "--listen", value: "HOST:PORT", summary: "the address; default 127.0.0.1:8080; port 0 chooses a free one")
    private static let token = Option(
        name: "--token", value: "T",
        summary: "a token, which is one account; without tokens one account is open to all",
        isRepeated: true)
    private static let tokens = Option(
        name: "--tokens", value: "FILE",
        summary: "a file with one token per line; TIDEMARK_TOKENS has tokens separated by blanks")
    private static let maxBody = Option(
        name: "--max-body", value: "SIZE", summary: "the largest request; default 8MiB")
    private static let page = Option(
        name: "--page", value: "N", summary: "how many records an answer has at most; default 500")
    private static let horizon = Option(
        name: "--horizon", value: "SPAN", summary: "how long deletions are kept; default 90d")
    private static let clientTimeout = Option(
        name: "--client-timeout", value: "SPAN", summary: "how long a client may be silent; default 30s")

    static func run(_ input: Arguments, _ console: Console) async throws -> ExitStatus {
        let limits = try Self.limits(input)
        var settings = try Self.settings(input)
        settings.identity = try Self.identity(input)
        let (interval, drainTime) = (try Self.purgeInterval(input), try Self.drainTime(input))
        let tokens = try Self.tokens(input)
        guard !tokens.contains(where: \.isEmpty) else {
            throw UsageError("--token needs a token that is not empty", for: Self.self)
        }
        // A client sends the token as one word of a header field (RFC 6750 §2.1).
        guard !tokens.contains(where: { $0.contains(where: \.isWhitespace) }) else {
            throw UsageError("--token needs a token without blanks; give each token separately", for: Self.self)
        }
        let store = try ServerStore(try input.required(Option.store))
        // From here on a signal shuts the server down cleanly.
        let log = Self.log(input, console)
        let signals = StopSignals(hangUp: .isHeard)
        let core = ServerCore(
            storage: try store.open(for: .serving), accounts: ServerAccounts(tokens: tokens), limits: limits,
            now: WallClock.microseconds, report: { console.say("tidemark: the storage failed: \($0)") })
        let listener = try HTTPListener(core, settings: settings, log: log?.note)
        let control = store.path.flatMap { Self.control(beside: $0, core, console) }
        defer { control?.stop() }
        let hints = store.hints(for: core)
        hints?.start()
        defer { hints?.stop() }
        let scheme = settings.identity == nil ? "http" : "https"
        let address = "listening on \(scheme)://\(Self.shown(settings.address)):\(listener.port)/v1"
        // Standard output is the access log's alone.
        if log == nil { try console.print(address) } else { console.say(address) }
        try console.flush()
        if Self.isOfAll(settings.address) {
            console.say("tidemark: it listens on all addresses of this machine: other devices use its name in the URL")
        }
        if let advice = store.advice { console.say("tidemark: \(advice)") }
        console.say("\(store): \(try Self.visitors(core, tokens)); Ctrl-C stops it")
        await Self.attend(to: core, purging: interval, until: signals, console) {
            Self.reload(core, input, console)
        }
        await Self.drain(core, for: drainTime, until: signals, console)
        if !listener.stop() {
            console.say("tidemark: a request was still in progress and was aborted; none of it was stored")
        }
        log?.finish()
        return .success
    }

    /// Reports the shutdown on `/readyz`, so that a load balancer sends no more clients, and serves until the time is over or
    /// a second signal arrives.
    private static func drain(
        _ core: ServerCore, for time: Duration?, until signals: StopSignals, _ console: Console
    ) async {
        guard let time else { return }
        core.drain()
        console.say("stopping in \(time); /readyz reports it")
        await withTaskGroup { group in
            group.addTask { await signals.first() }
            group.addTask { try? await Task.sleep(for: time) }
            await group.next()
            group.cancelAll()
        }
    }

    /// The tokens of the options, the file and the environment.
    private static func tokens(_ input: Arguments) throws(CommandFailure) -> [String] {
        try ServerTokens.all(
            given: input.all(Self.token), file: input.value(Self.tokens),
            environment: ProcessInfo.processInfo.environment)
    }

    /// Handles SIGHUP: reads the file of tokens again.
    private static func reload(_ core: ServerCore, _ input: Arguments, _ console: Console) {
        guard let file = input.value(Self.tokens) else {
            return console.say("tidemark: SIGHUP: there is nothing to reload")
        }
        do throws(CommandFailure) {
            let tokens = try Self.tokens(input)
            core.replaceAccounts(ServerAccounts(tokens: tokens))
            console.say(
                "tidemark: SIGHUP: \(tokens.count == 1 ? "1 token" : "\(tokens.count) tokens"), with those of \(file)")
        } catch {
            console.say("tidemark: SIGHUP: \(error); the tokens are unchanged")
        }
    }

    /// How often the server checks that listening clients still have access.
    private static let reviewInterval = Duration.seconds(60)

    /// Purges old tombstones at the start and at intervals, and handles SIGHUP, until a stop signal arrives.
    private static func attend(
        to core: ServerCore, purging interval: Duration, until signals: StopSignals, _ console: Console,
        onHangUp: @escaping @Sendable () -> Void
    ) async {
        await withTaskGroup { group in
            group.addTask { await signals.first() }
            group.addTask {
                for await _ in signals.hangUps { onHangUp() }
            }
            group.addTask {
                while (try? await Task.sleep(for: Self.reviewInterval)) != nil { core.reviewWatches() }
            }
            group.addTask {
                repeat {
                    do throws(ServerStorageError) {
                        let count = try core.purge().tombstones
                        if count > 0 { console.say("purged \(count) old deletion\(count == 1 ? "" : "s")") }
                    } catch {
                        console.say("tidemark: old deletions could not be purged: \(error)")
                    }
                } while (try? await Task.sleep(for: interval)) != nil
            }
            await group.next()
            group.cancelAll()
        }
    }

    /// Which clients have access, as text.
    private static func visitors(_ core: ServerCore, _ tokens: [String]) throws(ServerStorageError) -> String {
        if try core.isOpenToAll() { return "open to all" }
        let stored = try core.withAccounts { (book) throws(ServerStorageError) in try book.accounts().count }
        let count = tokens.count + stored
        return count == 1 ? "1 account" : "\(count) accounts"
    }

    /// The socket for the administration commands. The server also runs without it.
    private static func control(beside path: String, _ core: ServerCore, _ console: Console) -> ControlSocket? {
        do throws(ListenerError) {
            return try ControlSocket(beside: path, core: core)
        } catch {
            console.say("tidemark: \(error)")
            return nil
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
        try Self.limit(&limits, input)
        return limits
    }

    private static func settings(_ input: Arguments) throws(UsageError) -> ListenerSettings {
        let text = input.value(Self.listen) ?? "127.0.0.1:8080"
        let colon = text.utf8.lastIndex(of: UInt8(ascii: ":"))
        let host = colon.map { String(text[..<$0]) } ?? ""
        guard let colon, !host.isEmpty,
            let port = Digits.number(text[text.utf8.index(after: colon)...]).flatMap({ UInt16(exactly: $0) })
        else {
            throw UsageError("--listen \(text) is not HOST:PORT, such as 127.0.0.1:8080 or [::1]:0", for: Self.self)
        }
        let isInBrackets = host.utf8.first == UInt8(ascii: "[") && host.utf8.last == UInt8(ascii: "]")
        let address = isInBrackets ? String(decoding: host.utf8.dropFirst().dropLast(), as: UTF8.self) : host
        var settings = ListenerSettings(address: address, port: port)
        if let span = try input.span(Self.clientTimeout) { settings.clientTimeout = span }
        try Self.limit(&settings, input)
        return settings
    }

    /// The address as in a URL: an IPv6 address is in brackets (RFC 3986 §3.2.2), and in place of all addresses of the machine
    /// there is the one that the machine itself can use.
    private static func shown(_ address: String) -> String {
        switch address {
        case "*", "0.0.0.0": "127.0.0.1"
        case "::": "[::1]"
        case _: address.utf8.contains(UInt8(ascii: ":")) ? "[\(address)]" : address
        }
    }

    private static func isOfAll(_ address: String) -> Bool { ["*", "0.0.0.0", "::"].contains(address) }
}
