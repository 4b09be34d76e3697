import TidemarkCore
import TidemarkMachine

extension StoreConformance {
    /// Checks of names that a server makes (Contract §12).
    static let namingChecks: [Check] = [
        Check("a record is found by the server's name, by code point, within a collection") { store in
            var record = Self.bareRecord("a", .synced)
            record.name = "\u{E9}"
            try store.save([record, Self.bareRecord("\u{E9}", .synced)], in: "c")
            try expect("the record", try store.record(named: "\u{E9}", in: "c")?.pk, is: "a")
            try expect("a canonically equivalent name", try store.record(named: "e\u{301}", in: "c"), is: nil)
            try expect("another collection", try store.record(named: "\u{E9}", in: "d"), is: nil)
        },
        Check("a row with a name gives it to the record of its pk, new or existing") { store in
            _ = try store.pull([.init(pk: "\"b\"", version: "1", data: "{}")])
            let outcome = try store.pull([.named("n-1", "a", "1"), .named("n-2", "b", "2")])
            try expect("the outcome", outcome, is: PageOutcome(changed: [0, 1], left: []))
            try expect("the new record", try store.record("a", in: "c")?.name, is: "n-1")
            try expect("the former record", try store.record("b", in: "c")?.name, is: "n-2")
        },
        Check("a row updates the record of its name, with any pk, and the outcome reports that") { store in
            _ = try store.pull([.named("n-1", "a", "1"), .named("n-2", "b", "1")])
            let outcome = try store.pull([.named("n-2", "b", "2"), .named("n-1", "n-1", "3")])
            try expect("the outcome", outcome, is: PageOutcome(changed: [0, 1], left: [], pks: [1: "a"]))
            try expect("the record", try store.record("a", in: "c")?.confirmed.version, is: "3")
            try expect("a record of that pk", try store.record("n-1", in: "c"), is: nil)
        },
        Check("rows with the same name are applied to one record in order, with any pks") { store in
            let outcome = try store.pull([.named("n-1", "b", "1"), .named("n-1", "a", "2"), .named("n-1", "c", "3")])
            try expect("the outcome", outcome, is: PageOutcome(changed: [0, 1, 2], left: [], pks: [1: "b", 2: "b"]))
            try expect("the record", try store.record("b", in: "c")?.confirmed.version, is: "3")
        },
        Check("a tombstone with only a name removes the record of that name") { store in
            _ = try store.pull([.named("n-1", "a", "1")])
            let outcome = try store.pull([.named("n-1", "n-1", "2", nil), .named("n-9", "n-9", "3", nil)])
            try expect("the outcome", outcome, is: PageOutcome(changed: [0], left: [], pks: [0: "a"]))
            try expect("the counts", try store.counts(in: "c"), is: [:])
        },
        Check("watched records are found in the order of their pks, page by page") { store in
            let records = Self.names.map { name in
                var record = Self.bareRecord(name, name == "2" ? .edited(.idle) : .synced)
                record.watched = name == "ab" ? nil : Self.bytes("[1]")
                return record
            }
            try store.save(records, in: "c")
            let names = Self.codePoints(Self.names.filter { $0 != "ab" })
            let all = try store.watchedRecords(in: "c", after: nil, limit: 100)
            try expect("the records", Self.pks(all), is: names)
            let some = try store.watchedRecords(in: "c", after: "A", limit: 2)
            try expect("some of them", Self.pks(some), is: Array(names[3..<5]))
            try expect("another collection", try store.watchedRecords(in: "d", after: nil, limit: 1), is: [])
        },
        Check("a record with local changes gets its name, and is otherwise unchanged") { store in
            var record = Self.fullRecord("a", .edited(.idle))
            record.name = nil
            try store.save([record], in: "c")
            let outcome = try store.pull([.named("n-1", "a", "9")], resyncGeneration: record.resyncGeneration)
            try expect("the outcome", outcome, is: PageOutcome(changed: [], left: [0]))
            record.name = "n-1"
            try expect("the record", try store.record("a", in: "c"), is: record)
            let second = try store.pull([.named("n-1", "n-1", "10", nil)], resyncGeneration: record.resyncGeneration)
            try expect("the second outcome", second, is: PageOutcome(changed: [], left: [0], pks: [0: "a"]))
        },
        Check("of two rows with the same pk and different names the second changes nothing, and is reported") { store in
            _ = try store.pull([.named("n-1", "a", "1")])
            let outcome = try store.pull([.named("n-2", "a", "2", #"{"b":1}"#), .named("n-3", "a", "3", nil)])
            try expect("the outcome", outcome, is: PageOutcome(changed: [], left: [], contested: [0]))
            let record = try store.record("a", in: "c")
            try expect("the name", record?.name, is: "n-1")
            try expect("the version", record?.confirmed.version, is: "1")
            let third = try store.pull([.named("n-1", "n-1", "4", nil), .named("n-2", "a", "2")])
            try expect("the third outcome", third, is: PageOutcome(changed: [0, 1], left: [], pks: [0: "a"]))
            try expect("the name after the first record is removed", try store.record("a", in: "c")?.name, is: "n-2")
        },
        Check("a tombstone gives no name") { store in
            try store.save([Self.bareRecord("a", .edited(.idle))], in: "c")
            let outcome = try store.pull([.named("n-1", "a", "1", nil)])
            try expect("the outcome", outcome, is: PageOutcome(changed: [], left: [0]))
            try expect("the name", try store.record("a", in: "c")?.name, is: nil)
        },
    ]
}

extension FeedPage.Item {
    /// An item with the server's own name; neither text is escaped.
    fileprivate static func named(_ name: String, _ pk: String, _ version: String, _ data: String? = "{}") -> Self {
        Self(pk: "\"\(pk)\"", version: version, data: data, name: "\"\(name)\"")
    }
}
