import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct `Operating a server` {
    /// The output of openssl, for a certificate and for a client that checks it.
    private func openssl(_ words: String, in shop: Workshop, input: String = "") throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["openssl"] + words.split(separator: " ").map(String.init)
        process.currentDirectoryURL = URL(fileURLWithPath: shop.path("."))
        let (given, said) = (Pipe(), Pipe())
        process.standardInput = given
        process.standardOutput = said
        process.standardError = FileHandle.nullDevice
        try process.run()
        given.fileHandleForWriting.write(Data(input.utf8))
        let output = said.fileHandleForReading.readDataToEndOfFile()
        try given.fileHandleForWriting.close()
        process.waitUntilExit()
        return String(decoding: output, as: UTF8.self)
    }

    private func makeCertificate(in shop: Workshop) throws {
        _ = try self.openssl(
            "req -x509 -newkey rsa:2048 -nodes -days 1 -keyout key.pem -out cert.pem -subj /CN=localhost"
                + " -addext subjectAltName=DNS:localhost,IP:127.0.0.1", in: shop)
    }

    @Test func `serve with a certificate speaks TLS only`() throws {
        let shop = try Workshop()
        try self.makeCertificate(in: shop)
        let server = try shop.serve("--tls-cert", "cert.pem", "--tls-key", "key.pem")
        #expect(server.url.hasPrefix("https://127.0.0.1:"))
        let port = try #require(URL(string: server.url)?.port)
        let request = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        let answer = try self.openssl(
            "s_client -quiet -verify_return_error -CAfile cert.pem -connect 127.0.0.1:\(port)", in: shop,
            input: request)
        #expect(answer.contains("200 OK") && answer.contains("alive"), "\(answer)")
        // A body that is rejected in its middle; nothing may be written over TLS after that.
        let large = "POST /v1/notes HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999\r\n\r\n"
        let refusal = try self.openssl(
            "s_client -quiet -verify_return_error -CAfile cert.pem -connect 127.0.0.1:\(port)", in: shop, input: large)
        #expect(refusal.contains("413"), "\(refusal)")
        // The client does not trust the certificate, and reports that.
        try shop.device("a.db", server)
        try shop.done("create", "--store", "a.db", "notes", "1", #"{"a":1}"#)
        let run = try shop.run("sync", "--store", "a.db")
        #expect(run.status == 4 && run.errors.contains("is not secure, and nothing was sent"), "\(run.errors)")
        #expect(try server.tool.stop().status == 0)
    }

    @Test func `init --ca trusts a private authority, until --no-ca`() throws {
        let shop = try Workshop()
        try self.makeCertificate(in: shop)
        let server = try shop.serve("--tls-cert", "cert.pem", "--tls-key", "key.pem", "--token", "good")
        try shop.device("a.db", server, "--token", "good", "--ca", "cert.pem")
        try shop.done("create", "--store", "a.db", "notes", "1", #"{"a":1}"#)
        try shop.done("sync", "--store", "a.db")
        // The store has the certificate, and keeps it with other settings.
        try FileManager.default.removeItem(atPath: shop.path("cert.pem"))
        try shop.done("init", "--store", "a.db", "--tactic", "take-server")
        try shop.done("sync", "--store", "a.db")
        try shop.done("init", "--store", "a.db", "--no-ca")
        let run = try shop.run("sync", "--store", "a.db")
        #expect(run.status == 4 && run.errors.contains("--ca FILE of the tool"), "\(run.errors)")
        #expect(try server.tool.stop().status == 0)
    }

    @Test func `conform --ca checks a server of a private authority`() throws {
        let shop = try Workshop()
        try self.makeCertificate(in: shop)
        let server = try shop.serve("--tls-cert", "cert.pem", "--tls-key", "key.pem", "--token", "good")
        let run = try shop.run("conform", server.url, "--token", "good", "--ca", "cert.pem", "--level", "minimal")
        // Whether a check is kept is the matter of other tests.
        #expect(run.errors.contains("checks kept"), "\(run.errors)")
        let refused = try shop.run("conform", server.url, "--token", "good")
        #expect(refused.status != 0 && refused.errors.contains("is not trusted"), "\(refused.errors)")
        #expect(try server.tool.stop().status == 0)
    }

    @Test func `A file without a certificate, or with a private key, is not given as --ca`() throws {
        let shop = try Workshop()
        try self.makeCertificate(in: shop)
        try shop.write("text", to: "text.pem")
        for (words, reason) in [
            (["--ca", "text.pem"], "text.pem: The certificates to trust are not PEM"),
            (["--ca", "key.pem"], "key.pem: The certificates to trust contain a private key"),
            (["--ca", "none.pem"], "none.pem"), (["--ca", ""], "--ca needs the name of a file"),
            (["--ca", "cert.pem", "--no-ca"], "give no others with it"),
        ] {
            let run = try shop.run(["init", "--store", "a.db", "--remote", "https://localhost/v1"] + words)
            #expect(run.status != 0 && run.errors.contains(reason), "\(words): \(run.errors)")
        }
        #expect(!FileManager.default.fileExists(atPath: shop.path("a.db")))
    }

    @Test(arguments: ["-tls1", "-tls1_1"])
    func `Versions of TLS before 1.2 are rejected (RFC 8996)`(version: String) throws {
        let shop = try Workshop()
        try self.makeCertificate(in: shop)
        let server = try shop.serve("--tls-cert", "cert.pem", "--tls-key", "key.pem")
        let port = try #require(URL(string: server.url)?.port)
        let request = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        // A client that accepts these versions: a current client rejects them itself.
        let answers = try [version, "-tls1_2", "-tls1_3"].map { version in
            let cipher = version == "-tls1_3" ? "" : " -cipher ALL:@SECLEVEL=0"
            return try self.openssl(
                "s_client -quiet -CAfile cert.pem -connect 127.0.0.1:\(port) \(version)\(cipher)", in: shop,
                input: request)
        }
        #expect(answers.map { $0.contains("200 OK") } == [false, true, true], "\(answers)")
        #expect(try server.tool.stop().status == 0)
    }

    @Test func `An unusable certificate is rejected at the start`() throws {
        let shop = try Workshop()
        try self.makeCertificate(in: shop)
        try shop.write("no key", to: "text.pem")
        try shop.write("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", to: "other.pem")
        for (words, reason) in [
            (["--tls-cert", "cert.pem"], "need each other"),
            (["--tls-cert", "cert.pem", "--tls-key", "text.pem"], "text.pem: it can't be read as a PEM file"),
            (["--tls-cert", "cert.pem", "--tls-key", "none.pem"], "none.pem: it can't be read as a PEM file"),
            (["--tls-cert", "cert.pem", "--tls-key", "other.pem"], "can't be used together"),
        ] {
            let run = try shop.run(["serve", "--store", "server.db", "--listen", "127.0.0.1:0"] + words)
            #expect(run.status != 0 && run.errors.contains(reason), "\(words): \(run.errors)")
        }
    }

    @Test func `The access log has a line per request on standard output, and nothing else`() throws {
        let shop = try Workshop()
        let server = try shop.serve("--access-log")
        try shop.device("a.db", server)
        try shop.done("create", "--store", "a.db", "notes", "1", #"{"a":1}"#)
        try shop.done("sync", "--store", "a.db")
        let run = try server.tool.stop()
        #expect(run.status == 0)
        #expect(run.lines.allSatisfy { $0.hasPrefix(#"{"time":"#) } && !run.lines.isEmpty, "\(run.output)")
        #expect(run.output.contains(#""method":"POST","request":"post","status":200"#), "\(run.output)")
    }

    /// Starts a server whose standard output goes to a file that is opened by the shell.
    private func serve(in shop: Workshop, into output: String) throws -> (tool: Process, url: String) {
        let tool = Process()
        let errors = shop.path("errors")
        tool.executableURL = URL(fileURLWithPath: "/bin/bash")
        tool.currentDirectoryURL = shop.folder
        tool.arguments = [
            "-c", "exec \"$0\" serve --store server.db --listen 127.0.0.1:0 --access-log >\(output) 2>errors",
            try Workshop.tool().path,
        ]
        try tool.run()
        var url: Substring?
        blockUntil("the server listens") {
            let text = (try? String(contentsOfFile: errors, encoding: .utf8)) ?? ""
            url = text.split(separator: "\n").first { $0.hasPrefix("listening on ") }?.dropFirst("listening on ".count)
            return url != nil
        }
        return (tool, String(try #require(url)))
    }

    @Test func `A log whose reader is blocked delays no request`() throws {
        let shop = try Workshop()
        #expect(mkfifo(shop.path("pipe"), 0o600) == 0)
        // A reader that never reads: a pipe has room for 64 KiB, about 400 lines.
        let reader = open(shop.path("pipe"), O_RDONLY | O_NONBLOCK)
        defer { close(reader) }
        let server = try self.serve(in: shop, into: "pipe")
        let port = try #require(URL(string: server.url)?.port)
        // Enough requests to fill the pipe twice, on one connection.
        let asking = Process()
        let answers = Pipe()
        asking.executableURL = URL(fileURLWithPath: "/bin/bash")
        asking.arguments = [
            "-c",
            #"""
            exec 3<>/dev/tcp/127.0.0.1/\#(port)
            for number in {1..1200}; do printf 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n'; done >&3
            printf 'GET /v1/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' >&3
            grep -c 'HTTP/1.1 200' <&3
            """#,
        ]
        asking.standardOutput = answers
        try asking.run()
        let count = String(decoding: answers.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        asking.waitUntilExit()
        #expect(count == "1201\n")
        server.tool.terminate()
        server.tool.waitUntilExit()
        #expect(server.tool.terminationStatus == 0)
    }

    @Test func `A log on a full disk loses lines but no request, with a message`() throws {
        let shop = try Workshop()
        let server = try self.serve(in: shop, into: "/dev/full")
        try shop.done("init", "--store", "a.db", "--remote", server.url)
        try shop.done("create", "--store", "a.db", "notes", "1", #"{"a":1}"#)
        try shop.done("sync", "--store", "a.db")
        server.tool.terminate()
        server.tool.waitUntilExit()
        #expect(server.tool.terminationStatus == 0)
        let said = try String(contentsOfFile: shop.path("errors"), encoding: .utf8)
        #expect(said.contains("lines of the access log are lost until it can be written again"), "\(said)")
    }

    @Test func `serve reports its shutdown before it stops`() throws {
        let shop = try Workshop()
        let server = try shop.serve("--drain", "200ms", "--requests-per-second", "100", "--purge-every", "1h")
        let run = try server.tool.stop()
        #expect(run.status == 0)
        #expect(run.errors.contains("/readyz reports it"), "\(run.errors)")
    }
}
