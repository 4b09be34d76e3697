import Foundation
import TestSupport
import Testing
import TidemarkCarrier

/// A server behind a certificate that it has signed itself. It writes down what it is told, and answers nothing.
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
        // It ends with its input.
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

    /// All that it was told. Nobody can tell it more.
    func stop() -> String {
        self.end()
        return String(decoding: self.output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    }

    /// It may have been started with all signals blocked, and then it does not listen to a request.
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

@Suite(.timeLimit(.minutes(2))) struct `A server whose certificate nobody vouches for` {
    @Test(arguments: ["localhost", "127.0.0.1"]) func `is told nothing, the token least of all (H04)`(
        host: String
    ) async throws {
        let server = try SelfSignedServer()
        let carrier = try HTTPCarrier(
            url: "https://\(host):\(server.port)/v1", auth: .bearer("secret"), limits: .init(silence: .seconds(5)))
        let failure = try await failure(of: carrier, CarrierRequest("POST", "/notes", body: Array("{}".utf8)))
        #expect(failure.kind == .unreachable)
        #expect(failure.message.contains("is not safe, and nothing was sent"), "\(failure)")
        let told = server.stop()
        #expect(!told.contains("secret") && !told.contains("POST"), "\(told)")
    }
}
