import Foundation
import PostgresForTests
import Testing

@Suite(.enabled(if: PostgresForTests.isInstalled, "\(PostgresForTests.whyNot)"))
struct `Serve on PostgreSQL` {
    @Test func `Two servers share one database, and the devices of both agree`() throws {
        let server = try PostgresForTests.shared.get()
        let database = try server.make()
        defer { try? server.drop(database) }
        let shop = try Workshop()
        let address = server.address(of: database)
        for name in ["a", "b"] {
            let served = try shop.serve(store: address)
            try shop.device("\(name).db", served)
            try shop.done("create", "--store", "\(name).db", "notes", name, #"{"a":1}"#)
            try shop.done("sync", "--store", "\(name).db", "notes")
        }
        #expect(try shop.done("sync", "--store", "a.db", "notes") == "notes: sent 0, received 1; in sync\n")
        #expect(try shop.done("list", "--store", "b.db", "notes").contains("a"))
    }

    @Test func `A server on PostgreSQL keeps all rules that conform checks`() throws {
        let server = try PostgresForTests.shared.get()
        let database = try server.make()
        defer { try? server.drop(database) }
        let shop = try Workshop()
        let served = try shop.serve(store: server.address(of: database))
        let run = try shop.run("conform", served.url)
        #expect(run.status == 0, "\(run.output)")
        let stopped = try served.tool.stop()
        #expect(stopped.status == 0)
        #expect(!stopped.errors.contains("the storage failed"), "\(stopped.errors)")
    }

    @Test func `Accounts and tokens are added while servers run, and work on all of them`() throws {
        let server = try PostgresForTests.shared.get()
        let database = try server.make()
        defer { try? server.drop(database) }
        let shop = try Workshop()
        let address = server.address(of: database)
        let none = try shop.run("account", "list", "--store", address)
        #expect(none.status == 1 && none.errors.contains("tidemark serve makes them"), "\(none.errors)")
        try shop.done("account", "add", "--store", address, "ada")
        let token = try shop.done("token", "add", "--store", address, "--account", "ada").split(separator: "\n")[0]
        let served = [try shop.serve(store: address), try shop.serve(store: address)]
        for (index, server) in served.enumerated() {
            try shop.device("\(index).db", server, "--token", String(token))
            try shop.done("create", "--store", "\(index).db", "notes", "\(index)", #"{"a":1}"#)
            try shop.done("sync", "--store", "\(index).db", "notes")
        }
        #expect(try shop.done("account", "list", "--store", address).contains("2 records"))
        try shop.device("other.db", served[0], "--token", "made-up")
        #expect(try shop.run("sync", "--store", "other.db", "notes").status == 5)
        let twice = try shop.run("account", "add", "--store", address, "ada")
        #expect(twice.status == 1)
        #expect(twice.errors.contains("there is an account “ada” already"), "\(twice.errors)")
        #expect(try shop.run("backup", "--store", address, "copy.db").errors.contains("tools of its database"))
    }

    @Test func `A database error is one sentence without a password`() throws {
        let folder = try PostgresForTests.shared.get().folder
        let shop = try Workshop()
        for (address, words) in [
            ("postgresql://u:secret@db:port/x", "can't be read"),
            ("postgresql://locked:secret@/postgres?host=\(folder)", "Put the right password into PGPASSWORD"),
            ("postgresql://u:secret@/nowhere?host=\(folder)", "createuser"),
            ("postgresql://tidemark:secret@/nowhere?host=\(folder)", "createdb"),
            ("postgresql://u:secret@no-such-host.invalid/x", "is reachable from here"),
        ] {
            let run = try shop.run("serve", "--store", address, "--listen", "127.0.0.1:0")
            #expect(run.status == 1)
            #expect(run.errors.contains(words), "\(run.errors)")
            #expect(!run.errors.contains("secret"), "\(run.errors)")
        }
    }

    @Test func `A password in an argument works, is not printed, and causes a warning`() throws {
        let server = try PostgresForTests.shared.get()
        let database = try server.make()
        try server.run("ALTER DATABASE \(database) OWNER TO locked")
        defer { try? server.drop(database) }
        let shop = try Workshop()
        let address = "postgresql://locked:sesame@/\(database)?host=\(server.folder)"
        let served = try shop.serve(store: address)
        let run = try served.tool.stop()
        #expect(run.errors.contains("passfile") && !run.errors.contains("sesame"), "\(run.errors)")
    }
}
