import TidemarkCore
import TidemarkJSON
public import TidemarkMachine
public import TidemarkRules

/// One device with a few records, its exchange, a server, another writer, and a network that loses what it carries.
///
/// The device is the real `SyncEngine` over a store in memory, so that what stands between the two machines (what is sent,
/// how an answer is taken in, what a failure is told to) is explored with them. ``World`` shows everything that can
/// happen to one record; here several share a request, an answer, a page and a listing.
///
/// A request and its answer are one step, since nothing that happens between them can be told apart from the same before
/// or after it: the app meets the device, another writer meets the server, and neither sees the message.
public struct ExchangeWorld {
    /// One cell of the exchange's table.
    public struct Cell: Hashable, Sendable {
        /// The row.
        public var phase: ExchangePhase

        /// The column.
        public var event: ExchangeEvent

        /// Names a cell.
        public init(phase: ExchangePhase, event: ExchangeEvent) {
            self.phase = phase
            self.event = event
        }
    }

    /// A request whose answer is awaited.
    struct Sent {
        var request: ExchangeRequest
        var token: ExchangeToken
    }

    static let collection = "notes"
    static let account = "own"

    private(set) var setting: Setting

    /// What the device has; nobody changes it after the step that led here.
    var store: MemoryStore
    var engine: SyncEngine
    var now = Duration.seconds(1_000)

    /// What the store and the engine say of themselves, looked up once after each step.
    private(set) var state = CollectionState()
    private(set) var records: [String: StoredRecord] = [:]
    private(set) var shape: EngineShape

    var sent: Sent?
    /// A request that was given up, and may arrive yet.
    var late: ExchangeRequest?
    var server = ModelServer()
    /// Whether the server ever lost what it had acknowledged.
    var hasGoneBack = false

    /// How much is still to come.
    var edits: Int
    var writes: Int
    var faults: Int

    /// How often something was typed into each record: here, and by another device.
    var typed: [String: Int] = [:]
    var othersTyped: [String: Int] = [:]

    /// What was typed here and is neither acknowledged nor journalled nor taken back (I2).
    var pending: Set<String> = []
    /// What this device may overwrite: its user saw it and replaced it, or it is in the journal (I1).
    var mayLose: Set<String> = []
    /// What was confirmed here and the server has lost, and is not journalled yet (SPEC §6).
    var lostByServer: Set<String> = []
    /// What each counter has to come to.
    var sums: [String: Int] = [:]

    /// What is wrong with the last step; nil when nothing is.
    public var violation: String?

    /// The cells of the exchange's table that the last step took.
    public internal(set) var taken: [Cell] = []

    /// The cells of the record's table that the last step took.
    public internal(set) var recordsTaken: [World.Cell] = []

    /// Makes a world at its beginning.
    public init(_ setting: Setting) throws(TidemarkError) {
        self.setting = setting
        self.store = MemoryStore()
        self.engine = try setting.engine(over: self.store, seed: 1)
        self.shape = try self.engine.shape(of: Self.collection)
        (self.edits, self.writes, self.faults) = (setting.edits, setting.writes, setting.faults)
        self.server.fault = setting.serverFault
        self.server.lateness = setting.lateness
        for pk in setting.inStep { self.server.write(Self.content(x: "", n: 0), at: pk) }
        if !setting.isNew { self.begin(.sync) }
        while self.sent != nil, self.violation == nil { self.begin(.answer) }
        self.server.backUp()
        for move in setting.prelude { self.begin(move) }
        (self.edits, self.writes, self.faults) = (setting.edits, setting.writes, setting.faults)
    }

    /// Takes a step of those that lead to the beginning, up to one that breaks something.
    private mutating func begin(_ move: Move) {
        if self.violation == nil { self = self.taking(move) }
    }

    /// Looks up what the store and the engine say of themselves.
    mutating func look() throws(TidemarkError) {
        let stored = self.store.collection(Self.collection)
        self.state = stored.state ?? CollectionState()
        self.records = [:]
        for record in stored.records.values { self.records[record.pk] = record }
        self.shape = try self.engine.shape(of: Self.collection)
    }

    /// What a record has: a text and a counter.
    static func content(x: String, n: Int) -> [UInt8] { Array(#"{"x":"\#(x)","n":\#(n)}"#.utf8) }
}

extension ExchangeWorld.Setting {
    /// A device as the app makes it.
    func engine(over store: MemoryStore, seed: UInt64) throws(TidemarkError) -> SyncEngine {
        var capabilities = RemoteCapabilities.native
        if self.lateness > 1 { capabilities.feed = .late(.seconds(self.lateness)) }
        return try SyncEngine(
            store: store, configuration: try self.configuration, capabilities: capabilities, seed: seed)
    }

    /// What the device is made with: limits so small that a few steps reach them.
    private var configuration: SyncConfiguration {
        get throws(TidemarkError) {
            var configuration = SyncConfiguration()
            configuration.rules = CollectionRules(
                tactic: self.asks ? .askUser : .autoMerge, fields: try FieldRules([("/n", .sum)]))
            if self.retries { configuration.policies.refused = RetryRefused(tries: 2) }
            if self.pauses { configuration.policies.offline = .pause }
            configuration.limits.batchSize = self.batchSize
            configuration.limits.pageSize = self.pageSize
            configuration.limits.rounds = 2
            configuration.limits.loneFailures = 2
            configuration.limits.silentTries = 2
            configuration.limits.listings = 2
            return configuration
        }
    }
}

extension ExchangeWorld.Cell {
    /// Every cell of the exchange's table that is not impossible, in the order of the table.
    public static let all: [ExchangeWorld.Cell] = ExchangePhase.allCases.flatMap { phase in
        ExchangeEvent.allCases
            .filter { phase.transition(on: $0) != .impossible }
            .map { ExchangeWorld.Cell(phase: phase, event: $0) }
    }
}

extension ExchangeWorld.Cell: CustomStringConvertible {
    /// The phase and the event.
    public var description: String { "\(self.phase) \(self.event)" }
}
