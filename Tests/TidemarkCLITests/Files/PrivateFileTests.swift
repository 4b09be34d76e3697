import Foundation
import Testing

@Suite(.timeLimit(.minutes(10))) struct `Files with secrets` {
    private let shop: Workshop

    init() throws { self.shop = try Workshop() }

    private func mode(_ name: String) throws -> Int {
        try #require(
            try FileManager.default.attributesOfItem(atPath: self.shop.path(name))[.posixPermissions] as? Int)
    }

    private func write(_ text: String, to name: String, mode: Int) throws {
        try self.shop.write(text, to: name)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: self.shop.path(name))
    }

    @Test(arguments: [0o644, 0o666, 0o660, 0o604])
    func `An empty file that becomes a store is readable for its owner alone`(_ mode: Int) throws {
        for store in ["a.db", "server.db", "book.db"] { try self.write("", to: store, mode: mode) }
        try self.shop.done("init", "--store", "a.db", "--remote", "http://127.0.0.1:1/v1", "--token", "SECRET")
        #expect(try self.mode("a.db") == 0o600)
        _ = try self.shop.serve().tool.stop()
        #expect(try self.mode("server.db") == 0o600)
        try self.shop.done("account", "add", "--store", "book.db", "ada")
        #expect(try self.mode("book.db") == 0o600)
    }

    @Test func `A store that others may read is made private before a token is written to it`() throws {
        try self.shop.done("init", "--store", "a.db", "--remote", "http://127.0.0.1:1/v1")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: self.shop.path("a.db"))
        try self.shop.done("init", "--store", "a.db", "--token", "SECRET")
        #expect(try self.mode("a.db") == 0o600)
    }

    @Test func `Files of tokens are made private`() throws {
        for name in ["token", "tokens"] { try self.write("SECRET\n", to: name, mode: 0o644) }
        try self.shop.done(
            "init", "--store", "a.db", "--remote", "http://127.0.0.1:1/v1", "--token-file", "token")
        _ = try self.shop.serve("--tokens", "tokens").tool.stop()
        for name in ["token", "tokens"] { #expect(try self.mode(name) == 0o600, "\(name)") }
    }

    @Test func `Nothing is made through a symbolic link to a missing file`() throws {
        for name in ["a.db", "server.db"] {
            try FileManager.default.createSymbolicLink(
                atPath: self.shop.path(name), withDestinationPath: self.shop.path("victim"))
        }
        for words in [
            ["init", "--store", "a.db", "--remote", "http://127.0.0.1:1/v1"],
            ["create", "--store", "a.db", "n", "1", "{}"],
            ["serve", "--store", "server.db", "--listen", "127.0.0.1:0"],
            ["account", "add", "--store", "server.db", "ada"],
        ] {
            let run = try self.shop.run(words)
            #expect(run.status == 1, "\(words)")
            #expect(!FileManager.default.fileExists(atPath: self.shop.path("victim")), "\(words)")
        }
    }
}
