import Foundation
import TidemarkListener
import TidemarkServer

// The options of an operator: TLS, the access log, the limits of an account, shutdown.

extension ServeCommand {
    static let operationOptions = [
        Self.certificate, Self.key, Self.accessLog, Self.connections, Self.connectionsOfAddress, Self.requestRate,
        Self.rows,
        Self.bytes, Self.watches,
        Self.watchesOfAccount, Self.purgeEvery, Self.drain,
    ]

    private static let certificate = Option(
        name: "--tls-cert", value: "FILE", summary: "use TLS, with the certificate and its chain in this file (PEM)")
    private static let key = Option(
        name: "--tls-key", value: "FILE", summary: "the private key of the certificate (PEM)")
    private static let accessLog = Option(
        name: "--access-log", summary: "print a line of JSON for each request, and the address on standard error")
    private static let connections = Option(
        name: "--connections", value: "N",
        summary:
            "how many connections may have requests at a time; default 1000, or --connections-per-address if that is more"
    )
    private static let connectionsOfAddress = Option(
        name: "--connections-per-address", value: "N",
        summary: "how many of them may come from one address; default 256; a proxy needs as many as it opens")
    private static let requestRate = Option(
        name: "--requests-per-second", value: "N",
        summary: "how many requests an account may send per second, on average; default: no limit")
    private static let rows = Option(
        name: "--rows-per-account", value: "N",
        summary: "how many records an account may have, without deleted ones; default: no limit")
    private static let bytes = Option(
        name: "--bytes-per-account", value: "SIZE",
        summary: "how large the records of an account may be in total; default: no limit")
    private static let watches = Option(
        name: "--watches", value: "N",
        summary: "how many clients may listen for change notifications at a time; default 16384")
    private static let watchesOfAccount = Option(
        name: "--watches-per-account", value: "N",
        summary: "how many clients of one account may listen for change notifications at a time; default 2048")
    private static let purgeEvery = Option(
        name: "--purge-every", value: "SPAN", summary: "how often old deletions are purged; default 1h")
    private static let drain = Option(
        name: "--drain", value: "SPAN",
        summary: "on shutdown: how long /readyz answers 503 before the server stops; default 0")

    /// Sets the limits that the options give.
    static func limit(_ limits: inout ServerLimits, _ input: Arguments) throws(UsageError) {
        if let rate = try input.number(Self.requestRate) { limits.requestsPerSecond = rate }
        limits.rowsOfAccount = try input.number(Self.rows)
        limits.bytesOfAccount = try input.size(Self.bytes)
        if let count = try input.number(Self.watches) { limits.watches = count }
        if let count = try input.number(Self.watchesOfAccount) { limits.watchesOfAccount = count }
    }

    /// Applies `--watches` to one address as well: behind a proxy, all clients have the same address.
    static func limit(_ settings: inout ListenerSettings, _ input: Arguments) throws(UsageError) {
        if let count = try input.number(Self.watches) { settings.watchesPerAddress = count }
        if let count = try input.number(Self.connectionsOfAddress) {
            settings.connectionsPerAddress = count
            settings.connections = max(settings.connections, count)
        }
        if let count = try input.number(Self.connections) { settings.connections = count }
    }

    /// The certificate and its key; nil without TLS.
    static func identity(_ input: Arguments) throws -> ServerIdentity? {
        switch (input.value(Self.certificate), input.value(Self.key)) {
        case (nil, nil): return nil
        case (let certificate?, let key?):
            return ServerIdentity(certificate: try Self.text(of: certificate), key: try Self.text(of: key))
        case _:
            throw UsageError("--tls-cert and --tls-key need each other; give both", for: Self.self)
        }
    }

    private static func text(of file: String) throws(CommandFailure) -> String {
        guard let data = FileManager.default.contents(atPath: file), data.count <= 1 << 20,
            let text = String(data: data, encoding: .utf8), data.range(of: Data("-----BEGIN ".utf8)) != nil
        else {
            throw CommandFailure("\(file): it can't be read as a PEM file, which has lines with -----BEGIN")
        }
        return text
    }

    /// The access log; nil without `--access-log`.
    static func log(_ input: Arguments, _ console: Console) -> AccessLog? {
        input.has(Self.accessLog) ? AccessLog { console.say("tidemark: \($0)") } : nil
    }

    /// How often old deletions are purged.
    static func purgeInterval(_ input: Arguments) throws(UsageError) -> Duration {
        try input.span(Self.purgeEvery) ?? .seconds(3_600)
    }

    /// How long `/readyz` reports the shutdown before the server stops; nil for not at all.
    static func drainTime(_ input: Arguments) throws(UsageError) -> Duration? { try input.span(Self.drain) }
}
