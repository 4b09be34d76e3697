public import TidemarkCore
import TidemarkJSON
public import TidemarkRules

extension MemoryStore {
    /// A value that belongs to the store as a whole; nil when it was never set.
    public func setting(_ key: String) throws(TidemarkError) -> String? {
        self.contents.settings[CodePointString(key)]
    }

    /// Sets or (nil) removes a value that belongs to the store as a whole.
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

    /// What is kept of a collection besides its records; a fresh value for one that is not known.
    public func state(of collection: String) throws(TidemarkError) -> CollectionState {
        self.collection(collection).state ?? CollectionState()
    }

    /// Keeps what there is of a collection besides its records.
    public func save(_ state: CollectionState, of collection: String) throws(TidemarkError) {
        try self.countWrite()
        self.write(.state(state, of: CodePointString(collection)))
    }

    /// Removes all that is kept of a collection.
    public func erase(collection: String) throws(TidemarkError) {
        try self.countWrite()
        self.write(.collection(CodePointString(collection), nil))
    }

    /// Feed items that were set aside, in the order of the UTF-8 bytes of their pk.
    public func itemsSetAside(in collection: String) throws(TidemarkError) -> [ItemSetAside] {
        self.collection(collection).itemsSetAside.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Keeps or replaces (by pk) an item that was set aside.
    public func setAside(_ item: ItemSetAside, in collection: String) throws(TidemarkError) {
        try self.countWrite()
        self.write(.itemSetAside(CodePointString(item.pk), item, in: CodePointString(collection)))
    }

    /// Forgets an item that was set aside.
    public func clearAside(_ pk: String, in collection: String) throws(TidemarkError) {
        try self.countWrite()
        self.write(.itemSetAside(CodePointString(pk), nil, in: CodePointString(collection)))
    }

    /// Adds an entry, gives it the next number, and returns that.
    public func append(_ entry: StoredJournalEntry, in collection: String) throws(TidemarkError) -> Int64 {
        try self.countWrite()
        var entry = entry
        entry.number = self.contents.lastEntry + 1
        self.write(.entry(entry, in: CodePointString(collection)))
        return entry.number
    }

    /// Forgets all but the newest entries of a collection.
    public func trimJournal(of collection: String, keeping count: Int) throws(TidemarkError) {
        try self.countWrite()
        let journal = self.collection(collection).journal
        guard journal.count > count else { return }
        self.write(.journal(journal.suffix(max(0, count)), of: CodePointString(collection)))
    }

    /// Entries from the oldest to the newest: of one record, or of the whole collection.
    public func journal(of pk: String?, in collection: String) throws(TidemarkError) -> [StoredJournalEntry] {
        let journal = self.collection(collection).journal
        guard let pk else { return journal }
        return journal.filter { CodePointString($0.pk) == CodePointString(pk) }
    }

    /// Notes that what these entries of a collection say was brought back.
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

    /// How many entries of a collection are about what a server lost, and were not brought back.
    public func lostByServer(in collection: String, limit: Int) throws(TidemarkError) -> Int {
        let lost = self.collection(collection).journal.lazy.filter { $0.reason == .serverWentBack && !$0.isRestored }
        return lost.prefix(max(0, limit)).reduce(0) { count, _ in count + 1 }
    }

    /// Keeps a removal that the server confirmed.
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

    /// Forgets all but the newest removals of a collection.
    public func trimRemovals(of collection: String, keeping count: Int) throws(TidemarkError) {
        try self.countWrite()
        let removals = self.collection(collection).removals
        guard removals.count > count else { return }
        self.write(.removals(removals.suffix(max(0, count)), of: CodePointString(collection)))
    }
}
