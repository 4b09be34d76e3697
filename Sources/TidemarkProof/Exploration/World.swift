package import TidemarkMachine
package import TidemarkSimulation

/// One client, one other writer, a server and a network that loses, repeats and delays, around one record.
///
/// The client runs the real `RecordMachine`. The world takes the part of the engine: it carries out the machine's actions
/// in the order and in the transactions of Contract §3, and it checks every step (``violation``).
///
/// Time does not pass in a world. The next step is one of ``moves``: some happen by themselves (a message arrives, a
/// tactic decides), others are *inputs* (the app, the other writer, a fault). The inputs are counted, and an exploration
/// covers every order of every choice of them.
package struct World: Sendable {
    /// The machine under exploration.
    package typealias Machine = RecordMachine<TinyAlgebra>

    /// One cell of the table.
    package typealias Cell = RecordCell

    /// The exchange in progress between the client and the server, at most one.
    enum Flight: Hashable, Sendable {
        case none
        case posting(Machine.Upload, cursor: Int, isFull: Bool)
        case getting(cursor: Int, isFull: Bool)
        case answered(Reply)
    }

    /// The answer of the server.
    struct Reply: Hashable, Sendable {
        /// The id of the edit that `result` is about; nil for a GET.
        var requestID: String?

        /// The server's result of the edit; nil for a GET, or if the history is lost.
        var result: Machine.Answer?

        /// The newest version of the row, if it is beyond the cursor of the request.
        var listed: Machine.ServerState?

        /// The cursor of the next request; nil if the server answers that the history is lost (410).
        var cursor: Int?
    }

    /// The state of the server.
    struct Server: Sendable {
        var state = Machine.ServerState.nothing

        /// The newest version.
        var clock = 0

        /// Cursors below this one are too old (W8).
        var horizon = 0

        /// The content of a backup from the beginning of the world.
        var backup = Machine.ServerState.nothing

        /// Whether the other writer wrote the row.
        var isOthers = false

        /// The answers by request id (W4).
        var memory: [String: Machine.Answer] = [:]
    }

    let setting: Setting
    let algebra: TinyAlgebra

    /// The record as the client has it.
    package internal(set) var machine = Machine()
    /// The record in the store, for a process that starts now.
    var stored: Machine?
    var cursor = 0
    /// Whether a full resync is due (Contract §6).
    var isFull = false
    /// The conflict that the user was asked about.
    var question: Machine.Conflict?

    var flight = Flight.none
    /// Requests whose sender stopped waiting. The server may still accept them.
    var ghosts: [Machine.Upload] = []
    var server = Server()

    /// How many inputs are left.
    var remaining: Int
    var lastRequest = 0
    /// The expected value of the counter: how often both sides added to it.
    var tally = 0
    /// Whether the app's last action was to delete the record, or to discard its create.
    var isUnwanted = false

    /// The violation of the last step.
    var fault: String?
    /// The cells that the last step took.
    package internal(set) var taken: [Cell] = []

    /// Makes the world in its first state.
    package init(_ setting: Setting) {
        self.setting = setting
        var algebra = TinyAlgebra()
        algebra.isCounting = setting.features.contains(.counting)
        self.algebra = algebra
        self.remaining = setting.inputs
        switch setting.start {
        case .nothing: break
        case .inSync: self.beginInStep()
        }
        self.server.backup = self.server.state
        for move in setting.prelude { self.take(move) }
        self.remaining = setting.inputs
        self.taken = []
    }

    private mutating func beginInStep() {
        self.write(TinyContent(a: 1, b: 1))
        self.server.isOthers = false
        self.machine = Machine(phase: .synced, confirmed: self.server.state)
        self.stored = self.machine
        self.cursor = self.server.clock
        self.tally = self.setting.features.contains(.counting) ? 1 : 0
    }
}

extension World {
    /// A version as the client knows it.
    static func version(_ version: Int) -> String { "\(version)" }

    /// A version as the server counts it; 0 for no version.
    static func version(_ version: String?) -> Int { version.flatMap { Int($0) } ?? 0 }
}
