import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules

extension StoreConformance {
    /// Strings that are easily confused, in the order of their UTF-8 bytes (which differs from UTF-16's and Swift's).
    static let names: [String] = [
        "10", "2", "A", "a", "a\u{0}", "a\u{0}b", "ab", "e\u{301}", "\u{E9}", "\u{FFFF}", "\u{10000}", "\u{1F600}",
    ]

    /// A record in every phase but absent.
    static let phases: [RecordPhase] = RecordPhase.allCases.filter { $0 != .absent }

    /// A record in which every part has a different value.
    static func fullRecord(_ pk: String, _ phase: RecordPhase) -> StoredRecord {
        StoredRecord(
            pk: pk, phase: phase,
            confirmed: StoredVersion(version: "1.10e2", data: Self.bytes("{ \"a\":\t1.0, \"a\":\"\\u00e9\" }")),
            upload: StoredUpload(
                requestID: "u-1", edit: Self.bytes("{\"pk\":1}"), wasResent: true, recognition: .byContent),
            editedData: Self.bytes("[]"), seen: StoredVersion(version: "\"x\"", data: Self.bytes("{}")),
            rounds: 3, failures: 2, sequence: 9_000_000_000, hold: Self.bytes("{\"title\":\"no\"}"),
            resyncGeneration: 7,
            lastMerge: Self.bytes("{}"), name: "é\u{0}-57", watched: Self.bytes("[1]"),
            base: Self.bytes("{\"n\":1}"))
    }

    /// A record with only a pk and a phase.
    static func bareRecord(_ pk: String, _ phase: RecordPhase, sequence: Int64 = 0, failures: Int = 0) -> StoredRecord {
        StoredRecord(pk: pk, phase: phase, confirmed: StoredVersion(), failures: failures, sequence: sequence)
    }

    static func bytes(_ text: String) -> [UInt8] {
        [UInt8](text.utf8)
    }

    static func pks(_ records: [StoredRecord]) -> [CodePointString] {
        records.map { CodePointString($0.pk) }
    }

    static func codePoints(_ strings: [String]) -> [CodePointString] {
        strings.map { CodePointString($0) }
    }
}

extension RecordStore {
    /// Saves records in one transaction.
    func save(_ records: [StoredRecord], in collection: String) throws(TidemarkError) {
        try self.transaction { () throws(TidemarkError) in
            for record in records {
                try self.save(record, in: collection)
            }
        }
    }

    /// Applies a page in a separate transaction.
    func pull(
        _ items: [FeedPage.Item], in collection: String = "c", resyncGeneration: Int64 = 0
    ) throws(TidemarkError) -> PageOutcome {
        try self.transaction { () throws(TidemarkError) in
            try self.refresh(FeedPage(items), in: collection, resyncGeneration: resyncGeneration)
        }
    }
}
