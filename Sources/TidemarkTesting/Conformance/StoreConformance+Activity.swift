import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules

extension StoreConformance {
    static let activityChecks: [Check] = [
        Check("records to send are the idle ones, in the order of their change") { store in
            let all = try Self.saveEveryActivity(in: store)
            let expected = Self.inOrder(all) { $0 == .idle }
            try expect("the records to send", try store.recordsToSend(in: "c", limit: 100), is: expected)
            for limit in [0, 1, 3] {
                let found = try store.recordsToSend(in: "c", limit: limit)
                try expect("\(limit) records to send", found, is: Array(expected.prefix(limit)))
            }
            try expect("the records to send of another collection", try store.recordsToSend(in: "d", limit: 9), is: [])
        },
        Check("unsettled records are those with an upload, fewer failures first, then in the order of change") {
            store in
            let all = try Self.saveEveryActivity(in: store)
            let expected = (0...2).flatMap { failures in
                Self.inOrder(all) { $0 == .uploading || $0 == .unconfirmed }.filter { $0.failures == failures }
            }
            try expect("the unsettled records", try store.unsettledRecords(in: "c"), is: expected)
        },
        Check("waiting records are those whose phase is deciding or held, in the order of change") { store in
            let all = try Self.saveEveryActivity(in: store)
            try expect("the waiting records", try store.waiting(in: "c"), is: Self.waiting(among: all))
        },
        Check("waiting records and counts follow each change of a record") { store in
            let all = try Self.saveEveryActivity(in: store)
            var now = Dictionary(all.map { ($0.pk, $0) }) { first, _ in first }
            for (step, record) in (all + all.reversed()).enumerated() {
                let present = Array(now.values)
                try expect("the waiting records", try store.waiting(in: "c"), is: Self.waiting(among: present))
                try expect("the counts", try store.counts(in: "c"), is: Self.counts(of: present))
                let changed =
                    step % 5 == 4
                    ? nil
                    : Self.bareRecord(
                        record.pk, Self.phases[(step * 7 + 3) % Self.phases.count], sequence: Int64(1_000 - step * 9))
                try store.transaction { () throws(TidemarkError) in
                    if let changed { try store.save(changed, in: "c") } else { try store.erase(record.pk, in: "c") }
                }
                now[record.pk] = changed
            }
            try expect("the waiting records", try store.waiting(in: "c"), is: Self.waiting(among: Array(now.values)))
        },
        Check("a record that is SYNCD again, or erased, is not in these lists") { store in
            let all = try Self.saveEveryActivity(in: store)
            try store.transaction { () throws(TidemarkError) in
                for (index, record) in all.enumerated() {
                    if index.isMultiple(of: 2) {
                        try store.erase(record.pk, in: "c")
                    } else {
                        try store.save(Self.bareRecord(record.pk, .synced), in: "c")
                    }
                }
            }
            try expect("the records to send", try store.recordsToSend(in: "c", limit: 100), is: [])
            try expect("the unsettled records", try store.unsettledRecords(in: "c"), is: [])
            try expect("the waiting records", try store.waiting(in: "c"), is: StoredRecord.Waiting())
        },
    ]

    /// Two records in each phase, in an order of change that differs from that of the pks and from that of saving.
    private static func saveEveryActivity(in store: any RecordStore) throws(TidemarkError) -> [StoredRecord] {
        let phases = Self.phases + Self.phases
        let records = phases.enumerated().map { index, phase in
            Self.bareRecord(
                "p\(index)", phase, sequence: Int64(1 + index * 7 % phases.count), failures: index * 5 % 3)
        }
        try store.save(records, in: "c")
        return records
    }

    private static func waiting(among records: [StoredRecord]) -> StoredRecord.Waiting {
        StoredRecord.Waiting(
            deciding: Self.inOrder(records) { $0 == .deciding }.map(\.pk),
            held: Self.inOrder(records) { $0 == .held }.map { StoredRecord.Waiting.Held(pk: $0.pk, hold: $0.hold) })
    }

    private static func counts(of records: [StoredRecord]) -> [SyncState: Int] {
        records.reduce(into: [:]) { counts, record in
            if let state = record.phase.state { counts[state, default: 0] += 1 }
        }
    }

    private static func inOrder(_ records: [StoredRecord], _ fits: (RecordPhase.Activity) -> Bool) -> [StoredRecord] {
        records.filter { $0.phase.activity.map(fits) ?? false }.sorted { $0.sequence < $1.sequence }
    }
}
