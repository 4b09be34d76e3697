package import TidemarkMachine
package import TidemarkSimulation

/// One client, one other writer, a server and a network that loses, repeats and delays, around one record.
///
/// The client runs the real `RecordMachine`. The world plays the part of the engine: it carries out what the machine
/// asks for, in the order and with the transactions of SPEC §3, and it watches every step (``violation``).
///
/// Time does not pass here. What could happen next is one of ``moves``: some happen by themselves (a message arrives, a
/// tactic decides), others are *inputs* (the app, the other writer, a fault). The inputs are counted, and a world
/// shows every order of every choice of them.
package struct World: Sendable {
    /// The machine under exploration.
    package typealias Machine = RecordMachine<TinyAlgebra>

    /// One cell of the table.
    package typealias Cell = RecordCell

    /// What is under way between the client and the server: at most one exchange.
    enum Flight: Hashable, Sendable {
        case none
        case posting(Machine.Upload, watermark: Int, isFull: Bool)
        case getting(watermark: Int, isFull: Bool)
        case answered(Reply)
    }

    /// What the server sent back.
    struct Reply: Hashable, Sendable {
        /// The id of the edit that `result` is about; nil for a GET.
        var requestID: String?

        /// What the server says of the edit; nil for a GET, or when the history is lost.
        var result: Machine.Answer?

        /// The newest version of the row, if it is newer than the watermark of the request.
        var listed: Machine.ServerState?

        /// The watermark to go on from; nil when the server says that the history is lost (410).
        var watermark: Int?
    }

    /// What the server has, and remembers.
    struct Server: Sendable {
        var state = Machine.ServerState.nothing

        /// The last version that was given to anything.
        var clock = 0

        /// Watermarks below this one are too old (W8).
        var horizon = 0

        /// What a backup has that was made when the world began.
        var backup = Machine.ServerState.nothing

        /// Whether the other writer had a hand in the row.
        var isOthers = false

        /// The answers by request id (W4).
        var memory: [String: Machine.Answer] = [:]
    }

    let setting: Setting
    let algebra: TinyAlgebra

    /// The record as the client has it.
    package internal(set) var machine = Machine()
    /// What a process finds that starts now.
    var stored: Machine?
    var watermark = 0
    /// Whether the feed has to be read from the start (SPEC §6).
    var isFull = false
    /// The question that a person was asked.
    var question: Machine.Conflict?

    var flight = Flight.none
    /// Requests that no one waits for any more: the server may still take them.
    var ghosts: [Machine.Upload] = []
    var server = Server()

    /// How many inputs are still to come.
    var remaining: Int
    var lastRequest = 0
    /// What the counter has to come to: how often either side added to it.
    var tally = 0
    /// Whether the last thing that the app wanted is that the record does not exist.
    var isUnwanted = false

    /// What is wrong with the last step.
    var fault: String?
    /// The cells that the last step took.
    package internal(set) var taken: [Cell] = []

    /// Makes the world at its beginning.
    package init(_ setting: Setting) {
        self.setting = setting
        var algebra = TinyAlgebra()
        algebra.isCounting = setting.features.contains(.counting)
        self.algebra = algebra
        self.remaining = setting.inputs
        switch setting.start {
        case .nothing: break
        case .inStep: self.beginInStep()
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
        self.watermark = self.server.clock
        self.tally = self.setting.features.contains(.counting) ? 1 : 0
    }
}

extension World {
    /// A version as the client knows it.
    static func stamp(_ version: Int) -> String { "\(version)" }

    /// A version as the server counts it; 0 when there is none.
    static func version(_ stamp: String?) -> Int { stamp.flatMap { Int($0) } ?? 0 }
}
