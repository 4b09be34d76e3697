import TidemarkJSON
import TidemarkMachine
import TidemarkRules

/// The callers that wait for the outcome of a write. In memory only: after a restart the app calls again.
struct WriteWatch {
    private var writes: [RecordName: [PendingWrite]] = [:]
    private var last = 0

    /// The number of awaited outcomes.
    var count: Int { self.writes.values.reduce(0) { $0 + $1.count } }

    /// Whether a caller waits for a record.
    func isWaiting(for name: RecordName) -> Bool { self.writes[name] != nil }

    /// Begins to wait for the outcome of a record's pending changes.
    mutating func begin(_ record: Record, _ name: RecordName) -> WriteWait {
        guard record.machine.phase.activity != nil else { return .known(nil) }
        let write = PendingWrite(self.last + 1, record)
        if let outcome = write.rest(in: record.machine.phase, hold: record.hold) { return .known(outcome) }
        self.last = write.number
        self.writes[name, default: []].append(write)
        return .awaited(write.number)
    }

    /// Ends a wait that was cancelled.
    mutating func forget(_ number: Int) {
        for (name, writes) in self.writes {
            let others = writes.filter { $0.number != number }
            self.writes[name] = others.isEmpty ? nil : others
        }
    }

    /// Applies a transition of a record.
    ///
    /// - Returns: The outcomes that it made known, with the numbers of the waits.
    mutating func follow(_ passage: PendingWrite.Passage, of name: RecordName) -> [(Int, WriteOutcome)] {
        self.sort(name) { $0.follow(passage) }
    }

    /// Applies the phase of a record at the end of an input.
    mutating func rest(_ record: Record, _ name: RecordName) -> [(Int, WriteOutcome)] {
        self.sort(name) {
            $0.changes = PendingWrite.Changes(record)
            return $0.rest(in: record.machine.phase, hold: record.hold)
        }
    }

    /// The records of a collection for which a caller waits, in their order.
    func names(in collection: CodePointString) -> [RecordName] {
        self.writes.keys.filter { $0.collection == collection }.sorted()
    }

    /// The records for which a caller waits.
    var names: [RecordName] { self.writes.keys.sorted() }

    /// Ends the waits for a record's changes that are no longer pending, and those whose outcome its phase shows, after another client
    /// had the store.
    ///
    /// - Parameter record: The record; nil if it can't be read.
    /// - Returns: The numbers of the ended waits, each with the outcome if it is known.
    mutating func review(_ record: Record?, _ name: RecordName) -> [(Int, WriteOutcome?)] {
        guard let writes = self.writes[name] else { return [] }
        let pending = writes.filter { record.map($0.isPending(in:)) ?? false }
        self.writes[name] = pending.isEmpty ? nil : pending
        let ended = writes.filter { !(record.map($0.isPending(in:)) ?? false) }
        return ended.map { ($0.number, nil) } + (record.map { self.rest($0, name) } ?? []).map { ($0, $1) }
    }

    /// Ends all waits for a record.
    mutating func end(_ name: RecordName, with outcome: WriteOutcome) -> [(Int, WriteOutcome)] {
        self.sort(name) { _ in outcome }
    }

    private mutating func sort(
        _ name: RecordName, _ outcome: (inout PendingWrite) -> WriteOutcome?
    ) -> [(Int, WriteOutcome)] {
        guard let writes = self.writes[name] else { return [] }
        var (open, known): ([PendingWrite], [(Int, WriteOutcome)]) = ([], [])
        for var write in writes {
            if let outcome = outcome(&write) {
                known.append((write.number, outcome))
            } else {
                open.append(write)
            }
        }
        self.writes[name] = open.isEmpty ? nil : open
        return known
    }
}
