import TidemarkCore
import TidemarkMachine
import TidemarkRules

extension StoreConformance {
    static let transactionChecks: [Check] = [
        Check("a transaction returns its body's result, and its reads see its writes") { store in
            let seen = try store.transaction { () throws(TidemarkError) in
                try store.save(Self.bareRecord("1", .created(.idle)), in: "c")
                return try store.recordsToSend(in: "c", limit: 1).map(\.pk)
            }
            try expect("the reads of the body", seen, is: ["1"])
        },
        Check("if the body throws, the transaction throws its error and changes nothing") { store in
            try Self.prepare(store)
            let before = try Contents(of: store)
            for change in Change.allCases {
                try Self.abort(store) { () throws(TidemarkError) in try change.make(in: store) }
                try expect("the store after undoing a write (\(change))", try Contents(of: store), is: before)
            }
            try Self.abort(store) { () throws(TidemarkError) in
                for change in Change.allCases {
                    try change.make(in: store)
                }
            }
            try expect("the store after undoing all changes", try Contents(of: store), is: before)
        },
        Check("after a rollback the store accepts the next transaction") { store in
            try Self.prepare(store)
            try Self.abort(store) { () throws(TidemarkError) in
                try store.save(CollectionState(cursor: "9"), of: "new")
                try store.save(Self.bareRecord("1", .synced), in: "new")
            }
            try store.transaction { () throws(TidemarkError) in
                for change in Change.allCases {
                    try change.make(in: store)
                }
                try store.save(Self.bareRecord("2", .created(.idle)), in: "new")
            }
            try expect("the collections", try store.collections(), is: ["c", "d", "new"])
            try expect("the record", try store.recordsToSend(in: "new", limit: 9).map(\.pk), is: ["2"])
            try expect("the journal", try store.journal(of: nil, in: "c").map(\.number), is: [1, 2])
        },
    ]

    /// All data that a store can return.
    struct Contents: Equatable {
        var setting: String?
        var collections: [String]
        var states: [CollectionState] = []
        var records: [[StoredRecord]] = []
        var waiting: [StoredRecord.Waiting] = []
        var counts: [[SyncState: Int]] = []
        var quarantinedItems: [[QuarantinedItem]] = []
        var journal: [[StoredJournalEntry]] = []
        var removals: [[StoredRemoval]] = []

        init(of store: any RecordStore) throws(TidemarkError) {
            self.setting = try store.setting("s")
            self.collections = try store.collections()
            for name in ["c", "d"] {
                self.states.append(try store.state(of: name))
                self.records.append(
                    try store.records(in: name, states: Set(SyncState.allCases), after: nil, limit: 100))
                self.records.append(try store.recordsToSend(in: name, limit: 100))
                self.records.append(try store.unsettledRecords(in: name))
                self.waiting.append(try store.waiting(in: name))
                self.counts.append(try store.counts(in: name))
                self.quarantinedItems.append(try store.quarantinedItems(in: name))
                self.journal.append(try store.journal(of: nil, in: name))
                self.removals.append(try store.removals(of: "gone", in: name))
            }
        }
    }

    static func prepare(_ store: any RecordStore) throws(TidemarkError) {
        try store.transaction { () throws(TidemarkError) in
            try store.set("s", to: "1")
            try store.save(CollectionState(cursor: "1"), of: "c")
            try store.save(Self.fullRecord("edited", .edited(.idle)), in: "c")
            try store.save(Self.fullRecord("synced", .synced), in: "c")
            try store.quarantine(QuarantinedItem(pk: "odd", reason: "r"), in: "c")
            _ = try store.append(Self.entry("edited", value: "1"), in: "c")
            try store.append(StoredRemoval(pk: "gone", path: "/a", version: "1"), in: "c")
        }
    }

    /// One write of each kind.
    private enum Change: CaseIterable {
        case setting, state, record, newRecord, erased, page, quarantinedItem, itemCleared, entry, removal,
            removalsTrimmed

        func make(in store: any RecordStore) throws(TidemarkError) {
            switch self {
            case .setting: try store.set("s", to: nil)
            case .state: try store.save(CollectionState(cursor: "2"), of: "c")
            case .record: try store.save(StoreConformance.bareRecord("edited", .deleted(.held)), in: "c")
            case .newRecord: try store.save(StoreConformance.bareRecord("new", .created(.unconfirmed)), in: "d")
            case .erased: try store.erase("synced", in: "c")
            case .page: try self.refresh(store)
            case .quarantinedItem: try store.quarantine(QuarantinedItem(pk: "odder", reason: "r"), in: "c")
            case .itemCleared: try store.clearQuarantine("odd", in: "c")
            case .entry: _ = try store.append(StoreConformance.entry("new", value: nil), in: "c")
            case .removal: try store.append(StoredRemoval(pk: "gone", path: "", version: "2"), in: "c")
            case .removalsTrimmed: try store.trimRemovals(of: "c", keeping: 0)
            }
        }

        private func refresh(_ store: any RecordStore) throws(TidemarkError) {
            let items = ["synced", "edited", "newest"].map { FeedPage.Item(pk: "\"\($0)\"", version: "9", data: "{}") }
            _ = try store.refresh(FeedPage(items), in: "c", resyncGeneration: 9)
        }
    }

    /// Runs a transaction that throws at its end.
    static func abort(_ store: any RecordStore, _ body: () throws(TidemarkError) -> Void) throws {
        let stop = TidemarkError(TidemarkError.Code("conformance"), "stop")
        do throws(TidemarkError) {
            try store.transaction { () throws(TidemarkError) in
                try body()
                throw stop
            }
        } catch {
            guard error.code == stop.code else { throw error }
            return
        }
        throw ConformanceFailure("a transaction whose body throws", expected: "the same error", found: "no error")
    }
}
