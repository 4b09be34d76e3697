import TidemarkJSON
import TidemarkMachine
import TidemarkRules

/// One input: one transaction of the store, one collection (SPEC §3.2).
///
/// ``SyncEngine/commit(in:_:)`` makes a turn, hands it to whatever takes the input in, and drops it. What a turn changes
/// becomes the engine's only once the store has it for good; where anything throws, nothing of it stays, here or there.
final class Turn {
    let store: any RecordStore
    let collection: String
    let configuration: SyncConfiguration
    let capabilities: RemoteCapabilities

    /// The members of a record that are not the app's.
    let members: RecordMembers

    /// What decides conflicts in this collection.
    let rules: CollectionRules

    /// Whether this process has not taken the collection up before.
    let isFirst: Bool

    private let trace: ((SyncTrace.Step) -> Void)?
    private var steps: [SyncTrace.Step] = []

    /// What is not in the store.
    var memory: SyncEngine.Memory

    /// What time it is, where something of the network came in.
    var now = Duration.zero

    /// How the exchange of the collection stands.
    var exchange: Exchange {
        didSet { self.hasExchangeMoved = true }
    }

    /// Whether it may stand otherwise than before: an edit leaves it alone, and has nothing of it to compare or to keep.
    private var hasExchangeMoved = false

    /// Whether a removal was kept, so that there may be too many.
    var hasNewRemovals = false

    /// What this turn adds to what the sync that goes on has done.
    var gains = SyncTally.Gains()

    /// What whoever owns the engine has to do, in order.
    private(set) var effects: [SyncEffect] = []

    /// How many changes the app was to be told of.
    private var changeCount = 0

    private var stored: CollectionState?
    private var present: CollectionState?

    init(_ engine: SyncEngine, in collection: String) throws(TidemarkError) {
        self.store = engine.store
        self.collection = collection
        self.configuration = engine.configuration
        self.capabilities = engine.capabilities
        self.members = engine.members
        self.rules = engine.configuration[collection]
        self.trace = engine.trace
        self.memory = engine.memory
        if let exchange = engine.memory.exchanges[CodePointString(collection)] {
            self.exchange = exchange
            self.isFirst = false
        } else {
            let state = try engine.store.state(of: collection)
            self.exchange = Exchange(state)
            self.isFirst = true
            self.stored = state
            self.present = state
        }
    }

    var limits: SyncLimits { self.configuration.limits }

    /// What the exchange's machine has to know of the limits.
    var exchangeLimits: ExchangeLimits {
        var limits = ExchangeLimits(self.limits)
        if let batchSize = self.capabilities.batchSize { limits.batchSize = max(1, min(limits.batchSize, batchSize)) }
        return limits
    }

    /// What shows that the server took an upload whose answer was lost (R18).
    var recognition: Recognition {
        switch self.capabilities.repetition {
        case .answeredAgain: .byAnswer
        case .recognised: .byContent
        }
    }

    /// What the records' machines have to know of JSON.
    var algebra: JSONChanges { JSONChanges(fields: self.rules.fields, members: self.members) }

    /// Shows a transition to whoever looks on, and keeps it where the store keeps a trace.
    func note(_ step: SyncTrace.Step) {
        self.trace?(step)
        guard let limit = self.memory.ring.limit else { return }
        self.steps.append(step)
        // An import has any number of transitions; one more than is kept shows that there were others.
        if self.steps.count > 2 * limit { self.steps.removeFirst(self.steps.count - limit - 1) }
    }

    /// Keeps a record in mind as long as its upload is out, and what was stored of it.
    func note(_ record: Record, as stored: StoredRecord) {
        if stored.phase.activity == .uploading || self.exchange.hasSent { self.exchange.note(record, as: stored) }
    }

    /// Forgets a record that is gone.
    func forget(_ pk: String) {
        if self.exchange.hasSent { self.exchange.forget(pk) }
    }

    /// Wants something done, once the turn is committed.
    func want(_ effect: SyncEffect) {
        self.effects.append(effect)
    }

    /// Tells the app that something became of a record. One too many takes the place of all: nobody keeps more for a listener,
    /// and an import has any number of them.
    func tell(_ pk: String, _ origin: RecordChange.Origin, _ phase: RecordPhase, problem: String? = nil) {
        self.changeCount += 1
        guard self.changeCount <= CollectionChange.limit else {
            if self.changeCount == CollectionChange.limit + 1 { self.tellAll() }
            return
        }
        self.want(
            .tell(RecordChange(collection: self.collection, pk: pk, origin: origin, phase: phase, problem: problem)))
    }

    private func tellAll() {
        self.effects.removeAll { effect in
            if case .tell = effect { true } else { false }
        }
        self.want(.tellAll(collection: self.collection))
    }
}

// MARK: - What is kept of the collection

extension Turn {
    /// What is kept of the collection besides its records: read once, and saved once.
    func state() throws(TidemarkError) -> CollectionState {
        if let present { return present }
        let state = try self.store.state(of: self.collection)
        self.stored = state
        self.present = state
        return state
    }

    /// Changes what is kept of the collection.
    func change(_ body: (inout CollectionState) -> Void) throws(TidemarkError) {
        var state = try self.state()
        body(&state)
        self.present = state
    }

    /// Removes everything that is kept of the collection.
    func forget() throws(TidemarkError) {
        try self.store.erase(collection: self.collection)
        (self.stored, self.present) = (nil, nil)
        self.note(.forgotten(collection: self.collection))
        self.exchange = Exchange(after: self.exchange.machine.request.number)
    }

    /// Writes what has to outlive the process; the last thing in the transaction.
    func save() throws(TidemarkError) {
        if self.memory.sequence > self.memory.reserved {
            self.memory.reserved = self.memory.sequence + SyncEngine.sequenceBlock
            try self.store.set(SyncEngine.sequenceKey, to: String(self.memory.reserved))
        }
        if self.hasNewRemovals { try Removals(turn: self).trim() }
        let isExchangeKept = self.hasExchangeMoved || self.isFirst
        if isExchangeKept, self.exchange.isUnsaved {
            var state = try self.state()
            self.exchange.save(to: &state)
            self.present = state
        }
        if let present, present != self.stored { try self.store.save(present, of: self.collection) }
        try self.memory.ring.write(self.steps, to: self.store)
        if isExchangeKept { self.memory.exchanges[CodePointString(self.collection)] = self.exchange }
    }
}
