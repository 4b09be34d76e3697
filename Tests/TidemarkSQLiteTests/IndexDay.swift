import TestSupport
import TidemarkCore
import TidemarkDatabase
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkSQLite
import TidemarkTesting

/// Random writes to a store with indexes, by seed.
struct IndexDay {
    private static let pool: [RecordIndex] = [["/n"], ["/tags/*"], ["/done", "/n"], ["/tags/*/x", "/n"], ["/text"]]

    private let folder: TemporaryFolder
    private var random: SeededGenerator
    private(set) var store: SQLiteStore
    private(set) var indexes: [RecordIndex] = []
    private(set) var builtSlices = 0
    private var version = 0
    private let projections: [any Projection]?

    init(_ folder: TemporaryFolder, seed: UInt64, projections: [any Projection]? = nil) throws {
        self.folder = folder
        self.random = SeededGenerator(seed: seed)
        self.projections = projections
        self.store = try folder.store(projections: projections)
        try self.declare()
    }

    enum Action: String, CaseIterable {
        case page, otherPage, save, erase, rollback, build, declare, reopen, eraseCollection, eraseAll
    }

    /// Does something.
    mutating func act() throws -> Action {
        let frequent: [Action] = [.page, .page, .save, .save, .save, .erase, .build, .otherPage, .rollback]
        let rare: [Action] = [.declare, .reopen, .reopen, .eraseCollection, .eraseAll]
        let action = Int.random(in: 0..<10, using: &self.random) == 0 ? self.pick(rare) : self.pick(frequent)
        switch action {
        case .page: try self.page(in: "c")
        case .otherPage: try self.page(in: "other")
        case .save: try self.save()
        case .erase:
            let pk = self.pk()
            try self.store.commit { (store) throws(TidemarkError) in try store.erase(pk, in: "c") }
        case .rollback: try self.rollBack()
        case .build: try self.build()
        case .declare: try self.declare()
        case .reopen: try self.reopen()
        case .eraseCollection:
            try self.store.commit { (store) throws(TidemarkError) in try store.erase(collection: "c") }
        case .eraseAll: try self.store.commit { (store) throws(TidemarkError) in try store.eraseAll() }
        }
        return action
    }

    mutating func reopen() throws {
        self.store.close()
        self.store = try self.folder.store(projections: self.projections)
        try self.declare(self.indexes)
    }

    /// Another program without the projections writes to the file, and closes it.
    ///
    /// - Parameter members: Those with which it makes the keys of entries: with others than the owner it can't write any.
    mutating func letGuestWrite(_ count: Int, members: RecordMembers) throws {
        self.store.close()
        self.store = try self.folder.store()
        let stored = try self.store.storedIndexes(in: "c")
        let rules = RecordIndexes(try IndexKeys(stored, of: "c"), members: members)
        try self.store.commit { (store) throws(TidemarkError) in
            try store.declare(rules, in: "c", asGuest: true)
        }
        for _ in 0..<count {
            switch self.pick([Action.page, .otherPage, .save, .save, .erase, .erase, .rollback]) {
            case .page: try self.page(in: "c")
            case .otherPage: try self.page(in: "other")
            case .erase:
                let pk = self.pk()
                try self.store.commit { (store) throws(TidemarkError) in try store.erase(pk, in: "c") }
            case .rollback:
                let record = self.record()
                try? self.store.commit { (store) throws(TidemarkError) in
                    try store.save(record, in: "c")
                    throw TidemarkError(.cancelled, "stopped by the test")
                }
            case .save, .build, .declare, .reopen, .eraseCollection, .eraseAll: try self.save()
            }
        }
    }

    /// Declares some indexes.
    mutating func declare() throws {
        self.indexes = Self.pool.shuffled(using: &self.random).dropLast(Int.random(in: 1...4, using: &self.random))
        try self.declare(self.indexes)
    }

    private func declare(_ indexes: [RecordIndex]) throws {
        let rules = RecordIndexes(try IndexKeys(indexes, of: "c"), members: RecordMembers())
        try self.store.commit { (store) throws(TidemarkError) in try store.declare(rules, in: "c") }
    }

    mutating func buildAll() throws {
        while try self.store.isIncomplete("c") { try self.build() }
    }

    private mutating func build() throws {
        self.builtSlices += 1
        let limit = Int.random(in: 1...7, using: &self.random)
        try self.store.commit { (store) throws(TidemarkError) in _ = try store.buildIndexes(in: "c", limit: limit) }
    }

    private mutating func page(in collection: String) throws {
        let page = self.someItems()
        try self.store.commit { (store) throws(TidemarkError) in
            _ = try store.refresh(page, in: collection, resyncGeneration: 0)
        }
    }

    private mutating func someItems() -> FeedPage {
        FeedPage(
            (0..<Int.random(in: 1...6, using: &self.random)).map { _ in
                self.version += 1
                let isTombstone = Int.random(in: 0..<4, using: &self.random) == 0
                return FeedPage.Item(
                    pk: JSON(self.pk()).text, version: "\(self.version)", data: isTombstone ? nil : self.content(),
                    name: Int.random(in: 0..<8, using: &self.random) == 0 ? "\"server-\(self.pk())\"" : nil)
            })
    }

    mutating func save() throws {
        let (record, isRead) = (self.record(), Bool.random(using: &self.random))
        try self.store.commit { (store) throws(TidemarkError) in
            // The engine reads most records before it saves them.
            if isRead { _ = try store.record(record.pk, in: "c") }
            try store.save(record, in: "c")
        }
    }

    private mutating func record() -> StoredRecord {
        self.version += 1
        let confirmed = StoredVersion(version: "\(self.version)", data: Array(self.content().utf8))
        switch Int.random(in: 0..<5, using: &self.random) {
        case 0: return StoredRecord(pk: self.pk(), phase: .synced, confirmed: confirmed)
        case 1: return StoredRecord(pk: self.pk(), phase: .deleted(.idle), confirmed: confirmed)
        case 2:
            let patch = #"[{"op":"replace","path":"","value":\#(self.content())}]"#
            return StoredRecord(
                pk: self.pk(), phase: .created(.idle), confirmed: StoredVersion(), editedData: Array(patch.utf8))
        case 3:
            return StoredRecord(
                pk: self.pk(), phase: .edited(.idle), confirmed: confirmed, editedData: Array("no patch".utf8))
        default:
            let patch = #"[{"op":"add","path":"/n","value":\#(self.version)}]"#
            return StoredRecord(
                pk: self.pk(), phase: .edited(.idle), confirmed: confirmed, editedData: Array(patch.utf8))
        }
    }

    private mutating func rollBack() throws {
        let (record, page, limit) = (self.record(), self.someItems(), Int.random(in: 1...7, using: &self.random))
        let indexes = Self.pool.shuffled(using: &self.random)
        let rules = RecordIndexes(try IndexKeys(Array(indexes.prefix(2)), of: "c"), members: RecordMembers())
        let (declares, erases) = (Bool.random(using: &self.random), Bool.random(using: &self.random))
        try? self.store.commit { (store) throws(TidemarkError) in
            if erases { try store.erase(collection: "c") }
            if declares { try store.declare(rules, in: "c") }
            try store.save(record, in: "c")
            _ = try store.refresh(page, in: "c", resyncGeneration: 0)
            _ = try store.buildIndexes(in: "c", limit: limit)
            throw TidemarkError(.cancelled, "stopped by the test")
        }
        // A client declares again after a declaration that was rolled back.
        try self.declare(self.indexes)
    }

    private mutating func pk() -> String {
        self.pick(["a", "b", "c", "d", "é", "e\u{301}", "0", "1", "2", "3", "with \"quotes\""])
    }

    private mutating func content() -> String {
        let n = self.pick(["0", "-0.0", "1", "1.0", "1e400", "-7.5", "null", "\"text\"", "12345678901234567890"])
        let tags = self.pick(["[]", #"["x","y","x"]"#, #"[{"x":1},{"x":1.0},{"y":2}]"#, #""no array""#])
        let text = self.pick([#""""#, #""a\u0000b""#, #""a""#, #""\u0061""#, "{}", "[]"])
        return self.pick([
            #"{"n":\#(n),"tags":\#(tags),"text":\#(text),"done":true}"#, #"{"n":\#(n)}"#, "{}",
            #"{"done":false,"\u006e":\#(n),"text":\#(text)}"#,
        ])
    }

    private mutating func pick<Value>(_ values: [Value]) -> Value {
        values[Int.random(in: 0..<values.count, using: &self.random)]
    }
}
