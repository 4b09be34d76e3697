import Foundation
import Synchronization

/// A real PostgreSQL; the shared one is started once for all tests of a process, and stopped with it.
package final class PostgresForTests: Sendable {
    /// The reason to skip a test without PostgreSQL.
    package static let whyNot = "PostgreSQL is not installed here (apt-get install postgresql)"

    /// Whether PostgreSQL can be started here.
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

    /// The server of this process.
    package static let shared = Result { try PostgresForTests() }

    /// The folder of its socket.
    package let folder: String
    /// The server ends when this is closed, at the latest at the end of the process.
    private let life = Pipe()
    private let number = Atomic(0)

    private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appending(path: "../../scripts/postgres").standardizedFileURL

    /// - Parameter settings: Such as `fsync=on`; without settings it is as fast as possible, and not durable.
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
        guard let mark = address.range(of: "host=") else { throw PostgresTrouble("its output is “\(address)”") }
        self.folder = String(address[mark.upperBound...])
    }

    /// The address of a database of this server.
    package func address(of database: String, user: String = "tidemark") -> String {
        "postgresql://\(user)@/\(database)?host=\(self.folder)"
    }

    /// Makes a separate database for a test, perhaps as a copy of another.
    package func make(copying template: String? = nil) throws -> String {
        let name = "test_\(self.number.wrappingAdd(1, ordering: .relaxed).newValue)"
        try self.run("CREATE DATABASE \(name) TEMPLATE \(template ?? "template1")")
        return name
    }

    /// Drops a database, even if it is in use.
    package func drop(_ database: String) throws {
        try self.run("DROP DATABASE IF EXISTS \(database) WITH (FORCE)")
    }

    /// Runs SQL, and returns the first column of the result.
    @discardableResult
    package func run(_ sql: String, in database: String = "postgres") throws -> [String] {
        try PostgresClient(self.address(of: database)).run(sql)
    }
}

/// A failure of the tests' database.
package struct PostgresTrouble: Error, CustomStringConvertible {
    package let description: String

    /// The SQLSTATE; empty if the database did not answer.
    package let state: String

    /// The database's message, such as `ERROR:  …`, with its further lines.
    package let message: String

    package init(_ what: String, state: String = "", message: String = "") {
        self.description = "the PostgreSQL of the tests: \(what)"
        self.state = state
        self.message = message
    }
}
