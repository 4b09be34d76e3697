import Foundation
import TestSupport
import Testing
import TidemarkHTTPClient

/// Certificates and their keys that openssl made, once for all tests: `NAME.pem` and `NAME.key` of an authority, of a server that
/// it signed, of one with an elliptic key, of one that it signed for another host, and of a server that signed its own; and of each
/// its public key as PEM, `NAME.pub`, and as it is pinned, `NAME.pin`.
private struct MadeCertificates {
    private let files: [String: [UInt8]]

    private static let all = Result { try Self() }

    private init() throws {
        let folder = try TemporaryFolder()
        var files: [String: [UInt8]] = [:]
        func run(_ words: [String], _ name: String) throws {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = words
            process.currentDirectoryURL = folder.url
            process.standardError = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            try #require(process.terminationStatus == 0, "openssl \(name)")
        }
        func make(_ name: String, key: String = "rsa:2048", _ words: String) throws {
            let request = "openssl req -x509 -newkey \(key) -nodes -days 1 -keyout \(name).key -out \(name).pem"
            try run("\(request) \(words)".words, name)
            let key = "openssl x509 -in \(name).pem -noout -pubkey >\(name).pub"
            let hash = "openssl pkey -pubin -in \(name).pub -outform der | openssl dgst -sha256 -binary"
            try run(["sh", "-c", "\(key) && \(hash) | openssl base64 -A >\(name).pin"], name)
            for kind in ["pem", "key", "pub", "pin"] { files["\(name).\(kind)"] = try folder.read("\(name).\(kind)") }
        }
        let signed = "-CA authority.pem -CAkey authority.key"
        let names = "-subj /CN=localhost -addext subjectAltName=DNS:localhost,IP:127.0.0.1"
        try make("authority", "-subj /CN=Authority")
        try make("signed", "\(names) \(signed)")
        try make("elsewhere", "-subj /CN=other.example -addext subjectAltName=DNS:other.example \(signed)")
        try make("self", names)
        try make("elliptic", key: "ec -pkeyopt ec_paramgen_curve:prime256v1", "\(names) \(signed)")
        self.files = files
    }

    /// The content of a file.
    static func file(_ name: String) throws -> [UInt8] { try #require(try self.all.get().files[name]) }

    /// A certificate as PEM.
    static func pem(_ name: String) throws -> [UInt8] { try self.file("\(name).pem") }

    /// The public key of a certificate as it is pinned.
    static func pin(_ name: String) throws -> String { String(decoding: try self.file("\(name).pin"), as: UTF8.self) }

    /// The bytes between the first and the last line of a PEM file.
    static func bytes(_ file: String) throws -> [UInt8] {
        let lines = String(decoding: try self.file(file), as: UTF8.self).split(separator: "\n")
        return Array(try #require(Data(base64Encoded: lines.dropFirst().dropLast().joined())))
    }
}

/// A server with one of the made certificates. It answers GET /v1/notes, or records all that it receives and answers nothing.
private final class CertifiedServer {
    private let folder: TemporaryFolder
    private let server = Process()
    private let input = Pipe()
    private let output = Pipe()
    let port: Int

    init(_ name: String = "signed", answers: Bool = true) throws {
        self.folder = try TemporaryFolder()
        for file in ["\(name).pem", "\(name).key"] {
            try Data(MadeCertificates.file(file)).write(to: self.folder.url.appending(path: file))
        }
        try self.folder.write("HTTP/1.0 200 OK\r\nX-Server: certified\r\n\r\n[]", to: "v1/notes")
        self.server.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        self.server.arguments =
            ["openssl"]
            + "s_server -accept 127.0.0.1:0 -key \(name).key -cert \(name).pem \(answers ? "-HTTP" : "")".words
        self.server.currentDirectoryURL = self.folder.url
        // The server ends with its input.
        self.server.standardInput = self.input
        self.server.standardOutput = self.output
        self.server.standardError = FileHandle.nullDevice
        try self.server.run()
        var said = ""
        while !said.contains("ACCEPT") || !said.hasSuffix("\n") {
            let bytes = self.output.fileHandleForReading.availableData
            try #require(!bytes.isEmpty, "\(said)")
            said += String(decoding: bytes, as: UTF8.self)
        }
        self.port = try #require(said.split(whereSeparator: { " :\n".contains($0) }).last.flatMap { Int($0) })
    }

    deinit { self.end() }

    /// Ends the server, and returns all that it received.
    func stop() -> String {
        self.end()
        return String(decoding: self.output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    }

    /// The server may have been started with all signals blocked, so only SIGKILL ends it.
    private func end() {
        if self.server.isRunning { kill(self.server.processIdentifier, SIGKILL) }
    }
}

extension String {
    fileprivate var words: [String] { self.split(separator: " ").map(String.init) }
}

@Suite(.timeLimit(.minutes(10))) struct `A server with a self-signed certificate` {
    @Test(arguments: ["localhost", "127.0.0.1"])
    func `a server with a self-signed certificate gets no request and no token (H04)`(
        host: String
    ) async throws {
        let server = try CertifiedServer("self", answers: false)
        let client = try HTTPClient(
            url: "https://\(host):\(server.port)/v1", auth: .bearer("secret"), limits: .init(silence: .seconds(5)))
        let failure = try await failure(of: client, HTTPRequest("POST", "/notes", body: Array("{}".utf8)))
        #expect(failure.kind == .unreachable)
        #expect(failure.message.contains("is not secure, and nothing was sent"), "\(failure)")
        #expect(failure.message.contains("give the certificate of that authority"), "\(failure)")
        let received = server.stop()
        #expect(!received.contains("secret") && !received.contains("POST"), "\(received)")
    }
}

@Suite(.timeLimit(.minutes(10))) struct `A server with a certificate of a private authority` {
    private static func client(_ server: CertifiedServer, _ certificates: [UInt8]?) throws -> HTTPClient {
        try HTTPClient(
            url: "https://localhost:\(server.port)/v1", auth: .bearer("secret"), limits: .init(silence: .seconds(20)),
            certificates: certificates)
    }

    @Test func `a server is trusted if a given certificate signed its own, also with other credentials`() async throws {
        let server = try CertifiedServer()
        let client = try Self.client(server, MadeCertificates.pem("authority"))
        #expect(try await client.send(.get).field("X-Server") == "certified")
        #expect(try await client.with(auth: .none).send(.get).body == Array("[]".utf8))
    }

    @Test func `the certificate of a server may be given itself`() async throws {
        let server = try CertifiedServer("self")
        #expect(try await Self.client(server, MadeCertificates.pem("self")).send(.get).status == 200)
    }

    @Test func `the host in the URL has to be one of the certificate, also if the authority is trusted`() async throws {
        let server = try CertifiedServer("elsewhere")
        let failure = try await failure(of: try Self.client(server, MadeCertificates.pem("authority")), .get)
        #expect(failure.message.contains("the certificate of the server is not trusted"), "\(failure)")
        #expect(!server.stop().contains("GET"))
    }

    @Test func `a server is not trusted if another authority signed it, and the failure names the remedy`() async throws
    {
        let server = try CertifiedServer(answers: false)
        let unknown = try await failure(of: try Self.client(server, nil), .get)
        #expect(unknown.kind == .unreachable)
        #expect(unknown.message.contains("give the certificate of that authority"), "\(unknown)")
        let wrong = try await failure(of: try Self.client(server, MadeCertificates.pem("self")), .get)
        #expect(wrong.kind == .unreachable)
        #expect(wrong.message.contains("has to be signed by one of the certificates that were given"), "\(wrong)")
        let received = server.stop()
        #expect(!received.contains("GET"), "\(received)")
    }

    @Test func `text around the certificates is ignored, and several are accepted`() async throws {
        let server = try CertifiedServer()
        let text =
            try Array("# of the office\r\n".utf8) + MadeCertificates.pem("self") + Array("\n# and\n".utf8)
            + MadeCertificates.pem("authority")
        #expect(try await Self.client(server, text).send(.get).status == 200)
    }

    @Test(arguments: [
        ("", "are not PEM"), ("0\u{82}", "are not PEM"),
        ("-----BEGIN CERTIFICATE-----\n", "certificate 1 is damaged or cut off"),
        ("-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n", "certificate 1 is damaged"),
        ("-----BEGIN CERTIFICATE-----\nMII?\n-----END CERTIFICATE-----\n", "certificate 1 is damaged"),
        ("-----BEGIN CERTIFICATE-----\nMIIA\n-----BEGIN CERTIFICATE-----\n", "certificate 1 is damaged"),
        ("-----BEGIN PRIVATE KEY-----\nMIIA\n-----END PRIVATE KEY-----\n", "contain a private key"),
        ("-----BEGIN EC PRIVATE KEY-----\nMIIA\n", "contain a private key"),
        (String(repeating: "x", count: (1 << 20) + 1), "are larger than"),
    ])
    func `a text that has no whole certificate, or a private key, is refused`(text: String, reason: String) throws {
        let failure = #expect(throws: HTTPFailure.self) {
            try HTTPClient(url: "https://localhost/v1", certificates: Array(text.utf8))
        }
        #expect(failure?.kind == .unsendable)
        #expect(failure?.message.contains(reason) == true, "\(String(describing: failure))")
    }

    #if !canImport(Darwin)
        @Test func `a certificate that only the library for TLS can refuse fails the request`() async throws {
            let server = try CertifiedServer()
            let text = "-----BEGIN CERTIFICATE-----\nMIIA\n-----END CERTIFICATE-----\n"
            let failure = try await failure(of: try Self.client(server, Array(text.utf8)), .get)
            #expect(failure.kind == .unsendable)
            #expect(failure.message.contains("certificates to trust can't be used"), "\(failure)")
        }
    #endif
}

@Suite(.timeLimit(.minutes(10))) struct `A server whose public key is pinned` {
    private static func client(
        _ server: CertifiedServer, _ keys: [String], _ certificates: [UInt8]? = nil
    ) throws -> HTTPClient {
        try HTTPClient(
            url: "https://localhost:\(server.port)/v1", auth: .bearer("secret"), limits: .init(silence: .seconds(20)),
            certificates: certificates ?? MadeCertificates.pem("authority"), pinnedKeys: keys)
    }

    @Test(arguments: ["sha256//", "sha256/", ""], ["signed", "elliptic"])
    func `a server with a pinned key is asked, also with other credentials`(prefix: String, name: String) async throws {
        let server = try CertifiedServer(name)
        let keys = try [MadeCertificates.pin("self"), prefix + MadeCertificates.pin(name)]
        let client = try Self.client(server, keys)
        #expect(try await client.send(.get).field("X-Server") == "certified")
        #expect(try await client.with(auth: .none).send(.get).status == 200)
    }

    @Test func `a server with another key gets nothing, although its certificate is trusted`() async throws {
        let server = try CertifiedServer(answers: false)
        // A key of the authority is not that of the server.
        let keys = try [MadeCertificates.pin("self"), MadeCertificates.pin("authority")]
        let client = try Self.client(server, keys)
        for client in [client, try client.with(auth: .bearer("secret"))] {
            let failure = try await failure(of: client, HTTPRequest("POST", "/notes", body: Array("{}".utf8)))
            #expect(failure.kind == .unreachable)
            #expect(failure.message.contains("is not pinned"), "\(failure)")
        }
        let received = server.stop()
        #expect(!received.contains("secret") && !received.contains("POST"), "\(received)")
    }

    @Test func `a pinned key does not make a certificate trusted`() async throws {
        let server = try CertifiedServer("self", answers: false)
        let failure = try await failure(of: try Self.client(server, [MadeCertificates.pin("self")]), .get)
        #expect(failure.kind == .unreachable)
        #expect(failure.message.contains("is not trusted"), "\(failure)")
        #expect(!server.stop().contains("GET"))
    }

    private static let pin = "sha256//YLh1dUR9y6Kja30RrAn7JKnbQG/uEtLMkBgFF2Fuihg="

    @Test(
        arguments: [
            ([], "There is no pinned key"), ([""], "is not a pinned key"), (["sha256//"], "is not a pinned key"),
            (["sha1//YLh1dUR9y6Kja30RrAn7JKnbQG/uEtLMkBgFF2Fuihg="], "is not a pinned key"),
            (["YLh1dUR9y6Kja30RrAn7JKnbQG/uEtLMkBgFF2Fuihh="], "is not a pinned key"),
            (["YLh1dUR9y6Kja30RrAn7JKnbQG/uEtLMkBgFF2Fuih=="], "is not a pinned key"),
            (["YLh1dUR9y6Kja30RrAn7JKnbQG-uEtLMkBgFF2Fuihg="], "is not a pinned key"),
            ([Self.pin, Self.pin + ";" + Self.pin], "is not a pinned key"),
            ([String(repeating: "A1", count: 32)], "not the fingerprint of a certificate"),
            (Array(repeating: Self.pin, count: 17), "at most 16 are used"),
        ] as [([String], String)])
    func `a key that can't be pinned is refused`(keys: [String], reason: String) throws {
        let failure = #expect(throws: HTTPFailure.self) {
            try HTTPClient(url: "https://localhost/v1", pinnedKeys: keys)
        }
        #expect(failure?.kind == .unsendable)
        #expect(failure?.message.contains(reason) == true, "\(String(describing: failure))")
    }

    @Test(arguments: ["sha256//", "sha256/"])
    func `a hash that begins with a slash is read whole, whatever is before it`(prefix: String) throws {
        let hash = "/Lh1dUR9y6Kja30RrAn7JKnbQG/uEtLMkBgFF2Fuihg="
        #expect(try PinnedKeys([prefix + hash]) == PinnedKeys([hash]))
    }

    @Test func `a URL without TLS has no key to pin`() throws {
        let failure = #expect(throws: HTTPFailure.self) {
            try HTTPClient(url: "http://localhost/v1", pinnedKeys: [Self.pin])
        }
        #expect(failure?.message.contains("starts with https://") == true, "\(String(describing: failure))")
        #expect(throws: Never.self) { try HTTPClient(url: "HTTPS://localhost/v1", pinnedKeys: [Self.pin]) }
    }

    @Test(arguments: ["authority", "signed", "self", "elliptic"])
    func `the key in a certificate is the one that openssl finds`(name: String) throws {
        let certificate = try MadeCertificates.bytes("\(name).pem")
        #expect(CertificateKey.info(of: certificate).map(Array.init) == (try MadeCertificates.bytes("\(name).pub")))
    }

    @Test func `bytes that are not a whole certificate have no key`() throws {
        let certificate = try MadeCertificates.bytes("elliptic.pem")
        for count in certificate.indices {
            #expect(CertificateKey.info(of: Array(certificate.prefix(count))) == nil, "\(count) bytes")
        }
        #expect(CertificateKey.info(of: [0x30, 0x80, 0x30, 0x00]) == nil, "a length without an end")
        #expect(CertificateKey.info(of: [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF, 0x30]) == nil)
        #expect(CertificateKey.info(of: [0x30, 0x89] + Array(repeating: 0xFF, count: 9)) == nil)
    }
}
