import TidemarkCore
import TidemarkJSON
import TidemarkRules
import TidemarkSQLite

/// An engine over SQLite in memory, with prepared answers of a server.
final class Device {
    private let engine: SyncEngine
    private let collection: String
    private let size: Int
    private var effects: [SyncEffect] = []
    private var answer: [UInt8]

    private init(_ engine: SyncEngine, _ collection: String, _ size: Int) throws {
        (self.engine, self.collection, self.size) = (engine, collection, size)
        self.answer = Day.page(size)
        self.effects = try engine.sync(collection, now: .zero)
    }

    private convenience init(_ size: Int, indexes: [RecordIndex] = []) throws {
        let engine = try SyncEngine(
            store: SQLiteStore.sqliteInMemory(),
            configuration: SyncConfiguration(rules: CollectionRules(indexes: indexes)), seed: 1)
        // All that is counted is done before in another collection, so that no count includes the preparation of a statement.
        try Device(engine, "before", 1).workADay()
        try self.init(engine, "tasks", size)
    }

    private func workADay() throws {
        try self.pull()
        while try self.engine.buildIndexes(of: self.collection) {}
        try self.readPages()
        try self.edit()
        for case .send(let request, let token) in try self.engine.sync(self.collection, now: .zero) {
            let answer = try Day.decode(Day.acceptance(of: request.uploads), request)
            _ = try self.engine.receive(answer, for: token, now: .zero)
        }
        try self.take([RecordInput(pk: "new", content: ["title": "Call"])])
    }

    /// A device without records, and the records of a file.
    static func beforeImport(_ size: Int) throws -> (device: Device, contents: [RecordInput]) {
        let contents = try Day.records(size).enumerated().map { RecordInput(pk: "task-\($0)", content: $1) }
        return (try Device(size), contents)
    }

    /// Makes records, all in one transaction.
    func take(_ contents: [RecordInput]) throws {
        _ = try self.engine.upsert(contents, in: self.collection)
    }

    /// A device that has sent the request for its first page.
    static func beforePull(_ size: Int) throws -> Device { try Device(size) }

    /// A device with all records in sync.
    static func afterPull(_ size: Int) throws -> Device {
        let device = try Device(size)
        try device.pull()
        return device
    }

    /// A device with all records in sync, and an index of them.
    static func withIndex(_ size: Int) throws -> Device {
        let device = try Device(size, indexes: [["/done", "/title"]])
        try device.pull()
        while try device.engine.buildIndexes(of: "tasks") {}
        return device
    }

    /// A device whose records are all edited, with the edits in flight and the answer prepared.
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

    /// Applies the answer to its request.
    func pull() throws {
        for case .send(let request, let token) in self.effects {
            _ = try self.engine.receive(try Day.decode(self.answer, request), for: token, now: .zero)
        }
    }

    /// Changes a field of each record, each in a separate transaction.
    func edit() throws {
        for number in 0..<self.size {
            _ = try self.engine.edit("task-\(number)", in: self.collection) { (record) throws(TidemarkError) in
                var record = record
                record["title"] = "Ask the school"
                return record
            }
        }
    }

    /// Reads all records in pages of a query, in the order of their index.
    func readPages() throws {
        let query = RecordQuery(
            where: JSONField<Bool>("/done") == false && JSONField<String>("/title") >= "Call",
            order: [.ascending("/title")])
        var (cursor, count): (RecordQuery.Cursor?, Int) = (nil, 0)
        repeat {
            let (checked, plan) = try self.engine.plan(query, in: self.collection)
            let cursors = checked.cursors
            var scan = QueryScan(checked, plan, after: try cursor.map(cursors.position), limit: 50)
            while !scan.isOver { try self.engine.step(&scan, in: self.collection) }
            count += scan.page.count
            cursor = scan.next.map(cursors.cursor)
        } while cursor != nil
        precondition(count == self.size)
    }

    /// Sends the edits, and applies the answer that accepts them.
    func push() throws {
        self.effects = try self.engine.sync(self.collection, now: .zero)
        try self.pull()
    }
}
