import Foundation
import Testing

/// A server whose file was restored from a backup: the messages of the tool, and the commands that help.
@Suite struct `A server that was rolled back` {
    let shop: Workshop
    private let address: String

    /// Phone and laptop have record 1 as it was in the backup, a later value of it, and record 2.
    init() throws {
        self.shop = try Workshop()
        let server = try self.shop.serve()
        self.address = server.address
        try self.shop.device("phone.db", server)
        try self.shop.device("laptop.db", server)
        try self.shop.done("create", "--store", "laptop.db", "notes", "1", #"{"title":"Milk"}"#)
        try self.shop.done("sync", "--store", "laptop.db")
        try self.shop.done("sync", "--store", "phone.db", "notes")
        _ = try server.tool.stop()
        try Self.copy("server.db", to: "backup.db", in: self.shop)
        let lost = try self.serve()
        try self.shop.done("create", "--store", "laptop.db", "notes", "2", #"{"title":"Bread"}"#)
        try self.shop.done("edit", "--store", "laptop.db", "notes", "1", "/title", #""Oat milk""#)
        try self.shop.done("sync", "--store", "laptop.db")
        try self.shop.done("sync", "--store", "phone.db")
        _ = try lost.tool.stop()
        try Self.copy("backup.db", to: "server.db", in: self.shop)
    }

    private func serve() throws -> ToolServer {
        try ToolServer(try self.shop.start(["serve", "--store", "server.db", "--listen", self.address]))
    }

    private static func copy(_ name: String, to other: String, in shop: Workshop) throws {
        for suffix in ["", "-wal", "-shm"] {
            let file = shop.path(other + suffix)
            if FileManager.default.fileExists(atPath: file) { try FileManager.default.removeItem(atPath: file) }
        }
        try FileManager.default.copyItem(atPath: shop.path(name), toPath: shop.path(other))
    }

    @Test func `A rollback is reported with a command, which sends the lost values again`() throws {
        let server = try self.serve()
        let run = try self.shop.run("sync", "--store", "phone.db")
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.contains("lost by the server 2; in sync"), "\(run.output)")
        #expect(run.errors.contains("was rolled back to an earlier state, as after a restored backup"), "\(run.errors)")
        #expect(run.errors.contains("It lost 2 values that it had confirmed; the journal has them"), "\(run.errors)")
        #expect(
            run.errors.contains("Records that other devices deleted after the backup can reappear"), "\(run.errors)")
        #expect(
            run.errors.contains("tidemark restore --store phone.db --all server-rolled-back notes"), "\(run.errors)")
        let status = try self.shop.done("status", "--store", "phone.db")
        #expect(status.contains("tidemark restore --store phone.db --all server-rolled-back notes"), "\(status)")
        #expect(try self.shop.done("status", "--store", "phone.db", "--json").contains(#""lost_by_server":2"#))
        let journal = try self.shop.run("journal", "--store", "phone.db", "--json").lines
        #expect(
            journal == [
                #"{"entry":1,"collection":"notes","pk":"1","reason":"server-rolled-back","lost":"client","path":"/title","value":"Oat milk"}"#,
                #"{"entry":2,"collection":"notes","pk":"2","reason":"server-rolled-back","lost":"client","path":"","value":{"title":"Bread"}}"#,
            ])

        let restored = try self.shop.run("restore", "--store", "phone.db", "--all", "server-rolled-back")
        #expect(restored.status == 0)
        #expect(restored.errors.contains("notes: 2 values restored"), "\(restored.errors)")
        for store in ["phone.db", "laptop.db"] { try self.shop.done("sync", "--store", store) }
        for store in ["phone.db", "laptop.db"] {
            #expect(
                try self.shop.run("list", "--store", store, "notes").lines == [
                    "1\tSYNCD\t{\"title\":\"Oat milk\"}", "2\tSYNCD\t{\"title\":\"Bread\"}",
                ])
        }
        #expect(!(try self.shop.done("status", "--store", "phone.db").contains("restore")))
        let again = try self.shop.run("restore", "--store", "phone.db", "--all", "server-rolled-back", "notes")
        #expect(again.status == 0)
        #expect(again.errors.contains("is left to restore"), "\(again.errors)")
        _ = try server.tool.stop()
    }

    @Test func `restore keeps values written after the rollback, and reports the skipped ones`() throws {
        let server = try self.serve()
        try self.shop.done("edit", "--store", "laptop.db", "notes", "1", "/title", #""Soy milk""#)
        for store in ["laptop.db", "phone.db"] { try self.shop.done("sync", "--store", store) }
        let restored = try self.shop.run("restore", "--store", "phone.db", "--all", "server-rolled-back", "--json")
        #expect(restored.status == 0, "\(restored.errors)")
        #expect(
            restored.lines == [
                #"{"collection":"notes","restored":[2],"left":[{"entry":1,"pk":"1","reason":"changedSince","why":"/title was changed after the server was rolled back."}]}"#
            ])
        #expect(restored.errors.contains("notes: 1 value not restored"), "\(restored.errors)")
        try self.shop.done("sync", "--store", "phone.db")
        #expect(try self.shop.run("list", "--store", "phone.db", "notes").output.contains("Soy milk"))
        _ = try server.tool.stop()
    }

    @Test func `The JSON of a sync has the number of lost values`() throws {
        let server = try self.serve()
        let run = try self.shop.run("sync", "--store", "phone.db", "--json")
        #expect(run.output.contains(#""lost_by_server":2"#), "\(run.output)")
        let later = try self.shop.run("sync", "--store", "phone.db", "--json")
        #expect(!later.output.contains("lost_by_server"), "\(later.output)")
        _ = try server.tool.stop()
    }
}
