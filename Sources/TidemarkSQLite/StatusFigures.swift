import TidemarkCore
import TidemarkMachine
import TidemarkRules

/// What a status needs to know of each collection: read once, and then kept up to date in memory by each write. A column with the
/// numbers would be one more page of the log for each edit.
///
/// A collection has no figures until its status was asked for. A transaction that fails clears all of them.
struct StatusFigures {
    private var counts: [Int64: [SyncState: Int]] = [:]
    private var waiting: [Int64: StoredRecord.Waiting] = [:]

    /// Whether a write has to know the row that it replaces.
    func areKept(of collection: Int64) -> Bool {
        self.counts[collection] != nil || self.waiting[collection] != nil
    }

    /// The number of records in each state; read with the closure, if it is not known.
    mutating func counts<Failure>(
        of collection: Int64, _ read: () throws(Failure) -> [SyncState: Int]
    ) throws(Failure) -> [SyncState: Int] {
        if let counts = self.counts[collection] { return counts.filter { $0.value > 0 } }
        let counts = try read()
        self.counts[collection] = counts
        return counts
    }

    /// The records that wait; read with the closure, if they are not known.
    mutating func waiting<Failure>(
        in collection: Int64, _ read: () throws(Failure) -> StoredRecord.Waiting
    ) throws(Failure) -> StoredRecord.Waiting {
        if let waiting = self.waiting[collection] { return waiting }
        let waiting = try read()
        self.waiting[collection] = waiting
        return waiting
    }

    /// Replaces a record with this phase in the figures; nil if there is none.
    mutating func replace(_ old: RecordPhase?, by new: RecordPhase?, in collection: Int64) {
        let states = (old?.state, new?.state)
        if states.0 != states.1, !self.counts.isEmpty, self.counts[collection] != nil {
            if let state = states.0 { self.counts[collection]?[state, default: 0] -= 1 }
            if let state = states.1 { self.counts[collection]?[state, default: 0] += 1 }
        }
        if old?.isWaiting == true || new?.isWaiting == true { self.waiting[collection] = nil }
    }

    /// Adds SYNCD records, or (a negative number) removes some.
    mutating func add(synced count: Int, in collection: Int64) {
        self.counts[collection]?[.synced, default: 0] += count
    }

    mutating func forget(_ collection: Int64) {
        self.counts[collection] = nil
        self.waiting[collection] = nil
    }

    mutating func forgetAll() {
        self.counts = [:]
        self.waiting = [:]
    }
}

extension RecordPhase {
    fileprivate var isWaiting: Bool { self.activity == .deciding || self.activity == .held }
}
