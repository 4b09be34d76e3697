import TidemarkMachine
import TidemarkProof

typealias Machine = RecordMachine<TinyAlgebra>

/// A record under test; it does the engine's part between two inputs.
struct Subject {
    var machine: Machine
    var algebra = TinyAlgebra()
    /// Every event since the beginning.
    var events: [RecordEvent] = []
    /// Every action of the last input.
    var actions: RecordActions = []

    /// A record that exists nowhere.
    static var absent: Subject { Subject(machine: Machine()) }

    /// `{a1 b1}` at version 1.
    static var synced: Subject { Subject(machine: Machine(phase: .synced, confirmed: .version1)) }

    init(machine: Machine) {
        self.machine = machine
    }

    /// A record in the phase that the inputs lead to.
    init(_ start: Subject, after inputs: Machine.Input...) throws {
        self = start
        for input in inputs { try self.take(input) }
    }

    var phase: RecordPhase { self.machine.phase }
    var view: TinyContent? { get throws { try self.machine.view(self.algebra) } }

    /// Applies an input and all inputs that follow from it.
    mutating func take(_ input: Machine.Input) throws {
        var next: Machine.Input? = input
        self.actions = []
        while let current = next {
            let step = try self.machine.receive(current, self.algebra)
            self.events.append(step.event)
            self.actions.formUnion(step.actions)
            next = step.next
        }
    }

    /// Decides the open conflict.
    mutating func decide(_ verdict: Machine.Verdict) throws {
        guard let conflict = try self.machine.conflict(self.algebra) else { return }
        try self.take(.verdict(verdict, about: conflict))
    }
}

extension Machine.ServerState {
    /// `{a1 b1}` at version 1.
    static var version1: Self { .row(version: "1", TinyContent(a: 1, b: 1)) }

    /// A row with a version.
    static func row(_ version: Int, a: UInt8, b: UInt8 = 1) -> Self {
        .row(version: "\(version)", TinyContent(a: a, b: b))
    }

    /// A tombstone with a version.
    static func tombstone(_ version: Int) -> Self { .tombstone(version: "\(version)") }
}

extension Machine.Input {
    /// The record is sent, to a server that repeats its answers.
    static func send(_ requestID: String, limit: Int = 5) -> Self {
        .send(requestID: requestID, roundLimit: limit, recognition: .byAnswer)
    }

    /// The record is sent, to a server that can't repeat its answers.
    static func sendUnrepeated(_ requestID: String) -> Self {
        .send(requestID: requestID, roundLimit: 5, recognition: .byContent)
    }

    /// The app changes the record.
    static func edit(a: UInt8, b: UInt8 = 1) -> Self { .edit(TinyContent(a: a, b: b)) }

    /// The app creates the record.
    static func create(a: UInt8, b: UInt8 = 0) -> Self { .create(TinyContent(a: a, b: b)) }
}
