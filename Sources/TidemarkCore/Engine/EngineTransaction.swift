import TidemarkJSON
import TidemarkMachine
import TidemarkRules

/// The part of an input that is about one collection; see ``TransactionGroup``.
final class EngineTransaction {
    /// The input; it lives longer than its parts are used.
    private unowned let group: TransactionGroup
    private let engine: SyncEngine
    let collection: String

    /// The rules that decide conflicts in this collection.
    let rules: CollectionRules

    /// Whether this is the first input of the collection in this process.
    let isFirst: Bool

    /// The state that is not in the store.
    var memory: SyncEngine.Memory {
        get { self.group.memory }
        _modify { yield &self.group.memory }
    }

    /// The time of an input from the network.
    var now = Duration.zero

    /// The exchange of the collection.
    var exchange: Exchange {
        didSet { self.hasExchangeMoved = true }
    }

    /// Whether the exchange may have changed: an edit does not change it, so it need not be compared or saved.
    private var hasExchangeMoved = false

    /// Whether a removal was saved, so that the limit may be exceeded.
    var hasNewRemovals = false

    /// The results that this transaction adds to the running sync.
    var counters = SyncTally.Counters()

    /// The numbers of conflicts and of held records that this transaction left to the user.
    private var left = (conflicts: 0, held: 0)

    /// The number of changes that the app is notified of.
    private var changeCount = 0

    private var stored: CollectionState?
    private var present: CollectionState?

    init(_ group: TransactionGroup, in collection: String) throws(TidemarkError) {
        let engine = group.engine
        self.group = group
        self.engine = engine
        self.collection = collection
        self.rules = engine.configuration[collection]
        if let exchange = engine.exchanges[CodePointString(collection)] {
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

    var store: any RecordStore { self.engine.store }
    var configuration: SyncConfiguration { self.engine.configuration }
    var capabilities: RemoteCapabilities { self.engine.capabilities }

    /// The members of a record that do not belong to the app.
    var members: RecordMembers { self.engine.members }

    /// The references between collections.
    var graph: ReferenceGraph { self.engine.graph }

    /// The store, if references are declared.
    var references: (any ReferenceStore)? { self.engine.references }

    /// ``SyncEngine/number``.
    var engineNumber: Int { self.engine.number }

    /// Returns the results of a sync that was under way when the client handed the store over; nil if none was.
    func formerTally() -> SyncTally? { self.engine.formerTally(of: self.collection) }

    var limits: SyncLimits { self.configuration.limits }

    /// The limits for the exchange's machine.
    var exchangeLimits: ExchangeLimits {
        var limits = ExchangeLimits(self.limits)
        if let batchSize = self.capabilities.batchSize { limits.batchSize = max(1, min(limits.batchSize, batchSize)) }
        return limits
    }

    /// How the client recognizes that the server accepted an upload whose answer was lost (R18).
    var recognition: Recognition {
        switch self.capabilities.repetition {
        case .answeredAgain: .byAnswer
        case .recognized: .byContent
        }
    }

    /// The JSON operations for the records' machines.
    var algebra: JSONChanges {
        JSONChanges(fields: self.rules.fields, members: self.members, large: self.group.largeMerges)
    }

    /// Whether a stand-in for a large merge was used, so that the input is tried again.
    var isTriedAgain: Bool { self.group.largeMerges?.isAnyMissing == true }

    /// Reports a transition to the observer, and keeps it if the store keeps a trace.
    func note(_ step: SyncTrace.Step) {
        self.group.record(step)
    }

    /// Keeps a record and its stored form in memory while its upload is in flight.
    func note(_ record: Record, as stored: StoredRecord) {
        if stored.phase.activity == .uploading || self.exchange.sent.isAny {
            self.exchange.sent.note(record, as: stored)
        }
    }

    /// Drops a removed record from that memory.
    func forget(_ pk: String) {
        if self.exchange.sent.isAny { self.exchange.sent.forget(pk) }
    }

    /// Notes a write to the store that no transition announces.
    func noteWrite() {
        self.group.noteWrite()
    }

    /// Adds an effect, to be carried out after the commit.
    func emit(_ effect: consuming SyncEffect) {
        self.group.emit(effect)
    }

    /// Counts a record that is left to the user, for an event: however many changes there are, each counts.
    func countLeft(isHeld: Bool) {
        if isHeld { self.left.held += 1 } else { self.left.conflicts += 1 }
    }

    /// Adds a change that the app is notified of. Above the limit a single `tellAll` replaces all of them: no reader keeps
    /// more, and an import has any number.
    func tell(_ pk: String, _ origin: RecordChange.Origin, _ phase: RecordPhase, problem: String? = nil) {
        self.changeCount += 1
        guard self.changeCount <= CollectionChange.limit else {
            if self.changeCount == CollectionChange.limit + 1 { self.group.tellAll(of: self.collection) }
            return
        }
        self.emit(
            .tell(RecordChange(collection: self.collection, pk: pk, origin: origin, phase: phase, problem: problem)))
    }
}

// MARK: - The collection's state

extension EngineTransaction {
    /// Returns the state of the collection without its records: read once, and saved once.
    func state() throws(TidemarkError) -> CollectionState {
        if let present { return present }
        let state = try self.store.state(of: self.collection)
        self.stored = state
        self.present = state
        return state
    }

    func change(_ body: (inout CollectionState) -> Void) throws(TidemarkError) {
        var state = try self.state()
        body(&state)
        self.present = state
    }

    /// Removes all data of the collection.
    func forget() throws(TidemarkError) {
        try self.store.erase(collection: self.collection)
        (self.stored, self.present) = (nil, nil)
        self.note(.forgotten(collection: self.collection))
        self.exchange = Exchange(after: self.exchange.machine.request.number)
    }

    /// Whether the engine takes over the exchange after the commit.
    var isExchangeKept: Bool { self.hasExchangeMoved || self.isFirst }

    /// Saves the state of the collection, as the last step of the transaction.
    func save() throws(TidemarkError) {
        if self.hasNewRemovals { try Removals(transaction: self).trim() }
        if self.isExchangeKept {
            let before = self.engine.exchanges[CodePointString(self.collection)]?.machine.memory
            if before != self.exchange.machine.memory {
                try self.change { $0.exchangeMemory = self.exchange.storedMemory }
            }
        }
        if let present, present != self.stored { try self.store.save(present, of: self.collection) }
        guard self.left != (0, 0) else { return }
        self.emit(
            .leftToUser(collection: self.collection, conflicts: self.left.conflicts, held: self.left.held))
    }
}
