import TidemarkCore
import TidemarkJSON
import TidemarkMachine

/// The data of a ``MemoryStore``: a value, so that a copy of it is the state after a crash.
struct MemoryContents: Hashable, Sendable {
    var settings: [CodePointString: String] = [:]
    var collections: [CodePointString: MemoryCollection] = [:]
    var lastEntry: Int64 = 0

    /// One write, or its undo.
    enum Change {
        case setting(CodePointString, String?)
        case collection(CodePointString, MemoryCollection?)
        case state(CollectionState?, of: CodePointString)
        case record(CodePointString, StoredRecord?, in: CodePointString)
        case quarantinedItem(CodePointString, QuarantinedItem?, in: CodePointString)
        case entry(StoredJournalEntry, in: CodePointString)
        case noEntry(in: CodePointString)
        case journal([StoredJournalEntry], of: CodePointString)
        case removals([StoredRemoval], of: CodePointString)
        case references([CodePointString: RecordReferences], of: CodePointString)
        case everything(settings: [CodePointString: String], collections: [CodePointString: MemoryCollection])
    }

    /// Makes a change, and returns its undo.
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
        case .quarantinedItem(let pk, let item, let collection):
            let former = self.collections[collection]?.quarantinedItems[pk]
            self.collections[collection, default: MemoryCollection()].quarantinedItems[pk] = item
            return .quarantinedItem(pk, former, in: collection)
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
        case .removals(let removals, let collection):
            let former = self.collections[collection]?.removals ?? []
            self.collections[collection, default: MemoryCollection()].removals = removals
            return .removals(former, of: collection)
        case .references(let references, let collection):
            let former = self.collections[collection]?.references ?? [:]
            self.collections[collection, default: MemoryCollection()].references = references
            return .references(former, of: collection)
        case .everything(let settings, let collections):
            defer { (self.settings, self.collections) = (settings, collections) }
            return .everything(settings: self.settings, collections: self.collections)
        }
    }

    private mutating func takeBackEntry(in collection: CodePointString) -> Change {
        guard let entry = self.collections[collection]?.journal.popLast() else {
            preconditionFailure("An entry of “\(collection)” is undone that was never added.")
        }
        self.lastEntry = entry.number - 1
        return .entry(entry, in: collection)
    }
}
