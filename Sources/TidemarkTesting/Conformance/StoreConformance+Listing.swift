import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules

extension StoreConformance {
    static let listingChecks: [Check] = [
        Check("records are listed in code-point order") { store in
            for states in [Set(SyncState.allCases), [.synced]] {
                try store.save(Self.names.reversed().map { Self.bareRecord($0, .synced) }, in: "c")
                let records = try store.records(in: "c", states: states, after: nil, limit: 100)
                try expect("the records", Self.pks(records), is: Self.codePoints(Self.names))
            }
            try store.save(Self.names.map { Self.bareRecord($0, .edited(.idle)) }, in: "c")
            let records = try store.records(in: "c", states: [.edited, .deleted], after: nil, limit: 100)
            try expect("the changed records", Self.pks(records), is: Self.codePoints(Self.names))
        },
        Check("records are listed by state, with any activity") { store in
            try Self.saveEveryPhase(in: store)
            for states in Self.subsets(of: SyncState.allCases) {
                let found = try store.records(in: "c", states: states, after: nil, limit: 100)
                let expected = Self.everyPhase().filter { $0.phase.state.map(states.contains) ?? false }
                try expect("the records of \(states.map(\.rawValue).sorted())", found, is: expected)
            }
        },
        Check("listing continues after a pk, and stops at the limit") { store in
            try Self.saveEveryPhase(in: store)
            for states in Self.subsets(of: SyncState.allCases) {
                let all = try store.records(in: "c", states: states, after: nil, limit: 100)
                for limit in [0, 1, 2, 5] {
                    for start in [nil, "", "p05", "p07x", "p99"] {
                        let found = try store.records(in: "c", states: states, after: start, limit: limit)
                        let expected = all.filter { $0.pk > start ?? "" }.prefix(limit)
                        try expect(
                            "\(limit) records after \(start ?? "nothing") of \(states.map(\.rawValue).sorted())", found,
                            is: Array(expected))
                    }
                }
            }
        },
        Check("records are counted by state") { store in
            try Self.saveEveryPhase(in: store)
            let activities = RecordPhase.Activity.allCases.count
            try expect(
                "the counts", try store.counts(in: "c"),
                is: [.synced: 1, .edited: activities, .created: activities, .deleted: activities])
            try store.transaction { () throws(TidemarkError) in
                try store.erase("p00", in: "c")
                try store.save(Self.bareRecord("p01", .deleted(.idle)), in: "c")
            }
            try expect(
                "the counts after a change", try store.counts(in: "c"),
                is: [.edited: activities - 1, .created: activities, .deleted: activities + 1])
        },
        Check("records below a resync generation are found") { store in
            try store.save(
                Self.names.enumerated().map { index, pk in
                    var record = Self.fullRecord(pk, index.isMultiple(of: 2) ? .synced : .edited(.idle))
                    record.resyncGeneration = Int64(index % 3)
                    return record
                }, in: "c")
            for number in 0...3 {
                let expected = Self.names.enumerated().filter { $0.offset % 3 < number }.map(\.element)
                let found = try store.recordsNotInResync(
                    in: "c", resyncGeneration: Int64(number), after: nil, limit: 100)
                try expect("the records below \(number)", Self.pks(found), is: Self.codePoints(expected))
                let page = try store.recordsNotInResync(in: "c", resyncGeneration: Int64(number), after: "a", limit: 2)
                let rest = expected.filter { CodePointString($0) > CodePointString("a") }.prefix(2)
                try expect("two of them, after “a”", Self.pks(page), is: Self.codePoints(Array(rest)))
            }
            try expect(
                "the records of another collection",
                try store.recordsNotInResync(in: "d", resyncGeneration: 9, after: nil, limit: 9), is: [])
        },
    ]

    /// A record in each phase, in the order of their pks, `p00` being SYNCD.
    private static func everyPhase() -> [StoredRecord] {
        Self.phases.enumerated().map { Self.fullRecord($0 < 10 ? "p0\($0)" : "p\($0)", $1) }
    }

    private static func saveEveryPhase(in store: any RecordStore) throws(TidemarkError) {
        try store.save(Self.everyPhase().reversed(), in: "c")
        try store.save([Self.fullRecord("p055", .edited(.idle))], in: "d")
    }

    private static func subsets<Element: Hashable>(of elements: [Element]) -> [Set<Element>] {
        elements.reduce([[]]) { subsets, element in subsets + subsets.map { $0.union([element]) } }
    }
}
