import TidemarkCore
import TidemarkJSON
import TidemarkMachine

/// What a ``MemoryStore`` holds: a value, so that a copy of it is what is left after a crash.
struct MemoryContents: Hashable, Sendable {
    var settings: [CodePointString: String] = [:]
    var collections: [CodePointString: MemoryCollection] = [:]
    var lastEntry: Int64 = 0

    /// One write, or the one that takes it back.
    enum Change {
        case setting(CodePointString, String?)
        case collection(CodePointString, MemoryCollection?)
        case state(CollectionState?, of: CodePointString)
        case record(CodePointString, StoredRecord?, in: CodePointString)
        case itemSetAside(CodePointString, ItemSetAside?, in: CodePointString)
        case entry(StoredJournalEntry, in: CodePointString)
        case noEntry(in: CodePointString)
        case journal([StoredJournalEntry], of: CodePointString)
        case everything(settings: [CodePointString: String], collections: [CodePointString: MemoryCollection])
    }

    /// Makes a change, and returns the one that takes it back.
    mutating func apply(_ change: Change) -> Change {
        switch change {
        case .setting(let key, let value):
            let former = self.settings[key]
            self.settings[key] = value
            return .setting(key, former)
        case .collection(let name, let collection):
            let former = self.collections[name]
            self.collections[name] = collection
            return .collection(name, former)
        case .state(let state, let collection):
            let former = self.collections[collection]?.state
            self.collections[collection, default: MemoryCollection()].state = state
            return .state(former, of: collection)
        case .record(let pk, let record, let collection):
            let former = self.collections[collection, default: MemoryCollection()].put(record, under: pk)
            return .record(pk, former, in: collection)
        case .itemSetAside(let pk, let item, let collection):
            let former = self.collections[collection]?.itemsSetAside[pk]
            self.collections[collection, default: MemoryCollection()].itemsSetAside[pk] = item
            return .itemSetAside(pk, former, in: collection)
        case .entry(let entry, let collection):
            self.lastEntry = entry.number
            self.collections[collection, default: MemoryCollection()].journal.append(entry)
            return .noEntry(in: collection)
        case .noEntry(let collection):
            return self.takeBackEntry(in: collection)
        case .journal(let entries, let collection):
            let former = self.collections[collection]?.journal ?? []
            self.collections[collection, default: MemoryCollection()].journal = entries
            return .journal(former, of: collection)
        case .everything(let settings, let collections):
            defer { (self.settings, self.collections) = (settings, collections) }
            return .everything(settings: self.settings, collections: self.collections)
        }
    }

    private mutating func takeBackEntry(in collection: CodePointString) -> Change {
        guard let entry = self.collections[collection]?.journal.popLast() else {
            preconditionFailure("An entry of “\(collection)” is taken back that was never added.")
        }
        self.lastEntry = entry.number - 1
        return .entry(entry, in: collection)
    }
}

/// One collection of a ``MemoryStore``.
struct MemoryCollection: Hashable, Sendable {
    var state: CollectionState?
    private(set) var records: [CodePointString: StoredRecord] = [:]
    /// The pks of all records, by code point.
    private(set) var order: [CodePointString] = []
    /// The pks of records that are not SYNCD, so that finding them costs nothing for the others (SPEC §9).
    private(set) var changed: Set<CodePointString> = []
    var itemsSetAside: [CodePointString: ItemSetAside] = [:]
    var journal: [StoredJournalEntry] = []

    /// Whether there is a row of any kind.
    var isKnown: Bool {
        self.state != nil || !self.records.isEmpty || !self.itemsSetAside.isEmpty || !self.journal.isEmpty
    }

    /// Keeps or (nil) removes a record, and returns the former one.
    mutating func put(_ record: StoredRecord?, under pk: CodePointString) -> StoredRecord? {
        let former = self.records.updateValue(record, forKey: pk)
        switch (former, record) {
        case (nil, .some): self.order.insert(pk, at: self.position(after: pk))
        case (.some, nil): self.order.remove(at: self.position(after: pk) - 1)
        case (nil, nil), (.some, .some): break
        }
        if record == nil || record?.phase == .synced {
            self.changed.remove(pk)
        } else {
            self.changed.insert(pk)
        }
        return former
    }

    /// How many pks are not after this one.
    func position(after pk: CodePointString) -> Int {
        var low = 0
        var high = self.order.count
        while low < high {
            let middle = (low + high) / 2
            if pk < self.order[middle] {
                high = middle
            } else {
                low = middle + 1
            }
        }
        return low
    }

    /// The records that are not SYNCD and whose activity fits, in the order of their sequence.
    func changedRecords(_ fits: (RecordPhase.Activity) -> Bool) -> [StoredRecord] {
        self.changed.compactMap { self.records[$0] }
            .filter { $0.phase.activity.map(fits) ?? false }
            .sorted { ($0.sequence, CodePointString($0.pk)) < ($1.sequence, CodePointString($1.pk)) }
    }
}

extension Dictionary {
    /// Sets or (nil) removes a value, and returns the former one.
    fileprivate mutating func updateValue(_ value: Value?, forKey key: Key) -> Value? {
        if let value {
            return self.updateValue(value, forKey: key)
        }
        return self.removeValue(forKey: key)
    }
}
