import Foundation
import TidemarkCore
import TidemarkDatabase

/// `tidemark-proof copies`: copies a database beside a process that writes to it and is killed at random, and checks each copy.
///
/// The writer begins its log again all the time, so that many copies are not whole at the first try. Each of its transactions
/// writes the next number into a few random rows of many, and into one more row: in a copy that mixes two states, some row has
/// a later number than that one, the sum differs, or a page is not part of the tree.
enum CopiesCommand {
    static func run(_ words: some Sequence<String>) throws -> Bool {
        let input = try ProofWords(words, options: ["--copies", "--seed", "--write"], flags: [])
        let seed = UInt64(try input.number("--seed") ?? Int.random(in: 1...1_000_000))
        if let path = input.value("--write") { try Self.write(to: path, seed: seed) }
        return try Self.check(copies: try input.number("--copies") ?? 1_000, seed: seed)
    }

    private static func check(copies: Int, seed: UInt64) throws -> Bool {
        let folder = FileManager.default.temporaryDirectory.appending(path: "copies-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "a.db").path
        var random = SeededGenerator(seed: seed)
        var (kills, newest) = (0, Int64(0))
        var writer = try Self.start(path, &random)
        defer { Self.kill(writer) }
        for number in 1...copies {
            if Int.random(in: 0..<20, using: &random) == 0 {
                Self.kill(writer)
                kills += 1
                if Bool.random(using: &random) { writer = try Self.start(path, &random) }
            } else if !writer.isRunning {
                writer = try Self.start(path, &random)
            }
            let copy = try DatabaseFileCopy.make(of: path)
            defer { copy.remove() }
            let state = State(of: copy.path)
            guard state.fault == nil, state.number >= newest else {
                say("copy \(number) of seed \(seed): \(state.fault ?? "\(state.number) after \(newest)")")
                return false
            }
            newest = state.number
        }
        print("\(copies) copies, \(newest) transactions, \(kills) kills: every copy is whole")
        return true
    }

    /// Starts a writer, and waits until it has committed: until then there is no database that could be copied.
    private static func start(_ path: String, _ random: inout SeededGenerator) throws -> Process {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
        process.arguments = ["copies", "--write", path, "--seed", "\(Int.random(in: 1...1_000_000, using: &random))"]
        process.standardOutput = output
        try process.run()
        _ = output.fileHandleForReading.readData(ofLength: 1)
        return process
    }

    private static func kill(_ process: Process) {
        guard process.isRunning else { return }
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}

extension CopiesCommand {
    private static let rows: Int64 = 1_500

    /// Writes until the process is killed.
    private static func write(to path: String, seed: UInt64) throws -> Never {
        let database = try DatabaseConnection(.file(path), sharing: .none)
        // Without syncs, and with a log that begins again every few milliseconds, a copy takes about as long as the log lasts. A killed
        // process loses nothing by it: what it has written is in the system.
        try database.execute("PRAGMA synchronous = OFF; PRAGMA wal_autocheckpoint = 1000")
        try database.execute(
            """
            CREATE TABLE IF NOT EXISTS row (id INTEGER PRIMARY KEY, number INTEGER, text TEXT);
            CREATE TABLE IF NOT EXISTS total (number INTEGER, sum INTEGER);
            INSERT INTO total SELECT 0, 0 WHERE NOT EXISTS (SELECT * FROM total)
            """)
        var random = SeededGenerator(seed: seed)
        var number = try database.integer("SELECT number FROM total")
        var sum = try database.integer("SELECT sum FROM total")
        FileHandle.standardOutput.write(Data("\n".utf8))
        while true {
            number += 1
            try database.transaction { () throws(DatabaseError) in
                for _ in 0..<Int.random(in: 1...8, using: &random) {
                    let id = Int64.random(in: 0..<Self.rows, using: &random)
                    let before = try database.statement("SELECT number FROM row WHERE id = ?1", binding: id)
                    sum += number - (try before.step() ? try before.int64(0) : 0)
                    try database.statement(
                        "INSERT OR REPLACE INTO row VALUES (?1, ?2, zeroblob(?3))",
                        binding: id, number, Int64.random(in: 0...2_000, using: &random)
                    ).run()
                }
                try database.statement("UPDATE total SET number = ?1, sum = ?2", binding: number, sum).run()
            }
        }
    }

    /// What a copy has.
    private struct State {
        /// The number of the last transaction.
        private(set) var number: Int64 = 0

        /// What is wrong in it.
        private(set) var fault: String?

        init(of path: String) {
            do throws(DatabaseError) {
                let database = try DatabaseConnection(.file(path))
                self.number = try database.integer("SELECT number FROM total")
                let damage = try database.integer(
                    "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok'")
                let sum = try database.integer("SELECT coalesce(sum(number), 0) FROM row")
                let expected = try database.integer("SELECT sum FROM total")
                let latest = try database.integer("SELECT coalesce(max(number), 0) FROM row")
                let faults = [
                    damage > 0 ? "SQLite finds damage" : nil,
                    sum != expected ? "the sum is \(sum), not \(expected)" : nil,
                    latest > self.number ? "row \(latest) is newer than \(self.number)" : nil,
                ]
                self.fault = faults.compactMap { $0 }.first
            } catch {
                self.fault = error.message
            }
        }
    }
}
