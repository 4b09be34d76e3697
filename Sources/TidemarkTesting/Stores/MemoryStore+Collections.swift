public import TidemarkCore
import TidemarkJSON
public import TidemarkRules

extension MemoryStore {
    /// A value of the whole store; nil if it was never set.
    public func setting(_ key: String) throws(TidemarkError) -> String? {
        self.contents.settings[CodePointString(key)]
    }

    /// Sets or (nil) removes a value of the whole store.
    public func set(_ key: String, to value: String?) throws(TidemarkError) {
        try self.countWrite()
        self.write(.setting(CodePointString(key), value))
    }

    /// Removes everything.
    public func eraseAll() throws(TidemarkError) {
        try self.countWrite()
        self.write(.everything(settings: [:], collections: [:]))
    }

    /// The names of the collections that have a row of any kind, in the order of their UTF-8 bytes.
    public func collections() throws(TidemarkError) -> [String] {
        self.contents.collections.filter(\.value.isKnown).keys.sorted().map(\.value)
    }

    /// The state of a collection besides its records; a fresh value for an unknown collection.
    public func state(of collection: String) throws(TidemarkError) -> CollectionState {
        self.collection(collection).state ?? CollectionState()
    }

    /// Stores the state of a collection besides its records.
    public func save(_ state: CollectionState, of collection: String) throws(TidemarkError) {
        try self.countWrite()
        self.write(.state(state, of: CodePointString(collection)))
    }

    /// Removes all data of a collection.
    public func erase(collection: String) throws(TidemarkError) {
        try self.countWrite()
        self.write(.collection(CodePointString(collection), nil))
    }

    /// The quarantined feed items, in the order of the UTF-8 bytes of their pk.
    public func quarantinedItems(in collection: String) throws(TidemarkError) -> [QuarantinedItem] {
        self.collection(collection).quarantinedItems.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Stores or replaces (by pk) a quarantined item.
    public func quarantine(_ item: QuarantinedItem, in collection: String) throws(TidemarkError) {
        try self.countWrite()
        self.write(.quarantinedItem(CodePointString(item.pk), item, in: CodePointString(collection)))
    }

    /// Removes an item from the quarantine.
    public func clearQuarantine(_ pk: String, in collection: String) throws(TidemarkError) {
        try self.countWrite()
        self.write(.quarantinedItem(CodePointString(pk), nil, in: CodePointString(collection)))
    }

    /// Adds an entry with the next number, and returns the number.
    public func append(_ entry: StoredJournalEntry, in collection: String) throws(TidemarkError) -> Int64 {
        try self.countWrite()
        var entry = entry
        entry.number = self.contents.lastEntry + 1
        self.write(.entry(entry, in: CodePointString(collection)))
        return entry.number
    }

    /// Deletes all but the newest entries of a collection: those with a reason, or all if there is none.
    public func trimJournal(
        of collection: String, keeping count: Int, reason: JournalEntry.Reason?
    ) throws(TidemarkError) {
        try self.countWrite()
        let journal = self.collection(collection).journal
        func isCounted(_ entry: StoredJournalEntry) -> Bool { reason == nil || entry.reason == reason }
        let excess = journal.count(where: isCounted) - max(0, count)
        guard excess > 0 else { return }
        let removed = Set(journal.lazy.filter(isCounted).prefix(excess).map(\.number))
        self.write(.journal(journal.filter { !removed.contains($0.number) }, of: CodePointString(collection)))
    }

    /// Entries from the oldest to the newest: of one record, or of the whole collection.
    public func journal(of pk: String?, in collection: String) throws(TidemarkError) -> [StoredJournalEntry] {
        let journal = self.collection(collection).journal
        guard let pk else { return journal }
        return journal.filter { CodePointString($0.pk) == CodePointString(pk) }
    }

    /// Marks entries of a collection as restored.
    public func noteRestored(_ numbers: [Int64], in collection: String) throws(TidemarkError) {
        try self.countWrite()
        let numbers = Set(numbers)
        let journal = self.collection(collection).journal.map { entry in
            var entry = entry
            if numbers.contains(entry.number) { entry.isRestored = true }
            return entry
        }
        guard !journal.isEmpty else { return }
        self.write(.journal(journal, of: CodePointString(collection)))
    }

    /// The number of entries of a collection about values that a server lost and that were not restored.
    public func lostByServer(in collection: String, limit: Int) throws(TidemarkError) -> Int {
        let lost = self.collection(collection).journal.lazy.filter { $0.reason == .serverRolledBack && !$0.isRestored }
        return lost.prefix(max(0, limit)).reduce(0) { count, _ in count + 1 }
    }

    /// Stores a removal that the server confirmed.
    public func append(_ removal: StoredRemoval, in collection: String) throws(TidemarkError) {
        try self.countWrite()
        let others = self.collection(collection).removals.filter { former in
            CodePointString(former.pk) != CodePointString(removal.pk)
                || CodePointString(former.path) != CodePointString(removal.path)
        }
        self.write(.removals(others + [removal], of: CodePointString(collection)))
    }

    /// The removals of a record, from the oldest to the newest.
    public func removals(of pk: String, in collection: String) throws(TidemarkError) -> [StoredRemoval] {
        self.collection(collection).removals.filter { CodePointString($0.pk) == CodePointString(pk) }
    }

    /// Deletes all but the newest removals of a collection.
    public func trimRemovals(of collection: String, keeping count: Int) throws(TidemarkError) {
        try self.countWrite()
        let removals = self.collection(collection).removals
        guard removals.count > count else { return }
        self.write(.removals(removals.suffix(max(0, count)), of: CodePointString(collection)))
    }
}
