import Foundation
import Synchronization

/// A real PostgreSQL; the shared one is started once for all tests of a process, and gone with it.
package final class PostgresForTests: Sendable {
    /// Why there is none, as a reason to skip a test.
    package static let whyNot = "PostgreSQL is not installed here (apt-get install postgresql)"

    /// Whether it can be started here.
    package static let isInstalled: Bool = {
        let look = Process()
        look.executableURL = script
        look.arguments = ["--where"]
        look.standardOutput = FileHandle.nullDevice
        look.standardError = FileHandle.nullDevice
        guard (try? look.run()) != nil else { return false }
        look.waitUntilExit()
        return look.terminationStatus == 0
    }()

    /// The one of this process.
    package static let shared = Result { try PostgresForTests() }

    /// The folder that its socket is in.
    package let folder: String
    /// It ends when this is closed, which the end of the process does.
    private let life = Pipe()
    private let number = Atomic(0)

    private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appending(path: "../../scripts/postgres").standardizedFileURL

    /// - Parameter settings: Such as `fsync=on`; without any it is as fast as it can be, and safe from nothing.
    package init(settings: [String] = []) throws {
        let server = Process()
        let output = Pipe()
        server.executableURL = Self.script
        server.arguments = settings
        server.standardInput = self.life
        server.standardOutput = output
        try server.run()
        var line = Data()
        while !line.contains(0x0A) {
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else { throw PostgresTrouble("it did not start") }
            line += more
        }
        let address = String(decoding: line, as: UTF8.self).trimmingCharacters(in: .newlines)
        guard let mark = address.range(of: "host=") else { throw PostgresTrouble("it says “\(address)”") }
        self.folder = String(address[mark.upperBound...])
    }

    /// The address of a database of this server.
    package func address(of database: String, user: String = "tidemark") -> String {
        "postgresql://\(user)@/\(database)?host=\(self.folder)"
    }

    /// Makes a database of a test's own, perhaps as a copy of another.
    package func make(copying template: String? = nil) throws -> String {
        let name = "test_\(self.number.wrappingAdd(1, ordering: .relaxed).newValue)"
        try self.run("CREATE DATABASE \(name) TEMPLATE \(template ?? "template1")")
        return name
    }

    /// Drops a database, whoever uses it.
    package func drop(_ database: String) throws {
        try self.run("DROP DATABASE IF EXISTS \(database) WITH (FORCE)")
    }

    /// Runs SQL, and gives the first column of what it finds.
    @discardableResult
    package func run(_ sql: String, in database: String = "postgres") throws -> [String] {
        try PostgresClient(self.address(of: database)).run(sql)
    }
}

/// What went wrong with the database of the tests.
package struct PostgresTrouble: Error, CustomStringConvertible {
    package let description: String

    package init(_ what: String) {
        self.description = "the PostgreSQL of the tests: \(what)"
    }
}
