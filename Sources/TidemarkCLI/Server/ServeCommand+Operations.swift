import Foundation
import TidemarkListener
import TidemarkServer

// What whoever operates a server says to it: how it shows itself, what it writes down, how much an account may ask, how it ends.

extension ServeCommand {
    static let operationOptions = [
        Self.certificate, Self.key, Self.accessLog, Self.requestRate, Self.rows, Self.bytes, Self.watches,
        Self.watchesOfAccount, Self.purgeEvery, Self.drain,
    ]

    private static let certificate = Option(
        name: "--tls-cert", value: "FILE", summary: "speak TLS, with the certificate and its chain in this file (PEM)")
    private static let key = Option(
        name: "--tls-key", value: "FILE", summary: "the private key of the certificate (PEM)")
    private static let accessLog = Option(
        name: "--access-log", value: "FILE", summary: "add a line of JSON for each request; SIGHUP begins a new file")
    private static let requestRate = Option(
        name: "--requests-per-second", value: "N",
        summary: "how many requests an account may send a second, on the average; without it, any number")
    private static let rows = Option(
        name: "--rows-per-account", value: "N",
        summary: "how many records an account may have, deleted ones not counted; without it, any number")
    private static let bytes = Option(
        name: "--bytes-per-account", value: "SIZE",
        summary: "how large its records may be together; without it, any size")
    private static let watches = Option(
        name: "--watches", value: "N",
        summary: "how many clients may wait for hints at a time, besides the other connections; 16384 when left out")
    private static let watchesOfAccount = Option(
        name: "--watches-per-account", value: "N", summary: "how many of them one account may have; 2048 when left out")
    private static let purgeEvery = Option(
        name: "--purge-every", value: "SPAN", summary: "how often old deletions are forgotten; 1h when left out")
    private static let drain = Option(
        name: "--drain", value: "SPAN",
        summary: "when it is told to stop: for how long /readyz says so before it does; 0 when left out")

    /// Takes over what was said about limits.
    static func limit(_ limits: inout ServerLimits, _ input: Arguments) throws(UsageError) {
        if let rate = try input.number(Self.requestRate) { limits.requestsPerSecond = rate }
        limits.rowsOfAccount = try input.number(Self.rows)
        limits.bytesOfAccount = try input.size(Self.bytes)
        if let count = try input.number(Self.watches) { limits.watches = count }
        if let count = try input.number(Self.watchesOfAccount) { limits.watchesOfAccount = count }
    }

    /// As many watches may come from one address as from all, where it is said how many: a proxy is one address.
    static func limit(_ settings: inout ListenerSettings, _ input: Arguments) throws(UsageError) {
        if let count = try input.number(Self.watches) { settings.watchesPerAddress = count }
    }

    /// The certificate and its key; nil where TLS is not asked for.
    static func identity(_ input: Arguments) throws -> ServerIdentity? {
        switch (input.value(Self.certificate), input.value(Self.key)) {
        case (nil, nil): return nil
        case (let certificate?, let key?):
            return ServerIdentity(certificate: try Self.text(of: certificate), key: try Self.text(of: key))
        case _:
            throw UsageError("--tls-cert and --tls-key belong together; give both", for: Self.self)
        }
    }

    private static func text(of file: String) throws(CommandFailure) -> String {
        guard let data = FileManager.default.contents(atPath: file), data.count <= 1 << 20,
            let text = String(data: data, encoding: .utf8), data.range(of: Data("-----BEGIN ".utf8)) != nil
        else {
            throw CommandFailure("\(file): it can't be read as a file in PEM, which has lines with -----BEGIN in it")
        }
        return text
    }

    /// The log, where one is asked for.
    static func log(_ input: Arguments, _ console: Console) throws(CommandFailure) -> AccessLog? {
        guard let path = input.value(Self.accessLog) else { return nil }
        return try AccessLog(path) { console.say("tidemark: \($0)") }
    }

    /// How often old deletions are forgotten.
    static func purgeInterval(_ input: Arguments) throws(UsageError) -> Duration {
        try input.span(Self.purgeEvery) ?? .seconds(3_600)
    }

    /// How long the server says that it is about to stop.
    static func drainTime(_ input: Arguments) throws(UsageError) -> Duration? { try input.span(Self.drain) }
}
