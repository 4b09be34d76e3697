import TidemarkCore
import TidemarkJSON
import TidemarkMachine

extension StoreConformance {
    static let pullingChecks: [Check] = [
        Check("a row becomes a SYNCD record with the server's bytes and version") { store in
            let data = "{ \"n\" : 1.10, \"n\":12345678901234567890,\r\n\"é\":\"\\u00e9\\/\" }"
            let outcome = try store.pull([.init(pk: "\"b\"", version: "17e3", data: data), .init("a", "\"x\"")])
            try expect("the rows that changed", outcome, is: PageOutcome(changed: [0, 1], left: []))
            try expect(
                "the record", try store.record("b", in: "c"),
                is: StoredRecord(
                    pk: "b", phase: .synced, confirmed: StoredVersion(version: "17e3", data: Self.bytes(data))))
            try expect("the other's version", try store.record("a", in: "c")?.confirmed.version, is: "\"x\"")
            try expect("the counts", try store.counts(in: "c"), is: [.synced: 2])
        },
        Check("an empty page changes nothing") { store in
            try expect("the outcome", try store.pull([]), is: PageOutcome(changed: [], left: []))
            try expect("the counts", try store.counts(in: "c"), is: [:])
        },
        Check("a row replaces a SYNCD record, and a tombstone removes it") { store in
            _ = try store.pull([.init("a", "1"), .init("b", "1")])
            let outcome = try store.pull([
                .init("a", "2", "{\"v\":2}"), .init(deleted: "b", "3"), .init(deleted: "z", "4"),
            ])
            try expect("the rows that changed", outcome, is: PageOutcome(changed: [0, 1], left: []))
            try expect(
                "the replaced record", try store.record("a", in: "c")?.confirmed,
                is: StoredVersion(version: "2", data: Self.bytes("{\"v\":2}")))
            try expect("the removed record", try store.record("b", in: "c"), is: nil)
            try expect("a record that never existed", try store.record("z", in: "c"), is: nil)
        },
        Check("a row replaces only the confirmed version of a SYNCD record") { store in
            var record = StoredRecord(
                pk: "a", phase: .synced, confirmed: StoredVersion(version: "1", data: Self.bytes("{}")), sequence: 5,
                lastMerge: Self.bytes("[2]"), name: "n-1", watched: Self.bytes("[1]"))
            try store.save([record], in: "c")
            _ = try store.pull([.init("a", "2", "{\"v\":2}")])
            record.confirmed = StoredVersion(version: "2", data: Self.bytes("{\"v\":2}"))
            try expect("the record", try store.record("a", in: "c"), is: record)
        },
        Check("an identical row changes nothing, and any other byte or version does") { store in
            _ = try store.pull([.init("a", "1"), .init("b", "1"), .init("c", "1")])
            let outcome = try store.pull([.init("c", "1.0"), .init("b", "1", "{ }"), .init("a", "1")])
            try expect("the rows that changed", outcome, is: PageOutcome(changed: [0, 1], left: []))
        },
        Check("rows of records with local changes are not applied, but reported") { store in
            let records = Self.phases.filter { $0 != .synced }.map { Self.fullRecord("\($0)", $0) }
            try store.save(records, in: "c")
            for isTombstone in [false, true] {
                var rows = records.map {
                    isTombstone ? FeedPage.Item(deleted: $0.pk, "9") : FeedPage.Item($0.pk, "9")
                }
                rows.insert(.init("new", "\(isTombstone)"), at: 3)
                let outcome = try store.pull(rows, resyncGeneration: 7)
                try expect("the rows that changed", outcome.changed, is: [3])
                try expect("the rows that were not applied", outcome.left, is: rows.indices.filter { $0 != 3 })
                for record in records {
                    try expect("the record", try store.record(record.pk, in: "c"), is: record)
                }
            }
        },
        Check("every record of a row gets the resync generation, changed or not") { store in
            try store.save(
                [Self.fullRecord("dirty", .edited(.idle)), Self.fullRecord("gone", .deleted(.held))], in: "c")
            _ = try store.pull([.init("same", "1"), .init("other", "1"), .init("not named", "1")], resyncGeneration: 3)
            let rows: [FeedPage.Item] = [
                .init("dirty", "5"), .init("same", "1"), .init("other", "2"), .init("new", "1"),
                .init(deleted: "gone", "6"),
            ]
            _ = try store.pull(rows, resyncGeneration: 8)
            let missing = try store.recordsNotInResync(in: "c", resyncGeneration: 8, after: nil, limit: 100)
            try expect("the records without a row", Self.pks(missing), is: ["not named"])
            for pk in ["dirty", "same", "other", "new", "gone"] {
                try expect("the resync generation of \(pk)", try store.record(pk, in: "c")?.resyncGeneration, is: 8)
            }
            var dirty = Self.fullRecord("dirty", .edited(.idle))
            dirty.resyncGeneration = 8
            try expect("the unchanged record", try store.record("dirty", in: "c"), is: dirty)
        },
        Check("of two rows with the same pk the later one is kept, in any spelling") { store in
            let rows: [FeedPage.Item] = [
                .init("z", "1"), .init("a", "1"), .init("z", "2"), .init(pk: "\"\\u007a\"", version: "3", data: "{}"),
                .init("m", "4"), .init(deleted: "m", "5"),
            ]
            _ = try store.pull(rows)
            try expect("the version", try store.record("z", in: "c")?.confirmed.version, is: "3")
            try expect("the deleted record", try store.record("m", in: "c"), is: nil)
            try expect("the counts", try store.counts(in: "c"), is: [.synced: 2])
        },
        Check("of two rows with the same pk the later one is kept in a page without escapes") { store in
            _ = try store.pull([
                .init("z", "2"), .init("a", "1"), .init("z", "1"), .init(deleted: "q", "1"), .init("q", "2"),
            ])
            try expect("the version", try store.record("z", in: "c")?.confirmed.version, is: "1")
            try expect("the record made again", try store.record("q", in: "c")?.confirmed.version, is: "2")
        },
        Check("an escaped pk names the record of its decoded text") { store in
            let pk = "\"\\/\u{1F600}\n\u{0}é"
            let spelled = "\"\\\"\\\\\\/\\ud83d\\ude00\\n\\u0000\u{E9}\""
            _ = try store.pull([.init(pk: spelled, version: "1", data: "{}")])
            try expect("the record", try store.record(pk, in: "c")?.confirmed.version, is: "1")
            _ = try store.pull([.init(pk: spelled, version: "2", data: nil)])
            try expect("the removed record", try store.record(pk, in: "c"), is: nil)
        },
        Check("the rows of one page differ by code point") { store in
            let names = Self.names.filter { !$0.utf8.contains(0) }
            let outcome = try store.pull(names.reversed().map { .init($0, "1") })
            try expect("the rows that changed", outcome.changed, is: Array(names.indices))
            let records = try store.records(in: "c", states: [.synced], after: nil, limit: 100)
            try expect("the records", Self.pks(records), is: Self.codePoints(names))
        },
    ]
}

extension FeedPage.Item {
    /// A row; the pk is not escaped.
    fileprivate init(_ pk: String, _ version: String, _ data: String = "{}") {
        self.init(pk: "\"\(pk)\"", version: version, data: data)
    }

    /// A tombstone; the pk is not escaped.
    fileprivate init(deleted pk: String, _ version: String) {
        self.init(pk: "\"\(pk)\"", version: version, data: nil)
    }
}
