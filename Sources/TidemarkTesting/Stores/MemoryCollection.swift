import TidemarkCore
import TidemarkJSON
import TidemarkMachine

/// One collection of a ``MemoryStore``.
struct MemoryCollection: Hashable, Sendable {
    var state: CollectionState?
    private(set) var records: [CodePointString: StoredRecord] = [:]
    /// The pks of all records.
    private(set) var order = SortedKeys<CodePointString>()
    /// The pks of records that are not SYNCD, so that finding them does not depend on the number of SYNCD records (Contract
    /// §9).
    private(set) var changed = SortedKeys<CodePointString>()
    /// The same pks by activity, in the order of their sequence.
    private var turns: [RecordPhase.Activity: SortedKeys<Turn>] = [:]
    /// The pks of the records for which the server has its own names.
    private var named: [CodePointString: SortedKeys<CodePointString>] = [:]
    var quarantinedItems: [CodePointString: QuarantinedItem] = [:]
    var journal: [StoredJournalEntry] = []
    var removals: [StoredRemoval] = []
    /// What the rows say about references; none for most.
    var references: [CodePointString: RecordReferences] = [:]

    /// Whether there is a row of any kind.
    var isKnown: Bool {
        self.state != nil || !self.records.isEmpty || !self.quarantinedItems.isEmpty || !self.journal.isEmpty
            || !self.removals.isEmpty
    }

    /// The place of a record in the order of its activity.
    private struct Turn: Comparable, Hashable {
        let sequence: Int64
        let pk: CodePointString

        static func < (left: Turn, right: Turn) -> Bool {
            (left.sequence, left.pk) < (right.sequence, right.pk)
        }
    }

    /// Stores or (nil) removes a record, and returns the former one.
    mutating func put(_ record: StoredRecord?, under pk: CodePointString) -> StoredRecord? {
        let former = self.records.updateValue(record, forKey: pk)
        if let former { self.strike(former, pk) }
        if let record { self.enter(record, pk) }
        switch (former, record) {
        case (nil, .some): self.order.insert(pk)
        case (.some, nil): self.order.remove(pk)
        case (nil, nil), (.some, .some): break
        }
        if record == nil || record?.phase == .synced {
            self.changed.remove(pk)
        } else {
            self.changed.insert(pk)
        }
        return former
    }

    private mutating func strike(_ record: StoredRecord, _ pk: CodePointString) {
        if let activity = record.phase.activity {
            self.turns[activity]?.remove(Turn(sequence: record.sequence, pk: pk))
            if self.turns[activity]?.all.isEmpty == true { self.turns[activity] = nil }
        }
        if let name = record.name.map({ CodePointString($0) }) {
            self.named[name]?.remove(pk)
            if self.named[name]?.all.isEmpty == true { self.named[name] = nil }
        }
    }

    private mutating func enter(_ record: StoredRecord, _ pk: CodePointString) {
        if let activity = record.phase.activity {
            self.turns[activity, default: SortedKeys()].insert(Turn(sequence: record.sequence, pk: pk))
        }
        if let name = record.name { self.named[CodePointString(name), default: SortedKeys()].insert(pk) }
    }

    /// The record with a name of the server; if there are several, the first by its pk.
    func record(named name: CodePointString) -> StoredRecord? {
        self.named[name]?.all.first.flatMap { self.records[$0] }
    }

    /// The records with an activity, in the order of their sequence.
    func records(_ activity: RecordPhase.Activity, limit: Int = .max) -> [StoredRecord] {
        (self.turns[activity]?.all ?? []).prefix(limit).compactMap { self.records[$0.pk] }
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
