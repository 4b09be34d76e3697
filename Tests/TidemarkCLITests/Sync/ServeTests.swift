import Foundation
import Testing

@Suite struct `The command serve` {
    @Test(arguments: [SIGTERM, SIGINT])
    func `serve prints its address, and stops cleanly on a signal`(_ signal: Int32) throws {
        let shop = try Workshop()
        let server = try shop.serve("--page", "7", "--horizon", "30d", "--client-timeout", "5s")
        #expect(server.url.hasPrefix("http://127.0.0.1:") && server.url.hasSuffix("/v1"))
        let run = try server.tool.stop(with: signal)
        #expect(run.status == 0)
        #expect(run.output == "listening on \(server.url)\n")
        #expect(!FileManager.default.fileExists(atPath: shop.path("server.db-wal")), "the file was closed")
    }

    @Test func `SIGHUP does not end serve, which reports that there is nothing to reload`() throws {
        let shop = try Workshop()
        let server = try shop.serve()
        try shop.device("a.db", server)
        server.tool.signal(SIGHUP)
        try shop.done("create", "--store", "a.db", "notes", "1", #"{"a":1}"#)
        try shop.done("sync", "--store", "a.db")
        let run = try server.tool.stop()
        #expect(run.status == 0)
        #expect(run.errors.contains("SIGHUP: there is nothing to reload"), "\(run.errors)")
    }

    @Test func `serve reads tokens from a file, which no list of processes shows`() throws {
        let shop = try Workshop()
        try shop.write("# phone\n\nt1\n  t2  \n", to: "tokens.txt")
        let server = try shop.serve("--tokens", "tokens.txt", "--token", "t3")
        for token in ["t1", "t2", "t3", "t4"] {
            try shop.device("\(token).db", server, "--token", token)
            try shop.done("create", "--store", "\(token).db", "notes", "1", #"{"a":1}"#)
            let run = try shop.run("sync", "--store", "\(token).db")
            #expect(run.status == (token == "t4" ? 5 : 0), "\(token): \(run.errors)")
        }
        #expect(try server.tool.stop().errors.contains("3 accounts"))
        for (text, reason) in [("# none\n", "the file has no token"), ("a b\n", "token 1 has a blank")] {
            try shop.write(text, to: "wrong.txt")
            let run = try shop.run("serve", "--store", "x.db", "--listen", "127.0.0.1:0", "--tokens", "wrong.txt")
            #expect(run.status == 1)
            #expect(run.errors.contains(reason), "\(run.errors)")
        }
    }

    @Test func `SIGHUP reloads the file of tokens, and a wrong file changes nothing`() throws {
        let shop = try Workshop()
        try shop.write("t1\n", to: "tokens.txt")
        let server = try shop.serve("--tokens", "tokens.txt")
        for token in ["t1", "t2"] {
            try shop.device("\(token).db", server, "--token", token)
            try shop.done("create", "--store", "\(token).db", "notes", "1", #"{"a":1}"#)
        }
        func statuses() throws -> [Int32] {
            try ["t1", "t2"].map { try shop.run("sync", "--store", "\($0).db", "notes").status }
        }
        #expect(try statuses() == [0, 5])
        for (text, words, expected) in [
            ("t1\nt2\n", "SIGHUP: 2 tokens", [0, 0] as [Int32]), ("", "the tokens are unchanged", [0, 0]),
            ("t2\n", "SIGHUP: 1 token,", [5, 0]),
        ] {
            try shop.write(text, to: "tokens.txt")
            server.tool.signal(SIGHUP)
            #expect(server.tool.line(ofErrors: true) { $0.contains(words) } != nil, "\(words)")
            #expect(try statuses() == expected)
        }
        #expect(try server.tool.stop().status == 0)
    }

    @Test func `serve keeps its rows for the next start`() throws {
        let shop = try Workshop()
        let server = try shop.serve()
        try shop.device("a.db", server)
        try shop.done("create", "--store", "a.db", "notes", "1", #"{"a":1}"#)
        try shop.done("sync", "--store", "a.db")
        _ = try server.tool.stop()
        try shop.device("b.db", try shop.serve())
        #expect(try shop.done("sync", "--store", "b.db", "notes") == "notes: sent 0, received 1; in sync\n")
    }

    @Test func `serve purges deletions beyond its horizon at the start (W7)`() throws {
        let shop = try Workshop()
        let server = try shop.serve()
        try shop.device("a.db", server)
        try shop.done("create", "--store", "a.db", "notes", "1", #"{"a":1}"#)
        try shop.done("sync", "--store", "a.db")
        try shop.done("delete", "--store", "a.db", "notes", "1")
        try shop.done("sync", "--store", "a.db")
        #expect(try !server.tool.stop().errors.contains("purged"))
        // The purge at the start ends before the server does.
        let again = try shop.serve("--horizon", "1ms")
        #expect(try again.tool.stop().errors.contains("purged 1 old deletion\n"))
    }

    @Test func `serve rejects a used port, a foreign address and a file that is not a store`() throws {
        let shop = try Workshop()
        let server = try shop.serve()
        let port = try shop.run("serve", "--store", "other.db", "--listen", server.address)
        #expect(port.status == 1)
        #expect(port.errors.contains("\(server.address) is in use by another program"), "\(port.errors)")
        let address = try shop.run("serve", "--store", "other.db", "--listen", "192.0.2.1:0")
        #expect(address.status == 1)
        #expect(address.errors.contains("is not an address of this machine"), "\(address.errors)")
        let second = try shop.run("serve", "--store", "server.db", "--listen", "127.0.0.1:0")
        #expect(second.status == 1)
        #expect(second.errors.contains("Another process or connection is using this file"), "\(second.errors)")
        try shop.write(String(repeating: "text\n", count: 200), to: "text.txt")
        let text = try shop.run("serve", "--store", "text.txt", "--listen", "127.0.0.1:0")
        #expect(text.status == 1)
        #expect(text.errors.contains("text.txt: file is not a database"), "\(text.errors)")
    }

    @Test(arguments: [("*", "127.0.0.1"), ("0.0.0.0", "127.0.0.1"), ("[::]", "[::1]")])
    func `serve prints a URL that works, also for all addresses`(_ listen: String, _ shown: String) throws {
        let shop = try Workshop()
        let server = try ToolServer(try shop.start(["serve", "--store", "server.db", "--listen", "\(listen):0"]))
        #expect(server.url.hasPrefix("http://\(shown):"))
        try shop.device("a.db", server)
        try shop.done("create", "--store", "a.db", "notes", "{}", "--pk", "1")
        try shop.done("sync", "--store", "a.db")
    }

    @Test func `The limits of connections are options`() throws {
        let shop = try Workshop()
        let server = try shop.serve("--connections-per-address", "1")
        try shop.device("a.db", server)
        let address = server.address.split(separator: ":").map(String.init)
        let port = try #require(UInt16(address[1]))
        // A POST whose body is missing is not idle, and has its whole head.
        let holder = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(holder) }
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_port = port.bigEndian
        place.sin_addr.s_addr = inet_addr("127.0.0.1")
        let isConnected = withUnsafePointer(to: &place) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(holder, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try #require(isConnected == 0)
        let head = Array("POST /v1/notes HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n".utf8)
        _ = send(holder, head, head.count, 0)
        var answer = [UInt8](repeating: 0, count: 12)
        try #require(recv(holder, &answer, answer.count, Int32(MSG_WAITALL)) == answer.count)
        let late = try shop.run("sync", "--store", "a.db", "notes")
        #expect(late.errors.contains("503") || late.errors.contains("limit of connections"), "\(late.errors)")
    }
}
