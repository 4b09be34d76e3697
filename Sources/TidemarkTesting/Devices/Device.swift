public import TidemarkCore
public import TidemarkRules

/// A device with a store in memory, which suits most tests.
public typealias Device = StoredDevice<MemoryStore>

/// An event of a device's engine.
package enum DeviceEvent {
    /// A transition of a machine, also of an input that the store then can't save.
    case transition(SyncTrace.Step)

    /// An effect that the engine requests, after its input was saved.
    case effect(SyncEffect)
}

/// A client's engine under the test's control: it runs on the test's thread, its requests wait in ``outbox``, and it can be
/// killed and restarted.
///
/// ```swift
/// let phone = try Device("phone", seed: 1, clock: server.clock)
/// try phone.create(["title": "Milk"], pk: "42")
/// try phone.sync(SyncScenario.collection)
/// let sent = phone.outbox.removeFirst()
/// try phone.receive(try InProcessRemote(server).exchangeNow(sent.request), for: sent)
/// ```
public final class StoredDevice<Store: CopyableStore> {
    /// A request that waits for delivery.
    public struct Outgoing: Sendable {
        /// The request.
        public let request: ExchangeRequest

        /// Identifies the exchange of the request.
        package let token: ExchangeToken
    }

    /// The name, for messages.
    public let name: String

    /// The requests that wait for delivery, oldest first.
    public var outbox: [Outgoing] = []

    /// The changes that the app was notified of.
    public private(set) var changes: [RecordChange] = []

    /// The collections for which the app was notified, in order, that any record may have changed.
    public private(set) var changedCollections: [String] = []

    /// The progress of its syncs, oldest first.
    public private(set) var progress: [SyncStatus.CollectionProgress] = []

    /// The reports of its ended syncs, oldest first.
    public private(set) var reports: [CollectionReport] = []

    /// The outcomes of observed writes, by their number.
    public private(set) var outcomes: [Int: WriteOutcome] = [:]

    /// The time of the next wake-up, by collection.
    public private(set) var wakes: [String: Duration] = [:]

    /// Every transition of every record, oldest first.
    package private(set) var traces: [RecordTrace] = []

    /// Every transition of every exchange, oldest first.
    package private(set) var exchangeTraces: [ExchangeTrace] = []

    /// Receives every transition and every effect, in order; an effect before it is applied here.
    package var observer: ((DeviceEvent) -> Void)?

    /// The store of its records.
    public private(set) var store: Store

    package private(set) var engine: SyncEngine

    private let clock: ManualClock
    private var configuration: SyncConfiguration
    private var capabilities: RemoteCapabilities?
    private var seed: UInt64

    /// Makes a device.
    ///
    /// - Parameters:
    ///   - name: Its name in messages.
    ///   - store: The store of its records; no other code may use it.
    ///   - seed: The seed of jitter and, together with the name, of request ids and pks; each start uses the next seed.
    ///   - clock: The device's clock.
    ///   - configuration: The rules for conflicts, and all limits.
    ///   - capabilities: The capabilities of the server.
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

    /// Another device that begins with the committed data of this one, as if a backup were restored on a second phone.
    ///
    /// - Parameters:
    ///   - name: Its name in messages, different from this device's.
    ///   - seed: The seed of jitter and, together with the name, of its request ids.
    ///   - clock: Its clock; by default the same as here.
    public func copied(as name: String, seed: UInt64, clock: ManualClock? = nil) throws(TidemarkError) -> StoredDevice {
        try StoredDevice(
            name, store: try self.store.copy(), seed: seed, clock: clock ?? self.clock,
            configuration: self.configuration, capabilities: self.engine.capabilities)
    }

    /// Devices with different names make different ids, even with the same seed (FNV-1a).
    private static func idSeed(_ seed: UInt64, _ name: String) -> UInt64 {
        name.utf8.reduce(seed ^ 0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    private func listen() {
        self.engine.trace = { [unowned self] step in
            self.observer?(.transition(step))
            switch step {
            case .record(let trace): self.traces.append(trace)
            case .exchange(let trace): self.exchangeTraces.append(trace)
            case .opened, .forgotten: break
            }
        }
    }

    /// Passes an input to the engine, and applies its effects.
    package func run(_ input: (SyncEngine) throws(TidemarkError) -> [SyncEffect]) throws(TidemarkError) {
        for effect in try input(self.engine) {
            self.observer?(.effect(effect))
            switch effect {
            case .send(let request, let token): self.outbox.append(Outgoing(request: request, token: token))
            case .wake(let collection, let time): self.wakes[collection] = time
            case .tell(let change): self.changes.append(change)
            case .tellAll(let collection): self.changedCollections.append(collection)
            case .settle(let write, let outcome): self.outcomes[write] = outcome
            case .progress(let progress): self.progress.append(progress)
            case .leftToUser, .released: continue
            case .finish(let report): self.reports.append(report)
            }
        }
    }

    /// Begins a sync.
    public func sync(_ collection: String) throws(TidemarkError) {
        let now = self.clock.now
        try self.run { (engine) throws(TidemarkError) in try engine.sync(collection, now: now) }
    }

    /// Delivers the answer to a request.
    public func receive(_ answer: ExchangeAnswer, for sent: Outgoing) throws(TidemarkError) {
        try self.receive(answer, for: sent.token)
    }

    /// Delivers an answer.
    package func receive(_ answer: ExchangeAnswer, for token: ExchangeToken) throws(TidemarkError) {
        let now = self.clock.now
        try self.run { (engine) throws(TidemarkError) in try engine.receive(answer, for: token, now: now) }
    }

    /// Reports that a request got no answer.
    public func fail(_ failure: RemoteFailure, for sent: Outgoing) throws(TidemarkError) {
        try self.fail(failure, for: sent.token)
    }

    /// Reports that an exchange got no answer.
    package func fail(_ failure: RemoteFailure, for token: ExchangeToken) throws(TidemarkError) {
        let now = self.clock.now
        try self.run { (engine) throws(TidemarkError) in try engine.fail(failure, for: token, now: now) }
    }

    /// Kills the process and restarts it: only committed data remains, and no answer is expected any more.
    ///
    /// - Parameter configuration: The configuration from now on, as in a new version of the app; nil for the present one.
    /// - Returns: The requests without an answer. They may still reach the server.
    @discardableResult
    public func restart(configuration: SyncConfiguration? = nil) throws(TidemarkError) -> [Outgoing] {
        try self.open(configuration ?? self.configuration, self.capabilities, after: nil)
    }

    /// Closes the store, and opens it again with another engine: of another client, or the next one of the same client (Contract
    /// §14).
    ///
    /// - Parameters:
    ///   - configuration: The configuration of the client.
    ///   - capabilities: The capabilities of its server; nil for a guest without one.
    ///   - former: The state that it takes over from its last engine; nil for its first one.
    /// - Returns: The requests without an answer. They may still reach the server.
    package func handOver(
        to configuration: SyncConfiguration, capabilities: RemoteCapabilities?, after former: SyncEngine.Former?
    ) throws(TidemarkError) -> [Outgoing] {
        // Each client numbers the outcomes that it awaits.
        self.outcomes = [:]
        return try self.open(configuration, capabilities, after: former)
    }

    private func open(
        _ configuration: SyncConfiguration, _ capabilities: RemoteCapabilities?, after former: SyncEngine.Former?
    ) throws(TidemarkError) -> [Outgoing] {
        (self.configuration, self.capabilities) = (configuration, capabilities)
        let ghosts = self.outbox
        self.outbox = []
        self.wakes = [:]
        self.seed = SeededGenerator(seed: self.seed).following
        self.store = try self.store.copy()
        self.engine = try SyncEngine(
            store: self.store, configuration: self.configuration, capabilities: self.capabilities, seed: self.seed,
            idSeed: Self.idSeed(self.seed, self.name), after: former)
        self.listen()
        return ghosts
    }
}

extension StoredDevice<MemoryStore> {
    /// Makes a device with an empty store.
    ///
    /// - Parameters:
    ///   - name: Its name in messages.
    ///   - seed: The seed of jitter and, together with the name, of request ids and pks; each start uses the next seed.
    ///   - clock: The device's clock.
    ///   - configuration: The rules for conflicts, and all limits.
    ///   - capabilities: The capabilities of the server.
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
