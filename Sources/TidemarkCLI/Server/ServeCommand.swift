import Foundation
import Tidemark
import TidemarkListener
import TidemarkPostgres
import TidemarkServer

/// `tidemark serve`: a server on a SQLite file or a PostgreSQL database, until it is told to stop.
enum ServeCommand: Command {
    static let name = "serve"
    static let summary = "run a server on a SQLite file, or on a PostgreSQL database"
    static let parameters: [Parameter] = []
    static let options =
        [
            Option(
                name: "--store", value: "FILE",
                summary:
                    "the server's file: a SQLite database; or postgresql://USER@HOST/NAME, which several may share",
                isRequired: true, kind: .store),
            Self.listen, Self.token, Self.tokens, Self.maxBody, Self.page, Self.horizon, Self.clientTimeout,
        ] + Self.operationOptions
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
        var settings = try Self.settings(input)
        settings.identity = try Self.identity(input)
        let (interval, drainTime) = (try Self.purgeInterval(input), try Self.drainTime(input))
        let tokens = try Self.tokens(input)
        guard !tokens.contains(where: \.isEmpty) else {
            throw UsageError("--token needs a token that is not empty", for: Self.self)
        }
        // Who sends it has to put it into one word of a header (RFC 6750 §2.1).
        guard !tokens.contains(where: { $0.contains(where: \.isWhitespace) }) else {
            throw UsageError("--token needs a token without a blank in it; give each by itself", for: Self.self)
        }
        let store = try ServerStore(try input.required(Option.store))
        // From here on a signal ends the program in good order.
        let log = try Self.log(input, console)
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
        try console.print("listening on \(scheme)://\(Self.shown(settings.address)):\(listener.port)/v1")
        try console.flush()
        if let advice = store.advice { console.say("tidemark: \(advice)") }
        console.say("\(store): \(try Self.visitors(core, tokens)); Ctrl-C stops it")
        await Self.attend(to: core, purging: interval, until: signals, console) {
            Self.reload(core, log, input, console)
        }
        await Self.drain(core, for: drainTime, until: signals, console)
        if !listener.stop() {
            console.say("tidemark: a request was still being worked on, and was given up; nothing of it was kept")
        }
        log?.finish()
        return .success
    }

    /// Says that it is about to stop, so that nobody is sent here any more, and goes on for a while, or until it is told again.
    private static func drain(
        _ core: ServerCore, for time: Duration?, until signals: StopSignals, _ console: Console
    ) async {
        guard let time else { return }
        core.drain()
        console.say("stops in \(time); /readyz says so")
        await withTaskGroup { group in
            group.addTask { await signals.first() }
            group.addTask { try? await Task.sleep(for: time) }
            await group.next()
            group.cancelAll()
        }
    }

    /// All tokens that were given, wherever.
    private static func tokens(_ input: Arguments) throws(CommandFailure) -> [String] {
        try ServerTokens.all(
            given: input.all(Self.token), file: input.value(Self.tokens),
            environment: ProcessInfo.processInfo.environment)
    }

    /// What SIGHUP asks for: a new access log, and the tokens as the file has them now.
    private static func reload(_ core: ServerCore, _ log: AccessLog?, _ input: Arguments, _ console: Console) {
        log?.reopen()
        guard let file = input.value(Self.tokens) else {
            if log == nil { console.say("tidemark: SIGHUP: there is nothing to reload") }
            return
        }
        do throws(CommandFailure) {
            let tokens = try Self.tokens(input)
            core.replaceAccounts(ServerAccounts(tokens: tokens))
            console.say(
                "tidemark: SIGHUP: \(tokens.count == 1 ? "1 token" : "\(tokens.count) tokens"), with those of \(file)")
        } catch {
            console.say("tidemark: SIGHUP: \(error); the tokens stay as they were")
        }
    }

    /// How often it is looked whether those who wait for hints still may.
    private static let reviewInterval = Duration.seconds(60)

    /// Forgets old tombstones at the start and then now and again, and hears SIGHUP, until the signal comes.
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
                        if count > 0 { console.say("forgot \(count) old deletion\(count == 1 ? "" : "s")") }
                    } catch {
                        console.say("tidemark: old deletions could not be forgotten: \(error)")
                    }
                } while (try? await Task.sleep(for: interval)) != nil
            }
            await group.next()
            group.cancelAll()
        }
    }

    /// Who may come.
    private static func visitors(_ core: ServerCore, _ tokens: [String]) throws(ServerStorageError) -> String {
        if try core.isOpenToAll() { return "open to all" }
        let stored = try core.withAccounts { (book) throws(ServerStorageError) in try book.accounts().count }
        let count = tokens.count + stored
        return count == 1 ? "1 account" : "\(count) accounts"
    }

    /// Where the running server takes what its administrator asks. A server without it serves all the same.
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
        guard let colon, !host.isEmpty, let port = UInt16(text[text.utf8.index(after: colon)...]) else {
            throw UsageError("--listen \(text) is not HOST:PORT, such as 127.0.0.1:8080 or [::1]:0", for: Self.self)
        }
        let isInBrackets = host.utf8.first == UInt8(ascii: "[") && host.utf8.last == UInt8(ascii: "]")
        let address = isInBrackets ? String(decoding: host.utf8.dropFirst().dropLast(), as: UTF8.self) : host
        var settings = ListenerSettings(address: address, port: port)
        if let span = try input.span(Self.clientTimeout) { settings.clientTimeout = span }
        try Self.limit(&settings, input)
        return settings
    }

    /// An IPv6 address stands in brackets in a URL (RFC 3986 §3.2.2).
    private static func shown(_ address: String) -> String {
        address.utf8.contains(UInt8(ascii: ":")) ? "[\(address)]" : address
    }
}
