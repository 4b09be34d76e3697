import TidemarkJSON
import TidemarkRules

/// One input of the engine: one transaction of the store, in each of the collections that it names (Contract §3.2).
///
/// ``SyncEngine/commit(_:)`` makes a group, passes it to the code that handles the input, and drops it. The engine takes over its
/// changes only after the store has committed them; after an error they are rolled back, in memory and in the store. The numbers
/// and random numbers of an input come from one place, so that no two of its collections get the same.
final class TransactionGroup {
    let engine: SyncEngine

    /// The state that is not in the store, without the exchanges.
    var memory: SyncEngine.Memory

    /// The collections that the input has named, in this order.
    private(set) var parts: [EngineTransaction] = []

    /// The effects for the engine's owner, in order.
    private(set) var effects: [SyncEffect] = []
    private var steps: [SyncTrace.Step] = []

    /// The transitions that the observer gets at the end of the input, unless the input is tried again.
    private var unreported: [SyncTrace.Step] = []

    /// How many transitions are kept for the observer: those beyond are reported as they happen, also of a try that is repeated.
    private static let unreportedLimit = 10_000

    /// The large merges of the input; nil if it makes each where it needs it.
    let largeMerges: LargeMerges?

    /// Grows with each write, so that a caller can tell whether a call that failed had written before.
    private(set) var writes = 0

    init(_ engine: SyncEngine, _ largeMerges: LargeMerges? = nil) {
        self.engine = engine
        self.largeMerges = largeMerges
        self.memory = engine.memory
    }

    /// Returns the transaction of a collection. The first input of a collection in this process declares its indexes.
    func part(in collection: String) throws(TidemarkError) -> EngineTransaction {
        let name = CodePointString(collection)
        if let known = self.parts.first(where: { CodePointString($0.collection) == name }) { return known }
        let part = try EngineTransaction(self, in: collection)
        if part.isFirst {
            self.record(.opened(collection: collection))
            try self.engine.declareIndexes(of: collection)
        }
        // Only now: a collection whose indexes could not be declared counts as never opened.
        self.parts.append(part)
        return part
    }

    /// Notes a write to the store that no transition announces.
    func noteWrite() {
        self.writes += 1
    }

    /// Reports a transition to the observer, and keeps it if the store keeps a trace.
    func record(_ step: SyncTrace.Step) {
        self.noteWrite()
        if self.largeMerges != nil, self.unreported.count < Self.unreportedLimit {
            self.unreported.append(step)
        } else {
            self.report()
            self.engine.trace?(step)
        }
        guard let limit = self.memory.ring.limit else { return }
        self.steps.append(step)
        // An import has any number of transitions; one more than the limit is kept, which shows that there were more.
        if self.steps.count > 2 * limit { self.steps.removeFirst(self.steps.count - limit - 1) }
    }

    /// Reports the transitions that the observer has not got yet.
    func report() {
        guard !self.unreported.isEmpty else { return }
        for step in self.unreported { self.engine.trace?(step) }
        self.unreported = []
    }

    /// Adds an effect, to be carried out after the commit.
    func emit(_ effect: consuming SyncEffect) {
        self.effects.append(effect)
    }

    /// Replaces the changes of a collection that the app is notified of by one effect for all its records.
    func tellAll(of collection: String) {
        let name = CodePointString(collection)
        self.effects.removeAll { effect in
            if case .tell(let change) = effect { CodePointString(change.collection) == name } else { false }
        }
        self.emit(.tellAll(collection: collection))
    }

    /// Saves the state that has to outlive the process; the last step of the transaction.
    func save() throws(TidemarkError) {
        try self.largeMerges?.check()
        let store = self.engine.store
        if let reserved = self.memory.reserveNumbers() {
            try store.set(SyncEngine.sequenceKey, to: String(reserved))
        }
        for part in self.parts { try part.save() }
        try self.memory.ring.write(self.steps, to: store)
    }
}
