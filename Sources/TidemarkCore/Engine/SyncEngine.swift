import TidemarkJSON
import TidemarkMachine
package import TidemarkRules

/// The synchronous core of a client (Contract §8).
///
/// Inputs are the app's calls, a server's answer, a failure, the time. Each input is one store transaction, and its output is a
/// list of ``SyncEffect``s: send this request, wake me at that time, notify the app. The engine never waits, and its random
/// numbers come from a seed, so the same inputs give the same bytes. `SyncClient` is the actor that owns an engine; a test can
/// own one as well, and control the network.
///
/// The engine makes no decision about sync by itself: it identifies the event and passes it to the two machines of
/// `TidemarkMachine`. An input is one `TransactionGroup` with an `EngineTransaction` for each collection, which these types process:
///
/// | | |
/// |---|---|
/// | `Editor`, `Restorer` | the app's calls |
/// | `RecordDriver` | carries out the actions of a record's machine |
/// | `ExchangeDriver` | carries out the actions of the exchange's machine |
/// | `Outbox` | chooses the edits to send, and fixes their bytes |
/// | `Inbox` | applies results and pages, and ends a full resync (`Inbox+Resync.swift`) |
/// | `ConflictResolution` | runs the tactic, and checks its verdict |
/// | `LostUpdateGuard` | watches acknowledged writes: sends overwritten ones again, or journals replaced ones |
package final class SyncEngine {
    let store: any RecordStore
    let configuration: SyncConfiguration

    /// The capabilities of the server.
    package let capabilities: RemoteCapabilities

    /// Whether the store belongs to another program, whose rules this one need not know.
    var isGuest: Bool { self.configuration.isGuest }

    /// The members of a record that do not belong to the app.
    let members: RecordMembers

    /// The references between collections.
    let graph: ReferenceGraph

    /// The store, if references are declared.
    let references: (any ReferenceStore)?

    /// The state that is not in the store.
    struct Memory {
        var generator: SeededGenerator

        /// The source of request ids and pks.
        var ids: SeededGenerator
        var sequence: Int64

        /// The highest sequence number that is reserved in the store. An engine that opens the store continues after it, so
        /// that numbers grow. Numbers are reserved in blocks, so that an edit need not save each.
        var reserved: Int64

        /// The callers that wait for the outcome of a write.
        var watch = WriteWatch()

        /// The last record of each collection whose watch was checked for its end, if there are more.
        var watchSweeps: [CodePointString: String] = [:]

        /// The last transitions, if the store keeps them.
        var ring: TraceRing

        /// How many values were discarded that an edit had made, by a decision, a refusal or a rollback of the server: an undo of an
        /// earlier edit can't know whether the edit still counts.
        var discards = 0

        /// Reserves the next block of sequence numbers, if one beyond the reserved ones was used.
        ///
        /// - Returns: The number to save; nil if it stays the same.
        mutating func reserveNumbers() -> Int64? {
            guard self.sequence > self.reserved else { return nil }
            self.reserved = self.sequence + SyncEngine.sequenceBlock
            return self.reserved
        }
    }

    private(set) var memory: Memory

    /// The number of the engine within its client, which makes another one each time it opens its store again.
    package let number: Int

    /// How often the store was erased.
    package let erasures: Int

    /// The results of syncs that the last engine of the client did not end.
    private var tallies: [CodePointString: SyncTally]

    /// The exchanges of the collections that were used in this process. They are not in ``memory``, of which each input has a
    /// copy: with a thousand collections each input would copy them all.
    private(set) var exchanges: [CodePointString: Exchange] = [:]

    /// Receives every transition of the machines of records and exchanges, also those of an input that the store then can't save; at
    /// the end of an input that may be tried again, and as it happens in any other.
    package var trace: ((SyncTrace.Step) -> Void)?

    /// Makes an engine for a store.
    ///
    /// - Parameters:
    ///   - store: The store of the records. It belongs to this engine alone.
    ///   - configuration: The rules that decide conflicts, and all limits.
    ///   - capabilities: The capabilities of the server; nil for those that the owner of the store has saved in it.
    ///   - seed: The seed for jitter.
    ///   - idSeed: The seed for request ids and pks; `seed` by default. Two engines that sync with the same server, and two
    ///     starts of one engine, need different ones: a server refuses an id that was used for another edit.
    ///   - former: The state that it takes over from the last engine of its client; nil for the first one.
    package init(
        store: any RecordStore, configuration: SyncConfiguration, capabilities: RemoteCapabilities? = .native,
        seed: UInt64, idSeed: UInt64? = nil, after former: Former? = nil
    ) throws(TidemarkError) {
        let configuration = configuration.isGuest ? configuration.asGuest : configuration
        let capabilities = if let capabilities { capabilities } else { try RemoteCapabilities.stored(in: store) }
        self.store = store
        self.configuration = configuration
        self.capabilities = capabilities
        self.members = capabilities.members
        self.graph = try ReferenceGraph(
            configuration, orStored: configuration.usesStoredIndexes ? try store.setting(Self.referencesKey) : nil)
        self.references = self.graph.isEmpty ? nil : store as? any ReferenceStore
        guard self.graph.isEmpty || self.references != nil else {
            throw TidemarkError(
                .invalidQuery,
                "The configuration declares references, and this store can't find records by them. Use `.sqlite`, or "
                    + "remove CollectionRules.references.")
        }
        let sequence = try store.setting(Self.sequenceKey).flatMap { Int64($0) } ?? 0
        self.memory = Memory(
            generator: SeededGenerator(seed: seed), ids: SeededGenerator(seed: idSeed ?? seed),
            sequence: sequence, reserved: sequence,
            ring: try TraceRing(configuration, in: store))
        self.number = former.map { $0.number + 1 } ?? 0
        self.erasures = try store.setting(Self.erasuresKey).flatMap { Int($0) } ?? 0
        // Before anything is written to a store that may belong to another account by now.
        if let former, former.erasures != self.erasures { throw .erasedElsewhere }
        self.tallies = former?.tallies ?? [:]
        if let former {
            self.memory.watch = former.watch
            self.memory.discards = former.isUnchanged ? former.discards : former.discards + 1
        }
        try self.declareIndexes()
        guard !self.isGuest else { return }
        try self.declareReferences()
        try self.declareCapabilities()
    }

    /// The rules that decide conflicts in a collection.
    package func rules(of collection: String) -> CollectionRules { self.configuration[collection] }

    static let sequenceKey = "sequence"

    /// The number of sequence numbers that are reserved at a time.
    static let sequenceBlock: Int64 = 64
    static let accountKey = "account"
    static let erasuresKey = "erasures"
}

// MARK: - The next engine

extension SyncEngine {
    /// What an engine leaves to the next one of its client, after the store was closed for a while (Contract §14). Everything else
    /// begins anew, as after a restart of the app: another client may have changed any row.
    package struct Former {
        let number: Int
        let erasures: Int
        var watch: WriteWatch

        let discards: Int

        /// Whether no other client has written since then; otherwise one may have discarded a value.
        var isUnchanged = false

        /// The results of syncs that the next engine continues.
        var tallies: [CodePointString: SyncTally]
    }

    package var former: Former {
        Former(
            number: self.number, erasures: self.erasures, watch: self.memory.watch, discards: self.memory.discards,
            tallies: self.tallies.merging(self.exchanges.compactMapValues(\.sync?.tally)) { $1 })
    }

    /// Takes out the results of a sync that the last engine did not end.
    func formerTally(of collection: String) -> SyncTally? {
        self.tallies.removeValue(forKey: CodePointString(collection))
    }

    /// Ends the waits for the outcomes of writes that ended while another client had the store, and for those of damaged records.
    ///
    /// - Returns: The numbers of the ended waits, each with the outcome if it is known.
    package func reviewWaits() -> [(Int, WriteOutcome?)] {
        var ended: [(Int, WriteOutcome?)] = []
        for name in self.memory.watch.names {
            let record = try? self.look(in: name.collection.value) { (transaction) throws(TidemarkError) in
                try transaction.load(name.pk.value)
            }
            ended += self.memory.watch.review(record, name)
        }
        return ended
    }
}

// MARK: - Transactions

extension SyncEngine {
    /// Runs one input as one transaction. If it fails, it is rolled back completely, in memory and in the store.
    ///
    /// - Parameter largeMerges: The large merges of the input. If any is missing, the input fails as ``LargeMerges/check()`` does, and
    ///   leaves no trace. Nil if it makes them by itself.
    func commit<Value>(
        _ largeMerges: LargeMerges? = nil, _ body: (TransactionGroup) throws(TidemarkError) -> Value
    ) throws(TidemarkError) -> Committed<Value> {
        let group = TransactionGroup(self, largeMerges)
        let tallies = self.tallies
        let value: Value
        do throws(TidemarkError) {
            value = try self.store.transaction { () throws(TidemarkError) in
                let value = try body(group)
                try group.save()
                return value
            }
        } catch {
            self.tallies = tallies
            if error.code != .mergesMissing { group.report() }
            throw error
        }
        group.report()
        self.memory = group.memory
        for part in group.parts {
            if part.isExchangeKept { self.exchanges[CodePointString(part.collection)] = part.exchange }
            part.exchange.sync?.tally.add(part.counters)
        }
        return Committed(value: value, effects: group.effects)
    }

    /// Runs one input of one collection.
    func commit<Value>(
        in collection: String, _ largeMerges: LargeMerges? = nil,
        _ body: (EngineTransaction) throws(TidemarkError) -> Value
    ) throws(TidemarkError) -> Committed<Value> {
        try self.commit(largeMerges) { (group) throws(TidemarkError) in try body(try group.part(in: collection)) }
    }

    /// Returns the last transitions of both machines; empty unless ``SyncConfiguration/traceLimit`` makes the store keep them.
    package func storedTrace() throws(TidemarkError) -> SyncTrace {
        try TraceRing.trace(in: self.store)
    }

    /// Reads without changing anything.
    func look<Value>(
        in collection: String, _ body: (EngineTransaction) throws(TidemarkError) -> Value
    ) throws(TidemarkError) -> Value {
        let group = TransactionGroup(self)
        defer { withExtendedLifetime(group) {} }
        return try body(try EngineTransaction(group, in: collection))
    }

    /// Records that the store could not save the answer for a collection. The part of the exchange that outlives the process
    /// does not change.
    func noteStoreFailure(in collection: String) {
        let name = CodePointString(collection)
        guard var exchange = self.exchanges[name], exchange.machine.isUnderWay else { return }
        let limits = ExchangeLimits(self.configuration.limits)
        let step = SyncTrace.Step(exchange.machine.receive(.storeFailed, limits), of: collection)
        exchange.sync = nil
        self.exchanges[name] = exchange
        self.trace?(step)
        if self.memory.ring.limit != nil { self.memory.ring.waiting.append(step) }
    }

    /// Begins to wait for the outcome of a record's pending changes.
    ///
    /// - Returns: The outcome if it is known; otherwise the number with which ``SyncEffect/settle(write:_:)`` will deliver it.
    package func awaitOutcome(of pk: String, in collection: String) throws(TidemarkError) -> WriteWait {
        let record = try self.look(in: collection) { (transaction) throws(TidemarkError) in try transaction.load(pk) }
        return self.memory.watch.begin(record, RecordName(collection: collection, pk: pk))
    }

    /// Ends a wait that was cancelled.
    package func forget(write number: Int) {
        self.memory.watch.forget(number)
    }

    /// The number of awaited outcomes.
    package var openWriteCount: Int { self.memory.watch.count }
}

/// The result of an app's call, after its transaction was committed.
package struct Committed<Value> {
    /// The value for the app.
    package let value: Value

    /// The effects to carry out.
    package let effects: [SyncEffect]
}

extension Committed: Sendable where Value: Sendable {}

extension TidemarkError {
    fileprivate static var erasedElsewhere: TidemarkError {
        TidemarkError(
            .clientClosed,
            "Another client has erased the store, for example for another account, so this client was closed. Make another one."
        )
    }
}
