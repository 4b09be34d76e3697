public import TidemarkCore
public import TidemarkRules

/// A device with a store in memory, which is what most tests want.
public typealias Device = StoredDevice<MemoryStore>

/// A client's engine in a test's hand: it runs on the test's thread, what it wants to send waits in ``outbox``, and it
/// can be killed and started again.
///
/// ```swift
/// let phone = try Device("phone", seed: 1, clock: server.clock)
/// try phone.create(["title": "Milk"], pk: "42")
/// try phone.sync(Meeting.collection)
/// let sent = phone.outbox.removeFirst()
/// try phone.receive(try InProcessRemote(server).exchangeNow(sent.request), for: sent)
/// ```
public final class StoredDevice<Store: CopyableStore> {
    /// A request that the device wants carried.
    public struct Outgoing: Sendable {
        /// What to ask.
        public let request: ExchangeRequest

        /// Whose answer is awaited.
        package let token: ExchangeToken
    }

    /// The name, for messages.
    public let name: String

    /// What the device wants carried, oldest first.
    public var outbox: [Outgoing] = []

    /// What the device told its app.
    public private(set) var changes: [RecordChange] = []

    /// Of which collections it was told, in order, that any record may have changed.
    public private(set) var changedCollections: [String] = []

    /// How its syncs went on, oldest first.
    public private(set) var progress: [CollectionProgress] = []

    /// How its syncs ended, oldest first.
    public private(set) var reports: [CollectionReport] = []

    /// What became of the writes that were waited for, by their number.
    public private(set) var outcomes: [Int: WriteOutcome] = [:]

    /// When the device wants to be woken, by collection.
    public private(set) var wakes: [String: Duration] = [:]

    /// Every transition of every record, oldest first.
    package private(set) var traces: [RecordTrace] = []

    /// Every transition of every exchange, oldest first.
    package private(set) var exchangeTraces: [ExchangeTrace] = []

    /// Where its records are.
    public private(set) var store: Store

    /// The engine.
    package private(set) var engine: SyncEngine

    private let clock: ManualClock
    private var configuration: SyncConfiguration
    private let capabilities: RemoteCapabilities
    private var seed: UInt64

    /// Makes a device.
    ///
    /// - Parameters:
    ///   - name: What to call it in messages.
    ///   - store: Where its records are; nobody else uses it.
    ///   - seed: Where jitter and, together with the name, request ids and pks come from; each start takes the next one.
    ///   - clock: What time it is.
    ///   - configuration: What decides conflicts, and all limits.
    ///   - capabilities: What the server can be trusted with.
    public init(
        _ name: String, store: Store, seed: UInt64, clock: ManualClock,
        configuration: SyncConfiguration = SyncConfiguration(), capabilities: RemoteCapabilities = .native
    ) throws(TidemarkError) {
        self.name = name
        self.seed = seed
        self.clock = clock
        self.configuration = configuration
        self.capabilities = capabilities
        self.store = store
        self.engine = try SyncEngine(
            store: self.store, configuration: configuration, capabilities: capabilities, seed: seed,
            idSeed: Self.idSeed(seed, name))
        self.listen()
    }

    /// Another device that begins with what this one has committed, as when a backup is put on a second phone.
    ///
    /// - Parameters:
    ///   - name: What to call it in messages; another one than here.
    ///   - seed: Where jitter and, together with the name, its request ids come from.
    ///   - clock: What time it is there; the same as here when it is left out.
    public func copied(as name: String, seed: UInt64, clock: ManualClock? = nil) throws(TidemarkError) -> StoredDevice {
        try StoredDevice(
            name, store: try self.store.copy(), seed: seed, clock: clock ?? self.clock,
            configuration: self.configuration, capabilities: self.capabilities)
    }

    /// Devices of different names make different ids, also with one seed (FNV-1a).
    private static func idSeed(_ seed: UInt64, _ name: String) -> UInt64 {
        name.utf8.reduce(seed ^ 0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    private func listen() {
        self.engine.trace = { [unowned self] step in
            switch step {
            case .record(let trace): self.traces.append(trace)
            case .exchange(let trace): self.exchangeTraces.append(trace)
            case .opened, .forgotten: break
            }
        }
    }

    /// Hands an input to the engine, and takes in its effects.
    package func run(_ input: (SyncEngine) throws(TidemarkError) -> [SyncEffect]) throws(TidemarkError) {
        for effect in try input(self.engine) {
            switch effect {
            case .send(let request, let token): self.outbox.append(Outgoing(request: request, token: token))
            case .wake(let collection, let time): self.wakes[collection] = time
            case .tell(let change): self.changes.append(change)
            case .tellAll(let collection): self.changedCollections.append(collection)
            case .settle(let write, let outcome): self.outcomes[write] = outcome
            case .progress(let progress): self.progress.append(progress)
            case .finish(let report): self.reports.append(report)
            }
        }
    }

    /// Begins a sync.
    public func sync(_ collection: String) throws(TidemarkError) {
        let now = self.clock.now
        try self.run { (engine) throws(TidemarkError) in try engine.sync(collection, now: now) }
    }

    /// Takes in the answer to a request.
    public func receive(_ answer: ExchangeAnswer, for sent: Outgoing) throws(TidemarkError) {
        try self.receive(answer, for: sent.token)
    }

    /// Takes in an answer.
    package func receive(_ answer: ExchangeAnswer, for token: ExchangeToken) throws(TidemarkError) {
        let now = self.clock.now
        try self.run { (engine) throws(TidemarkError) in try engine.receive(answer, for: token, now: now) }
    }

    /// Takes in that no answer came to a request.
    public func fail(_ failure: RemoteFailure, for sent: Outgoing) throws(TidemarkError) {
        try self.fail(failure, for: sent.token)
    }

    /// Takes in that no answer came.
    package func fail(_ failure: RemoteFailure, for token: ExchangeToken) throws(TidemarkError) {
        let now = self.clock.now
        try self.run { (engine) throws(TidemarkError) in try engine.fail(failure, for: token, now: now) }
    }

    /// Kills the process and starts it again: only what was committed is left, and no answer is awaited any more.
    ///
    /// - Parameter configuration: What decides from now on, as in a new version of the app; nil for what decided before.
    /// - Returns: The requests that were out. They may still reach the server.
    @discardableResult
    public func restart(configuration: SyncConfiguration? = nil) throws(TidemarkError) -> [Outgoing] {
        self.configuration = configuration ?? self.configuration
        let ghosts = self.outbox
        self.outbox = []
        self.wakes = [:]
        self.seed = SeededGenerator(seed: self.seed).following
        self.store = try self.store.copy()
        self.engine = try SyncEngine(
            store: self.store, configuration: self.configuration, capabilities: self.capabilities, seed: self.seed,
            idSeed: Self.idSeed(self.seed, self.name))
        self.listen()
        return ghosts
    }
}

extension StoredDevice<MemoryStore> {
    /// Makes a device with an empty store.
    ///
    /// - Parameters:
    ///   - name: What to call it in messages.
    ///   - seed: Where jitter and, together with the name, request ids and pks come from; each start takes the next one.
    ///   - clock: What time it is.
    ///   - configuration: What decides conflicts, and all limits.
    ///   - capabilities: What the server can be trusted with.
    public convenience init(
        _ name: String, seed: UInt64, clock: ManualClock, configuration: SyncConfiguration = SyncConfiguration(),
        capabilities: RemoteCapabilities = .native
    ) throws(TidemarkError) {
        try self.init(
            name, store: MemoryStore(), seed: seed, clock: clock, configuration: configuration,
            capabilities: capabilities)
    }
}

extension SeededGenerator {
    fileprivate var following: UInt64 {
        var copy = self
        return copy.next()
    }
}
