import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules

extension StoreConformance {
    static let collectionChecks: [Check] = [
        Check("a setting is stored, replaced and removed") { store in
            try expect("a setting that was never set", try store.setting("a"), is: nil)
            for value in ["1", "", "\u{0}é"] {
                try store.transaction { () throws(TidemarkError) in try store.set("a", to: value) }
                try expect("the setting", try store.setting("a"), is: value)
            }
            try store.transaction { () throws(TidemarkError) in
                try store.set("a", to: nil)
                try store.set("b", to: nil)
            }
            try expect("a removed setting", try store.setting("a"), is: nil)
        },
        Check("settings differ by code point") { store in
            try store.transaction { () throws(TidemarkError) in
                for name in Self.names {
                    try store.set(name, to: name)
                }
            }
            for name in Self.names {
                try expect(
                    "the setting", try store.setting(name).map { CodePointString($0) }, is: CodePointString(name))
            }
        },
        Check("an unknown collection has a fresh state, and a read does not make it known") { store in
            try expect("the state", try store.state(of: "c"), is: CollectionState())
            try expect("its records", try store.unsettledRecords(in: "c"), is: [])
            try expect("its counts", try store.counts(in: "c"), is: [:])
            try expect("its journal", try store.journal(of: nil, in: "c"), is: [])
            try expect("its removals", try store.removals(of: "1", in: "c"), is: [])
            try expect("the collections", try store.collections(), is: [])
        },
        Check("the state of a collection is stored and replaced") { store in
            let states = [
                CollectionState(
                    cursor: "é\u{0}17", seen: "é\u{0}18", epoch: "é\u{0}19",
                    resync: CollectionState.Resync(.rollback, isRunning: true), claim: .historyLost,
                    resyncGeneration: 9_000_000_000, malformedTries: 2,
                    resyncBegan: .microseconds(1_795_289_085_544_001),
                    lastInSync: .microseconds(1_795_289_085_544_002), exchangeMemory: "é\u{0}20"),
                CollectionState(
                    cursor: "", seen: "", epoch: "", resync: CollectionState.Resync(.wanted), claim: .rollback,
                    resyncGeneration: 1, lastInSync: .zero, exchangeMemory: ""),
                CollectionState(resync: CollectionState.Resync(.historyLost)),
                CollectionState(claim: .wanted),
                CollectionState(),
            ]
            for state in states {
                try store.transaction { () throws(TidemarkError) in try store.save(state, of: "c") }
                try expect("the state", try store.state(of: "c"), is: state)
                try expect("the state of another collection", try store.state(of: "d"), is: CollectionState())
            }
        },
        Check("collections are listed in code-point order if they have any row") { store in
            try store.transaction { () throws(TidemarkError) in
                for (index, name) in Self.names.reversed().enumerated() {
                    switch index % 5 {
                    case 0: try store.save(CollectionState(), of: name)
                    case 1: try store.save(Self.bareRecord("1", .synced), in: name)
                    case 2: try store.quarantine(QuarantinedItem(pk: "1", reason: "r"), in: name)
                    case 3: try store.append(StoredRemoval(pk: "1", path: "", version: nil), in: name)
                    default: _ = try store.append(Self.entry("1", value: nil), in: name)
                    }
                }
            }
            try expect(
                "the collections", Self.codePoints(try store.collections()), is: Self.codePoints(Self.names))
        },
        Check("an erased collection becomes unknown, and other collections are unchanged") { store in
            try store.fill(["c", "d"])
            let before = try store.journal(of: nil, in: "d")
            try store.transaction { () throws(TidemarkError) in
                try store.erase(collection: "c")
                try store.erase(collection: "unknown")
            }
            try expect("the collections", try store.collections(), is: ["d"])
            try expect("its state", try store.state(of: "c"), is: CollectionState())
            try expect("its record", try store.record("1", in: "c"), is: nil)
            try expect("its counts", try store.counts(in: "c"), is: [:])
            try expect("its quarantined items", try store.quarantinedItems(in: "c"), is: [])
            try expect("its journal", try store.journal(of: nil, in: "c"), is: [])
            try expect("its removals", try store.removals(of: "gone", in: "c"), is: [])
            try expect("the journal of the other collection", try store.journal(of: nil, in: "d"), is: before)
            let number = try store.transaction { () throws(TidemarkError) in
                try store.append(Self.entry("1", value: nil), in: "c")
            }
            try expect("the number of the next entry", number, is: 3)
            try expect("the records of the other collection", try store.counts(in: "d"), is: [.synced: 1])
        },
        Check("rows of an erased collection are in no other one, before and after they are removed") { store in
            try store.fill(["c", "d"])
            try store.transaction { () throws(TidemarkError) in
                try store.erase(collection: "d")
                try store.save(Self.bareRecord("2", .synced), in: "e")
            }
            for _ in 0..<100 {
                try expect("the collections", try store.collections(), is: ["c", "e"])
                try expect("the records of a new collection", try store.counts(in: "e"), is: [.synced: 1])
                try expect("its journal", try store.journal(of: nil, in: "e"), is: [])
                try expect("its quarantined items", try store.quarantinedItems(in: "e"), is: [])
                try expect("its removals", try store.removals(of: "gone", in: "e"), is: [])
                try expect("the records of the other collection", try store.counts(in: "c"), is: [.synced: 1])
                let isAnyLeft = try store.transaction { () throws(TidemarkError) in try store.removeErased(limit: 1) }
                guard isAnyLeft else { return }
            }
            try expect("the end of the removal", false, is: true)
        },
        Check("a collection is erased as part of a transaction, unless that fails") { store in
            try store.fill(["c"])
            let failure = TidemarkError(.patchFailed, "the body fails")
            do throws(TidemarkError) {
                try store.transaction { () throws(TidemarkError) in
                    try store.erase(collection: "c")
                    throw failure
                }
            } catch {
                try expect("the error", error.code, is: failure.code)
            }
            try expect("the records", try store.counts(in: "c"), is: [.synced: 1])
            try store.transaction { () throws(TidemarkError) in
                try store.erase(collection: "c")
                try store.save(Self.bareRecord("2", .synced), in: "c")
            }
            try expect("the former record", try store.record("1", in: "c"), is: nil)
            try expect("the records of the new collection", try store.counts(in: "c"), is: [.synced: 1])
        },
        Check("quarantined items are stored by pk, in code-point order") { store in
            try store.transaction { () throws(TidemarkError) in
                for name in Self.names.reversed() {
                    try store.quarantine(QuarantinedItem(pk: name, reason: "first"), in: "c")
                }
                try store.quarantine(QuarantinedItem(pk: "A", reason: "second"), in: "c")
                try store.clearQuarantine("2", in: "c")
                try store.clearQuarantine("unknown", in: "c")
            }
            let items = try store.quarantinedItems(in: "c")
            try expect(
                "the items", Self.codePoints(items.map(\.pk)), is: Self.codePoints(Self.names.filter { $0 != "2" }))
            try expect("the reason", items.first { $0.pk == "A" }?.reason, is: "second")
            try expect("the items of another collection", try store.quarantinedItems(in: "d"), is: [])
        },
        Check("journal entries are numbered 1, 2, 3 in the whole store and returned from the oldest") { store in
            let entries = [Self.entry("A", value: "1"), Self.entry("a", value: nil), Self.entry("A", value: "{}")]
            let numbers = try store.transaction { () throws(TidemarkError) in
                [
                    try store.append(entries[0], in: "c"), try store.append(entries[1], in: "d"),
                    try store.append(entries[1], in: "c"), try store.append(entries[2], in: "c"),
                ]
            }
            try expect("the numbers", numbers, is: [1, 2, 3, 4])
            let all = zip([1, 3, 4], entries).map { Self.numbered($1, Int64($0)) }
            try expect("the journal", try store.journal(of: nil, in: "c"), is: all)
            try expect("the journal of a record", try store.journal(of: "A", in: "c"), is: [all[0], all[2]])
            try expect(
                "the journal of the other collection", try store.journal(of: nil, in: "d"),
                is: [Self.numbered(entries[1], 2)])
        },
        Check("a trimmed journal keeps the newest entries of its collection, and reuses no number") { store in
            let last = try store.transaction { () throws(TidemarkError) in
                for name in ["c", "c", "d", "c"] { _ = try store.append(Self.entry("A", value: "1"), in: name) }
                try store.trimJournal(of: "c", keeping: 2, reason: nil)
                try store.trimJournal(of: "d", keeping: 2, reason: nil)
                try store.trimJournal(of: "unknown", keeping: 0, reason: nil)
                try store.trimJournal(of: "d", keeping: 0, reason: nil)
                return try store.append(Self.entry("A", value: "1"), in: "d")
            }
            try expect("the number after", last, is: 5)
            try expect("the remaining entries", try store.journal(of: nil, in: "c").map(\.number), is: [2, 4])
            try expect("the remaining entries of the other", try store.journal(of: nil, in: "d").map(\.number), is: [5])
        },
        Check("a journal is trimmed to the newest entries of one reason, and keeps all others") { store in
            try store.transaction { () throws(TidemarkError) in
                for (name, reason) in [
                    ("c", JournalEntry.Reason.replaced), ("c", .merge), ("d", .replaced), ("c", .replaced),
                    ("c", .merge),
                    ("c", .replaced),
                ] {
                    var entry = Self.entry("A", value: "1")
                    entry.reason = reason
                    _ = try store.append(entry, in: name)
                }
                try store.trimJournal(of: "c", keeping: 2, reason: .replaced)
                try store.trimJournal(of: "c", keeping: 0, reason: .altered)
            }
            try expect("the remaining entries", try store.journal(of: nil, in: "c").map(\.number), is: [2, 4, 5, 6])
            try expect("the remaining entries of the other", try store.journal(of: nil, in: "d").map(\.number), is: [3])
        },
        Check("restored entries are marked, and values that a server lost are counted until then") { store in
            var lost = Self.entry("A", value: "1")
            lost.reason = .serverRolledBack
            let entries = [lost, Self.entry("A", value: nil), lost]
            try store.transaction { () throws(TidemarkError) in
                for entry in entries { _ = try store.append(entry, in: "c") }
                _ = try store.append(lost, in: "d")
                lost.isRestored = true
                _ = try store.append(lost, in: "c")
            }
            try expect("the number of lost values", try store.lostByServer(in: "c", limit: 9), is: 2)
            try expect(
                "the restored entries", try store.journal(of: nil, in: "c").map(\.isRestored),
                is: [
                    false, false, false, true,
                ])
            try store.transaction { () throws(TidemarkError) in
                try store.noteRestored([], in: "c")
                try store.noteRestored([2, 3, 4, 99], in: "c")
                try store.noteRestored([1], in: "unknown")
            }
            try expect("the number of lost values", try store.lostByServer(in: "c", limit: 9), is: 1)
            try expect(
                "the restored entries", try store.journal(of: nil, in: "c").map(\.isRestored),
                is: [
                    false, true, true, true,
                ])
            try expect("the number up to a limit", try store.lostByServer(in: "c", limit: 0), is: 0)
            try expect("the number in another collection", try store.lostByServer(in: "d", limit: 9), is: 1)
            try expect("the number in an unknown collection", try store.lostByServer(in: "unknown", limit: 9), is: 0)
        },
        Check("removals are returned by record, and a newer one of a path replaces the former") { store in
            let removals = [("A", "/x"), ("a", ""), ("A", "/y"), ("A", "/x")].enumerated().map { number, removal in
                StoredRemoval(pk: removal.0, path: removal.1, version: number == 2 ? nil : "\(number)")
            }
            try store.transaction { () throws(TidemarkError) in
                for removal in removals { try store.append(removal, in: "c") }
                try store.append(removals[0], in: "d")
            }
            try expect("the removals", try store.removals(of: "A", in: "c"), is: [removals[2], removals[3]])
            try expect("the removals of another record", try store.removals(of: "a", in: "c"), is: [removals[1]])
            try expect("the removals in another collection", try store.removals(of: "A", in: "d"), is: [removals[0]])
        },
        Check("trimmed removals keep the newest of their collection") { store in
            try store.transaction { () throws(TidemarkError) in
                for name in ["c", "d", "c"] {
                    for path in ["/x", "/y"] {
                        try store.append(StoredRemoval(pk: "A", path: path, version: nil), in: name)
                    }
                }
                try store.trimRemovals(of: "c", keeping: 1)
                try store.trimRemovals(of: "d", keeping: 2)
                try store.trimRemovals(of: "unknown", keeping: 0)
            }
            try expect("the remaining removals", try store.removals(of: "A", in: "c").map(\.path), is: ["/y"])
            try expect("the removals of the other", try store.removals(of: "A", in: "d").map(\.path), is: ["/x", "/y"])
        },
    ]

    static func entry(_ pk: String, value: String?) -> StoredJournalEntry {
        StoredJournalEntry(
            pk: pk, reason: value == nil ? .resign : JournalEntry.Reason("app's own"),
            lost: value == nil ? .client : .server, path: value == nil ? "" : "/é/~1", value: value.map(Self.bytes),
            version: value == nil ? nil : "\"v1\"", shown: value.map { Self.bytes("[\($0)]") })
    }

    private static func numbered(_ entry: StoredJournalEntry, _ number: Int64) -> StoredJournalEntry {
        var entry = entry
        entry.number = number
        return entry
    }
}

extension RecordStore {
    /// Gives each of these collections a row of every kind.
    fileprivate func fill(_ collections: [String]) throws(TidemarkError) {
        try self.transaction { () throws(TidemarkError) in
            for name in collections {
                try self.save(CollectionState(cursor: "w", resyncGeneration: 3), of: name)
                try self.save(StoreConformance.bareRecord("1", .synced), in: name)
                try self.quarantine(QuarantinedItem(pk: "2", reason: "r"), in: name)
                _ = try self.append(StoreConformance.entry("1", value: "1"), in: name)
                try self.append(StoredRemoval(pk: "gone", path: "", version: "4"), in: name)
            }
        }
    }
}
