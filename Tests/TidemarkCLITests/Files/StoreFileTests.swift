import Foundation
import Testing
import Tidemark

@testable import TidemarkCLI

@Suite struct `Store files` {
    @Test func `A text file is rejected as a store, and stays unchanged`() throws {
        let shop = try Workshop()
        let text = String(repeating: "Dear diary, this is no database.\n", count: 40)
        try shop.write(text, to: "diary.txt")
        for command in [["list", "notes"], ["sync", "notes"], ["create", "notes", "1", "{}"]] {
            let run = try shop.run([command[0], "--store", "diary.txt"] + command.dropFirst())
            #expect(run.status == 1)
            #expect(run.errors.contains("diary.txt: file is not a database"), "\(run.errors)")
        }
        #expect(try String(contentsOfFile: shop.path("diary.txt"), encoding: .utf8) == text)
    }

    @Test func `A folder, and a path in a missing folder, are rejected as a store`() throws {
        let shop = try Workshop()
        let folder = try shop.run("list", "--store", ".", "notes")
        #expect(folder.status == 1)
        #expect(folder.errors.contains(". is a folder. Name a file in it"))
        let nowhere = try shop.run("create", "--store", "no/such/a.db", "notes", "1", "{}")
        #expect(nowhere.status == 1)
        #expect(nowhere.errors.contains("Check that the folder exists"))
    }

    @Test func `A command that only reads creates no store`() throws {
        let shop = try Workshop()
        for command in [
            ["list", "notes"], ["status"], ["get", "notes", "1"], ["edit", "notes", "1", "/a", "1"], ["sync"],
        ] {
            let run = try shop.run([command[0], "--store", "a.db"] + command.dropFirst())
            #expect(run.status == 1)
            #expect(run.errors.contains("There is no store at a.db"), "\(run.errors)")
            #expect(run.errors.contains("tidemark init --store a.db --remote URL"))
        }
        #expect(!FileManager.default.fileExists(atPath: shop.path("a.db")))
    }

    @Test func `A store of a newer version is rejected, and stays unchanged`() throws {
        let shop = try Workshop()
        try shop.done("create", "--store", "a.db", "notes", "1", "{}")
        // Bytes 60 to 63 of a SQLite file are its user_version.
        var bytes = try Data(contentsOf: URL(fileURLWithPath: shop.path("a.db")))
        bytes.replaceSubrange(60..<64, with: [0, 0, 0, 99])
        try bytes.write(to: URL(fileURLWithPath: shop.path("a.db")))
        let run = try shop.run("list", "--store", "a.db", "notes")
        #expect(run.status == 1)
        #expect(run.errors.contains("a.db: the file has version 99"), "\(run.errors)")
        #expect(try Data(contentsOf: URL(fileURLWithPath: shop.path("a.db"))) == bytes)
    }

    @Test(arguments: ["TMst", "tmSV"], [1, 12, 13] as [UInt8])
    func `A file from before the first release is rejected, and unchanged`(mark: String, version: UInt8) throws {
        let shop = try Workshop()
        try shop.done("create", "--store", "a.db", "notes", "1", "{}")
        // Bytes 60 to 63 of a SQLite file are its user_version, and 68 to 71 its application_id.
        var bytes = try Data(contentsOf: URL(fileURLWithPath: shop.path("a.db")))
        bytes.replaceSubrange(60..<64, with: [0, 0, 0, version])
        bytes.replaceSubrange(68..<72, with: mark.utf8)
        try bytes.write(to: URL(fileURLWithPath: shop.path("a.db")))
        for command in [
            ["list", "notes"], ["sync", "notes"], ["serve", "--listen", "127.0.0.1:0"], ["account", "list"],
        ] {
            let run = try shop.run(command + ["--store", "a.db"])
            #expect(run.status == 1, "\(command)")
            #expect(
                run.errors.contains("a.db: this file was made before the first release of Tidemark"), "\(run.errors)")
            #expect(run.errors.contains("Erase it, or name a new file."), "\(run.errors)")
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: shop.path("a.db"))) == bytes)
    }

    @Test func `A client command rejects the store of a server, by its kind`() throws {
        let shop = try Workshop()
        _ = try shop.serve(store: "server.db").tool.stop()
        let before = try Data(contentsOf: URL(fileURLWithPath: shop.path("server.db")))
        for words in [["list", "notes"], ["init", "--remote", "http://127.0.0.1:1/v1"]] {
            let run = try shop.run([words[0], "--store", "server.db"] + words.dropFirst())
            #expect(run.status == 1)
            #expect(run.errors.contains("server.db: this is the file of a Tidemark server"), "\(run.errors)")
            #expect(run.errors.contains("a client reaches the server by its URL"), "\(run.errors)")
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: shop.path("server.db"))) == before)
    }

    @Test func `serve rejects the store of a client, by its kind`() throws {
        let shop = try Workshop()
        try shop.done("create", "--store", "a.db", "notes", "1", "{}")
        let run = try shop.run("serve", "--store", "a.db", "--listen", "127.0.0.1:0")
        #expect(run.status == 1)
        #expect(run.errors.contains("a.db: this is the store of a Tidemark client"), "\(run.errors)")
        #expect(run.errors.contains("Name the server's own file, or a new one"), "\(run.errors)")
        #expect(try shop.done("get", "--store", "a.db", "notes", "1") == "{}\n")
    }

    /// Runs init with a limit for files of `blocks` blocks of 1,024 bytes, as on a disk that is nearly full.
    private func initOnFullDisk(_ shop: Workshop, blocks: Int) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        // The signal for the limit would end the program; a full disk sends none.
        process.arguments = [
            "-c", "trap '' XFSZ; ulimit -f \(blocks); exec \"$0\" init --store a.db --remote http://127.0.0.1:1/v1",
            try Workshop.tool().path,
        ]
        process.currentDirectoryURL = shop.folder
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }

    @Test(arguments: [0, 1, 4, 16, 40])
    func `A store that init could not complete is deleted; the next init creates it`(blocks: Int) throws {
        let shop = try Workshop()
        #expect(try self.initOnFullDisk(shop, blocks: blocks) == 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: shop.folder.path) == [])
        try shop.done("init", "--store", "a.db", "--remote", "http://127.0.0.1:1/v1")
        #expect(try shop.run("status", "--store", "a.db").status == 0)
    }

    @Test func `A failed init keeps a file that existed before`() throws {
        let shop = try Workshop()
        try shop.write("", to: "a.db")
        #expect(try self.initOnFullDisk(shop, blocks: 1) == 1)
        #expect(FileManager.default.fileExists(atPath: shop.path("a.db")))
    }

    @Test func `An empty file is not a store until init makes it one`() throws {
        let shop = try Workshop()
        try shop.write("", to: "a.db")
        for words in [["list", "notes"], ["status"]] {
            let run = try shop.run([words[0], "--store", "a.db"] + words.dropFirst())
            #expect(run.status == 1)
            #expect(run.errors.contains("The file a.db is empty, and not a store."), "\(run.errors)")
            #expect(run.errors.contains("tidemark init --store a.db --remote URL"), "\(run.errors)")
        }
        #expect(try shop.run("init", "--store", "a.db").status == 64)
        #expect(try Data(contentsOf: URL(fileURLWithPath: shop.path("a.db"))).isEmpty)
        try shop.done("init", "--store", "a.db", "--remote", "http://127.0.0.1:1/v1")
        #expect(try shop.done("status", "--store", "a.db") == "syncs with http://127.0.0.1:1/v1\n")
    }

    @Test(arguments: ["create", "serve"])
    func `Only the owner can read a store, which has a token`(_ command: String) throws {
        let shop = try Workshop()
        if command == "create" {
            try shop.done("create", "--store", "a.db", "notes", "1", "{}")
        } else {
            _ = try shop.serve(store: "a.db").tool.stop()
        }
        let mode = try FileManager.default.attributesOfItem(atPath: shop.path("a.db"))[.posixPermissions] as? NSNumber
        #expect(mode?.intValue == 0o600)
    }

    @Test(arguments: ["list", "serve"])
    func `A pipe or a device is rejected as a store`(_ command: String) throws {
        let shop = try Workshop()
        try #require(mkfifo(shop.path("pipe"), 0o600) == 0)
        for path in ["pipe", "/dev/null", "/dev/full"] {
            let words = command == "list" ? ["list", "--store", path, "notes"] : ["serve", "--store", path]
            let run = try shop.run(words)
            #expect(run.status == 1)
            #expect(run.errors.contains("\(path) is a pipe, a device or a socket. A store is a file"), "\(run.errors)")
        }
    }

    @Test func `A store that is not writable is rejected with advice`() {
        var file = StoreFile("a.db", .file)
        #expect(file.complaint == nil)
        file.isFolderOpenToUs = false
        #expect(file.complaint?.hasPrefix("You may not create files in the folder of a.db") == true)
        file.isOpenToUs = false
        #expect(file.complaint?.hasPrefix("You may not read and write a.db.") == true)
        #expect(StoreFile("/").kind == .folder)
        #expect(StoreFile("/no/such/file").complaint == nil)
    }
}
