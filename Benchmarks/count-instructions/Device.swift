import TidemarkCore
import TidemarkJSON
import TidemarkRules
import TidemarkSQLite

/// An engine over SQLite in memory, and a server's answers in its hand.
final class Device {
    private let engine: SyncEngine
    private let size: Int
    private var effects: [SyncEffect] = []
    private var answer: [UInt8]

    private init(_ size: Int) throws {
        self.engine = try SyncEngine(store: SQLiteStore.sqliteInMemory(), configuration: SyncConfiguration(), seed: 1)
        self.size = size
        self.answer = Day.page(size)
        self.effects = try self.engine.sync("tasks", now: .zero)
    }

    /// It has no records, and those of a file in its hand.
    static func beforeImport(_ size: Int) throws -> (device: Device, contents: [NamedContent]) {
        let contents = try Day.records(size).enumerated().map { NamedContent(pk: "task-\($0)", content: $1) }
        return (try Device(size), contents)
    }

    /// Makes records, all in one transaction.
    func take(_ contents: [NamedContent]) throws {
        _ = try self.engine.upsert(contents, in: "tasks")
    }

    /// It has asked for its first page.
    static func beforePull(_ size: Int) throws -> Device { try Device(size) }

    /// All records are in step.
    static func afterPull(_ size: Int) throws -> Device {
        let device = try Device(size)
        try device.pull()
        return device
    }

    /// Every record was edited, the edits are on their way, and the answer is made.
    static func afterEdits(_ size: Int) throws -> Device {
        let device = try self.afterPull(size)
        try device.edit()
        let rehearsal = try Device.afterPull(size)
        try rehearsal.edit()
        for case .send(let request, _) in try rehearsal.engine.sync("tasks", now: .zero) {
            device.answer = try Day.acceptance(of: request.uploads)
        }
        return device
    }

    /// Takes in the answer to what it has asked.
    func pull() throws {
        for case .send(let request, let token) in self.effects {
            _ = try self.engine.receive(try Day.decode(self.answer, request), for: token, now: .zero)
        }
    }

    /// Changes a field of each record, each in a transaction of its own.
    func edit() throws {
        for number in 0..<self.size {
            _ = try self.engine.edit("task-\(number)", in: "tasks") { (record) throws(TidemarkError) in
                var record = record
                record["title"] = "Ask the school"
                return record
            }
        }
    }

    /// Sends what was edited, and takes in that it was accepted.
    func push() throws {
        self.effects = try self.engine.sync("tasks", now: .zero)
        try self.pull()
    }
}
