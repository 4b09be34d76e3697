import TidemarkJSON
import TidemarkMachine

// Who waits for the outcome of a write. It is memory, not store: a new process asks again.

extension SyncEngine {
    /// The name of a record in the whole store.
    struct RecordName: Hashable {
        var collection: CodePointString
        var pk: CodePointString
    }

    /// Begins to wait for what becomes of what is pending of a record now.
    ///
    /// - Returns: The outcome when it is known; a number when it will come as ``Effect/settle(write:_:)``.
    public func awaitOutcome(of pk: String, in collection: String) throws(TidemarkError) -> WriteWait {
        let record = try self.load(pk, in: collection)
        guard record.machine.phase.activity != nil else { return .known(nil) }
        let write = PendingWrite(self.memory.lastWrite + 1, record.machine)
        if let outcome = write.rest(in: record.machine.phase, hold: Self.reason(of: record.hold)) {
            return .known(outcome)
        }
        self.memory.lastWrite = write.number
        self.memory.writes[self.name(of: pk, in: collection), default: []].append(write)
        return .awaited(write.number)
    }

    /// Ends the wait for an outcome that no one wants any more.
    public func forget(write number: Int) {
        for (name, writes) in self.memory.writes {
            let others = writes.filter { $0.number != number }
            self.memory.writes[name] = others.isEmpty ? nil : others
        }
    }

    /// How many outcomes are waited for.
    package var openWriteCount: Int {
        self.memory.writes.values.reduce(0) { $0 + $1.count }
    }

    /// Shows a transition to those who wait.
    func follow(
        _ step: Machine.Step, of record: Record, before: Machine, _ algebra: JSONChanges, in collection: String,
        _ effects: inout [Effect]
    ) throws(TidemarkError) {
        let name = self.name(of: record.pk, in: collection)
        guard let writes = self.memory.writes[name] else { return }
        let passage = PendingWrite.Passage(
            step: step, paths: try self.pathsOfBoth(step, before, record.machine, algebra),
            refusal: Self.reason(of: record.hold))
        self.keep(writes, of: name, &effects) { $0.follow(passage) }
    }

    /// Shows to those who wait where the record stands at the end of an input.
    func rest(_ record: Record, in collection: String, _ effects: inout [Effect]) {
        let name = self.name(of: record.pk, in: collection)
        guard let writes = self.memory.writes[name] else { return }
        let hold = Self.reason(of: record.hold)
        self.keep(writes, of: name, &effects) { $0.rest(in: record.machine.phase, hold: hold) }
    }

    private func keep(
        _ writes: [PendingWrite], of name: RecordName, _ effects: inout [Effect],
        _ outcome: (inout PendingWrite) -> WriteOutcome?
    ) {
        var open: [PendingWrite] = []
        for write in writes {
            var write = write
            if let outcome = outcome(&write) {
                effects.append(.settle(write: write.number, outcome))
            } else {
                open.append(write)
            }
        }
        self.memory.writes[name] = open.isEmpty ? nil : open
    }

    private func name(of pk: String, in collection: String) -> RecordName {
        RecordName(collection: CodePointString(collection), pk: CodePointString(pk))
    }

    /// Where both sides had changed something, when a transition put one over the other.
    private func pathsOfBoth(
        _ step: Machine.Step, _ before: Machine, _ after: Machine, _ algebra: JSONChanges
    ) throws(TidemarkError) -> Set<JSONPointer> {
        guard [.rebased, .converged, .recreated, .revived].contains(step.event) else { return [] }
        let base = try before.confirmed.content?.json()
        let server = JSONPatch.diff(from: base, to: try after.confirmed.content?.json()).operations.map(\.path)
        let client = JSONPatch.diff(from: base, to: try before.view(algebra)?.json()).operations.map(\.path)
        return Set(
            client.flatMap { mine in
                server.compactMap { $0.isPrefix(of: mine) ? $0 : mine.isPrefix(of: $0) ? mine : nil }
            })
    }
}
