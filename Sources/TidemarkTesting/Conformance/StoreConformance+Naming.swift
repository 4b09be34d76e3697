import TidemarkCore
import TidemarkMachine

extension StoreConformance {
    /// Names that a server makes (SPEC §12).
    static let namingChecks: [Check] = [
        Check("a record is found by the server's name, by code point, in its own collection") { store in
            var record = Self.bareRecord("a", .synced)
            record.name = "\u{E9}"
            try store.save([record, Self.bareRecord("\u{E9}", .synced)], in: "c")
            try expect("the record", try store.record(named: "\u{E9}", in: "c")?.pk, is: "a")
            try expect("a name that looks alike", try store.record(named: "e\u{301}", in: "c"), is: nil)
            try expect("another collection", try store.record(named: "\u{E9}", in: "d"), is: nil)
        },
        Check("a row that has a name gives it to the record of its pk, made by it or there before") { store in
            _ = try store.pull([.init(pk: "\"b\"", stamp: "1", data: "{}")])
            let outcome = try store.pull([.named("n-1", "a", "1"), .named("n-2", "b", "2")])
            try expect("the outcome", outcome, is: PageOutcome(changed: [0, 1], left: []))
            try expect("the new record", try store.record("a", in: "c")?.name, is: "n-1")
            try expect("the former record", try store.record("b", in: "c")?.name, is: "n-2")
        },
        Check("a row is about the record of its name, whatever its pk, and says so") { store in
            _ = try store.pull([.named("n-1", "a", "1"), .named("n-2", "b", "1")])
            let outcome = try store.pull([.named("n-2", "b", "2"), .named("n-1", "n-1", "3")])
            try expect("the outcome", outcome, is: PageOutcome(changed: [0, 1], left: [], pks: [1: "a"]))
            try expect("the record", try store.record("a", in: "c")?.confirmed.stamp, is: "3")
            try expect("a record of that pk", try store.record("n-1", in: "c"), is: nil)
        },
        Check("rows that a name shows to be of one record are taken in their order, whatever their pks") { store in
            let outcome = try store.pull([.named("n-1", "b", "1"), .named("n-1", "a", "2"), .named("n-1", "c", "3")])
            try expect("the outcome", outcome, is: PageOutcome(changed: [0, 1, 2], left: [], pks: [1: "b", 2: "b"]))
            try expect("the record", try store.record("b", in: "c")?.confirmed.stamp, is: "3")
        },
        Check("a tombstone that has nothing but a name removes the record of that name") { store in
            _ = try store.pull([.named("n-1", "a", "1")])
            let outcome = try store.pull([.named("n-1", "n-1", "2", nil), .named("n-9", "n-9", "3", nil)])
            try expect("the outcome", outcome, is: PageOutcome(changed: [0], left: [], pks: [0: "a"]))
            try expect("the counts", try store.counts(in: "c"), is: [:])
        },
        Check("records that are watched are found in the order of their pks, page by page") { store in
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
        Check("a record with local changes gets its name, and is left alone besides") { store in
            var record = Self.fullRecord("a", .edited(.idle))
            record.name = nil
            try store.save([record], in: "c")
            let outcome = try store.pull([.named("n-1", "a", "9")], listing: record.listing)
            try expect("the outcome", outcome, is: PageOutcome(changed: [], left: [0]))
            record.name = "n-1"
            try expect("the record", try store.record("a", in: "c"), is: record)
            let second = try store.pull([.named("n-1", "n-1", "10", nil)], listing: record.listing)
            try expect("the second outcome", second, is: PageOutcome(changed: [], left: [0], pks: [0: "a"]))
        },
        Check("of two rows with one pk and two names the second changes nothing, and is named") { store in
            _ = try store.pull([.named("n-1", "a", "1")])
            let outcome = try store.pull([.named("n-2", "a", "2", #"{"b":1}"#), .named("n-3", "a", "3", nil)])
            try expect("the outcome", outcome, is: PageOutcome(changed: [], left: [], contested: [0]))
            let record = try store.record("a", in: "c")
            try expect("the name", record?.name, is: "n-1")
            try expect("the version", record?.confirmed.stamp, is: "1")
            let third = try store.pull([.named("n-1", "n-1", "4", nil), .named("n-2", "a", "2")])
            try expect("the third outcome", third, is: PageOutcome(changed: [0, 1], left: [], pks: [0: "a"]))
            try expect("the name, once the first is gone", try store.record("a", in: "c")?.name, is: "n-2")
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
    /// An item with a name of the server's own; neither is escaped.
    fileprivate static func named(_ name: String, _ pk: String, _ stamp: String, _ data: String? = "{}") -> Self {
        Self(pk: "\"\(pk)\"", stamp: stamp, data: data, name: "\"\(name)\"")
    }
}
