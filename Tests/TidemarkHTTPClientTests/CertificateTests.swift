import Foundation
import TestSupport
import Testing
import TidemarkHTTPClient

/// A server with a self-signed certificate. It records all that it receives, and answers nothing.
private final class SelfSignedServer {
    private let folder: TemporaryFolder
    private let server = Process()
    private let input = Pipe()
    private let output = Pipe()
    let port: Int

    init() throws {
        self.folder = try TemporaryFolder()
        let making = Self.openssl(
            "req -x509 -newkey rsa:2048 -nodes -days 1 -keyout key.pem -out cert.pem -subj /CN=localhost"
                + " -addext subjectAltName=DNS:localhost,IP:127.0.0.1", in: self.folder.url)
        making.standardError = FileHandle.nullDevice
        try making.run()
        making.waitUntilExit()
        try #require(making.terminationStatus == 0)
        self.server.executableURL = making.executableURL
        self.server.arguments = ["openssl"] + "s_server -accept 127.0.0.1:0 -key key.pem -cert cert.pem".words
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

    private static func openssl(_ words: String, in folder: URL) -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["openssl"] + words.words
        process.currentDirectoryURL = folder
        return process
    }
}

extension String {
    fileprivate var words: [String] { self.split(separator: " ").map(String.init) }
}

@Suite(.timeLimit(.minutes(2))) struct `A server with a self-signed certificate` {
    @Test(arguments: ["localhost", "127.0.0.1"])
    func `a server with a self-signed certificate gets no request and no token (H04)`(
        host: String
    ) async throws {
        let server = try SelfSignedServer()
        let client = try HTTPClient(
            url: "https://\(host):\(server.port)/v1", auth: .bearer("secret"), limits: .init(silence: .seconds(5)))
        let failure = try await failure(of: client, HTTPRequest("POST", "/notes", body: Array("{}".utf8)))
        #expect(failure.kind == .unreachable)
        #expect(failure.message.contains("is not secure, and nothing was sent"), "\(failure)")
        let told = server.stop()
        #expect(!told.contains("secret") && !told.contains("POST"), "\(told)")
    }
}
