import TidemarkJSON
import TidemarkMachine
package import TidemarkRules

/// The synchronous core of a client (SPEC §8).
///
/// Inputs go in: what the app wants, what a server answered, what failed, what time it is. Each input is one store
/// transaction, and a list of ``SyncEffect``s comes out: send this, wake me then, tell the app. Nothing here waits, and chance
/// comes from a seed, so the same inputs give the same bytes. `SyncClient` is the actor that owns an engine; a test can
/// own one as well, with the network in its hand.
///
/// The engine decides nothing about sync by itself: it names what happened and asks the two machines of
/// `TidemarkMachine`. An input is one `Turn`, which these take in:
///
/// | | |
/// |---|---|
/// | `Editor`, `Restorer` | what the app wants |
/// | `RecordDriver` | carries out what a record's machine says |
/// | `ExchangeDriver` | carries out what the exchange's machine says |
/// | `Outbox` | chooses what is sent, and freezes it |
/// | `Inbox` | applies results and pages, and ends a full resync |
/// | `Question` | asks the tactic, and checks what it says |
/// | `WatchKeeper` | keeps what was acknowledged in view, and puts back what was overwritten |
package final class SyncEngine {
    let store: any RecordStore
    let configuration: SyncConfiguration

    /// What the server can be trusted with.
    let capabilities: RemoteCapabilities

    /// The members of a record that are not the app's.
    let members: RecordMembers

    /// What is not in the store.
    struct Memory {
        var exchanges: [CodePointString: Exchange] = [:]
        var generator: SeededGenerator

        /// Where request ids and pks come from.
        var ids: SeededGenerator
        var sequence: Int64

        /// The highest number that the store holds for given. Who opens it goes on behind that one, so that the numbers grow, and not
        /// every edit has to write its own.
        var reserved: Int64

        /// Who waits for the outcome of a write.
        var watch = WriteWatch()

        /// The last transitions, where the store keeps them.
        var ring: TraceRing
    }

    private(set) var memory: Memory

    /// Sees every transition of both machines as it happens, also of an input that the store then can't take.
    package var trace: ((SyncTrace.Step) -> Void)?

    /// Makes an engine over a store.
    ///
    /// - Parameters:
    ///   - store: Where the records are. It belongs to this engine alone.
    ///   - configuration: What decides conflicts, and all limits.
    ///   - capabilities: What the server can be trusted with.
    ///   - seed: Where jitter comes from.
    ///   - idSeed: Where request ids and pks come from; `seed` if it is left out. Two engines that sync with one server, and two
    ///     starts of one engine, need different ones: a server refuses an id that was used for another edit.
    package init(
        store: any RecordStore, configuration: SyncConfiguration, capabilities: RemoteCapabilities = .native,
        seed: UInt64, idSeed: UInt64? = nil
    ) throws(TidemarkError) {
        self.store = store
        self.configuration = configuration
        self.capabilities = capabilities
        self.members = capabilities.members
        let sequence = try store.setting(Self.sequenceKey).flatMap { Int64($0) } ?? 0
        self.memory = Memory(
            generator: SeededGenerator(seed: seed), ids: SeededGenerator(seed: idSeed ?? seed),
            sequence: sequence, reserved: sequence,
            ring: TraceRing(limit: configuration.traceLimit))
    }

    /// Makes an engine that goes on from where another one stands, while that one stays there: for exploration, where
    /// one state leads to many.
    ///
    /// - Parameter store: A copy of the other one's store, which belongs to this engine alone.
    package init(goingOnFrom other: SyncEngine, over store: any RecordStore) {
        self.store = store
        self.configuration = other.configuration
        self.capabilities = other.capabilities
        self.members = other.members
        self.memory = other.memory
        for (name, exchange) in other.memory.exchanges {
            self.memory.exchanges[name]?.tally = exchange.tally?.copied()
        }
    }

    static let sequenceKey = "sequence"

    /// How many numbers of edits are reserved at a time.
    static let sequenceBlock: Int64 = 64
    static let accountKey = "account"
}

// MARK: - Turns

extension SyncEngine {
    /// Runs one input as one transaction. When it fails, nothing of it stays, here or in the store.
    func commit<Value>(
        in collection: String, _ body: (Turn) throws(TidemarkError) -> Value
    ) throws(TidemarkError) -> Committed<Value> {
        let (turn, value) = try self.store.transaction { () throws(TidemarkError) in
            let turn = try Turn(self, in: collection)
            if turn.isFirst { turn.note(.opened(collection: collection)) }
            let value = try body(turn)
            try turn.save()
            return (turn, value)
        }
        self.memory = turn.memory
        turn.exchange.tally?.add(turn.gains)
        return Committed(value: value, effects: turn.effects)
    }

    /// The last transitions of both machines, which the store keeps where ``SyncConfiguration/traceLimit`` says so.
    package func storedTrace() throws(TidemarkError) -> SyncTrace {
        try TraceRing.trace(in: self.store)
    }

    /// Looks something up, and changes nothing.
    func look<Value>(
        in collection: String, _ body: (Turn) throws(TidemarkError) -> Value
    ) throws(TidemarkError) -> Value {
        try body(try Turn(self, in: collection))
    }

    /// The store could not take in what came for a collection.
    func noteStoreFailure(in collection: String) {
        let name = CodePointString(collection)
        guard var exchange = self.memory.exchanges[name], exchange.machine.isUnderWay else { return }
        let limits = ExchangeLimits(self.configuration.limits)
        let step = SyncTrace.Step(exchange.machine.receive(.storeFailed, limits), of: collection)
        exchange.tally = nil
        self.memory.exchanges[name] = exchange
        self.trace?(step)
        if self.memory.ring.limit != nil { self.memory.ring.waiting.append(step) }
    }

    /// Begins to wait for what becomes of what is pending of a record now.
    ///
    /// - Returns: The outcome when it is known; a number when it will come as ``SyncEffect/settle(write:_:)``.
    package func awaitOutcome(of pk: String, in collection: String) throws(TidemarkError) -> WriteWait {
        let record = try self.look(in: collection) { (turn) throws(TidemarkError) in try turn.load(pk) }
        return self.memory.watch.begin(record, WriteWatch.Name(collection: collection, pk: pk))
    }

    /// Ends the wait for an outcome that no one wants any more.
    package func forget(write number: Int) {
        self.memory.watch.forget(number)
    }

    /// How many outcomes are waited for.
    package var openWriteCount: Int { self.memory.watch.count }
}

/// What an input of the app came to, once it is in the store.
package struct Committed<Value> {
    /// What the app wanted to know.
    package let value: Value

    /// What there is to do now.
    package let effects: [SyncEffect]
}

extension Committed: Sendable where Value: Sendable {}
