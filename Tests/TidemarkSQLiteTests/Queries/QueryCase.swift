import TestSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkSQLite
import TidemarkTesting

/// Some records, and a query about them.
struct QueryCase {
    /// A record in the store before the client is made, and the change that the app makes afterwards.
    struct Row {
        var pk: String
        var phase: RecordPhase
        var data: String
        var patch: String?
        var later: Later?

        enum Later {
            case edit(JSON)
            case delete
        }

        func stored(_ sequence: Int64) -> StoredRecord {
            StoredRecord(
                pk: self.pk, phase: self.phase,
                confirmed: self.data.isEmpty
                    ? StoredVersion() : StoredVersion(version: "1", data: Array(self.data.utf8)),
                editedData: self.patch.map { Array($0.utf8) }, sequence: sequence)
        }
    }

    var rows: [Row] = []
    var condition: NaiveCondition?
    var order: [RecordQuery.Order] = []
    var indexes: [RecordIndex] = []
    var limit = 1

    var query: RecordQuery { RecordQuery(where: self.condition?.condition ?? .all, order: self.order) }
}

// MARK: - Random cases

extension QueryCase {
    private static let members = [#""a""#, #""b""#, #""\u0061""#, #""tags""#, #""c/d""#, #""q\"""#]
    private static let paths = ["/a", "/b", "/tags", "/c~1d", "/q\"", "/tags/0", "/b/c", "/tags/*", "/b/*/c", "/x"]

    init(_ random: inout QueryDice) {
        for number in 0..<Int.random(in: 1...9, using: &random) {
            let pk = random.pick("a", "é", "e\u{301}", "\u{FFFD}", "😀", "Z") + "\(number)"
            self.rows.append(Self.row(pk, &random))
        }
        self.redraw(&random)
    }

    /// Draws another query about the same records.
    mutating func redraw(_ random: inout QueryDice) {
        self.condition = random.oneIn(8) ? nil : Self.condition(&random, depth: 2)
        self.order = (0..<Int.random(in: 0...2, using: &random)).map { _ in
            let path = Self.path(&random).replacing("*", with: "0")
            return random.oneIn(2) ? .ascending(path) : .descending(path)
        }
        self.limit = Int.random(in: 1...4, using: &random)
    }

    private static func path(_ random: inout QueryDice) -> String {
        random.oneIn(2) ? "/a" : Self.paths.randomElement(using: &random) ?? "/a"
    }

    private static func object(_ random: inout QueryDice) -> String {
        let members = (0..<Int.random(in: 0...4, using: &random)).map { _ in
            let name = Self.members.randomElement(using: &random) ?? ""
            let isList = random.oneIn(3)
            return "\(name):\(isList ? "[\(random.json()),\(random.json())]" : random.json())"
        }
        return "{\(members.joined(separator: ","))}"
    }

    private static func row(_ pk: String, _ random: inout QueryDice) -> Row {
        var row = Row(pk: pk, phase: .synced, data: Self.object(&random))
        switch Int.random(in: 0..<8, using: &random) {
        case 0...3: break
        case 4:
            row.phase = random.pick(.edited(.idle), .edited(.held))
            row.patch = #"[{"op":"add","path":"/a","value":\#(random.json())}]"#
        case 5:
            row.phase = random.pick(.created(.idle), .created(.held))
            row.patch = #"[{"op":"add","path":"","value":\#(row.data)}]"#
            row.data = ""
        case 6: row.phase = .deleted(.idle)
        default: row.data = random.pick(row.data, "{\"a\":")
        }
        if random.oneIn(3) {
            row.later = random.oneIn(4) ? .delete : (try? JSON(parsing: random.json())).map { .edit($0) }
        }
        return row
    }

    private static func condition(_ random: inout QueryDice, depth: Int) -> NaiveCondition {
        func value(_ random: inout QueryDice) -> JSON { (try? JSON(parsing: random.json())) ?? 1 }
        let path = Self.path(&random)
        switch Int.random(in: 0..<(depth == 0 ? 14 : 20), using: &random) {
        case 0...3: return .compare(path, "=", value(&random))
        case 4...7: return .compare(path, random.pick("!=", "<", "<=", ">", ">="), value(&random))
        case 8, 9: return .isIn(path, (0..<Int.random(in: 0...3, using: &random)).map { _ in value(&random) })
        case 10: return .startsWith(path, random.pick("", "a", "x", "a\u{0}", String(repeating: "x", count: 513)))
        case 11: return .contains(path, value(&random), ignoringCase: random.oneIn(2))
        case 12: return .exists(path)
        case 13: return random.pick(.pending, .held, .state(.edited), .state(.synced))
        case 14...17: return .and(Self.condition(&random, depth: depth - 1), Self.condition(&random, depth: depth - 1))
        case 18: return .or(Self.condition(&random, depth: depth - 1), Self.condition(&random, depth: depth - 1))
        default: return .not(Self.condition(&random, depth: depth - 1))
        }
    }

    /// Draws indexes that the store accepts.
    static func indexes(_ random: inout QueryDice) -> [RecordIndex] {
        var indexes: [RecordIndex] = []
        for _ in 0..<4 {
            let paths = (0..<Int.random(in: 1...3, using: &random)).map { _ in Self.path(&random) }
            if (try? IndexKeys(indexes + [RecordIndex(paths)], of: "c")) != nil { indexes.append(RecordIndex(paths)) }
        }
        return indexes
    }
}

// MARK: - Checks

extension QueryCase {
    /// Makes a client with the records.
    func client(_ store: sending some RecordStore, _ server: InProcessServer) async throws -> SyncClient {
        let rows = self.rows
        try store.commit { (store) throws(TidemarkError) in
            for (number, row) in rows.enumerated() { try store.save(row.stored(Int64(number + 1)), in: "c") }
        }
        var configuration = SyncConfiguration()
        configuration["c"].indexes = self.indexes
        let client = try SyncClient(
            store: store, remote: InProcessRemote(server), configuration: configuration, time: server.clock, seed: 1)
        try await client["c"].buildIndexes()
        for row in self.rows {
            // A record that is damaged or was deleted can't be changed.
            switch row.later {
            case .edit(let value)?: _ = try? await client["c"][row.pk].edit { $0["a"] = value }
            case .delete?: _ = try? await client["c"][row.pk].delete()
            case nil: break
            }
        }
        return client
    }

    /// The first difference between a query and the naive one; nil if there is none.
    func fault(_ collection: SyncCollection<JSON>) async throws -> String? {
        let all = try await collection.all().naive
        let matches = all.filter { self.condition?.holds($0) ?? true }
        let expected = matches.sorted { self.precedes($0, $1) }.map(\.pk)
        if let fault = try self.planFault(all, expected) { return fault }
        // A page has its damaged records apart.
        let damaged = Set(all.filter { $0.content == nil }.map(\.pk))
        var (pks, unreadable) = ([String](), Set<String>())
        var next: RecordQuery.Cursor?
        repeat {
            let page = try await collection.page(self.query, limit: self.limit, after: next)
            pks += page.records.map(\.pk)
            unreadable.formUnion(page.unreadable.map(\.pk))
            next = page.next
            let isEmpty = page.records.isEmpty && page.unreadable.isEmpty
            if isEmpty && next != nil || pks.count > all.count { return "pages without an end: \(pks)" }
        } while next != nil
        let plan = try await collection.plan(self.query)
        let readable = expected.filter { !damaged.contains($0) }
        guard pks.map({ Array($0.utf8) }) == readable.map({ Array($0.utf8) }) else {
            return "\(plan): \(pks), not \(readable)"
        }
        guard unreadable == damaged.intersection(expected) else { return "\(plan): \(unreadable) are unreadable" }
        let count = try await collection.count(self.query)
        return count == expected.count ? nil : "\(plan): counted \(count), not \(expected.count)"
    }

    private func precedes(_ left: NaiveRecord, _ right: NaiveRecord) -> Bool {
        for part in self.order {
            let (one, other) = (
                NaiveValue.at(part.path, in: left.content), NaiveValue.at(part.path, in: right.content)
            )
            let order = NaiveValue.compare(one.first, other.first, bytes: 512)
            if order != 0 { return (order < 0) != part.isDescending }
        }
        return Array(left.pk.utf8).lexicographicallyPrecedes(Array(right.pk.utf8))
            != (self.order.last?.isDescending ?? false)
    }

    /// Checks the plan over keys alone, without a store.
    private func planFault(_ all: [NaiveRecord], _ expected: [String]) throws -> String? {
        let plan = try CheckedQuery(self.query).plan(self.indexes)
        guard case .index(let index, let ranges, let isBackward) = plan.source else { return nil }
        let keys = try IndexKeys([index], of: "c")
        var entries: [(key: [UInt8], pk: String)] = []
        for record in all {
            for key in keys.keys(of: record.content, in: 0) where ranges.contains(where: { $0.contains(key) }) {
                entries.append((key, record.pk))
            }
        }
        entries.sort { left, right in
            if left.key != right.key { return left.key.lexicographicallyPrecedes(right.key) != isBackward }
            return Array(left.pk.utf8).lexicographicallyPrecedes(Array(right.pk.utf8)) != isBackward
        }
        let found = entries.map { CodePointString($0.pk) }
        if let missing = expected.first(where: { !found.contains(CodePointString($0)) }) {
            return "the ranges of \(index) have no “\(missing)”"
        }
        if plan.isExact, found.count != expected.count { return "\(index) is not exact: \(found), not \(expected)" }
        let wanted = expected.map { CodePointString($0) }
        if plan.isOrdered, found.filter(Set(wanted).contains) != wanted {
            return "\(index) is not in order: \(found), not \(wanted)"
        }
        return nil
    }

    /// The fault of this case in a store of memory, or else in SQLite.
    func fault(_ server: InProcessServer) async throws -> String? {
        let memory = try await self.client(MemoryStore(), server)
        if let fault = try await self.fault(memory["c"]) { return "MemoryStore: \(fault)" }
        let sqlite = try await self.client(try SQLiteStore.sqliteInMemory(), server)
        return try await self.fault(sqlite["c"]).map { "SQLiteStore: \($0)" }
    }

    /// The smallest case that still fails.
    func shrunk(_ server: InProcessServer) async throws -> QueryCase {
        for smaller in self.smaller where try await smaller.fault(server) != nil {
            return try await smaller.shrunk(server)
        }
        return self
    }

    private var smaller: [QueryCase] {
        var cases: [QueryCase] = []
        func add(_ change: (inout QueryCase) -> Void) {
            var copy = self
            change(&copy)
            cases.append(copy)
        }
        for place in self.rows.indices { add { $0.rows.remove(at: place) } }
        for place in self.indexes.indices { add { $0.indexes.remove(at: place) } }
        for place in self.order.indices { add { $0.order.remove(at: place) } }
        if let condition {
            add { $0.condition = nil }
            for part in condition.parts { add { $0.condition = part } }
        }
        for place in self.rows.indices where self.rows[place].later != nil { add { $0.rows[place].later = nil } }
        return cases
    }
}
