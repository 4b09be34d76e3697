import Testing
import TidemarkJSON
import TidemarkMachine
import TidemarkRules

typealias Machine = RecordMachine

/// A record under test; it does the engine's part between two inputs, and checks each step.
struct Subject {
    var machine: Machine
    var algebra = JSONChanges()
    /// Every event since the beginning.
    var events: [RecordEvent] = []
    /// Every action of the last input.
    var actions: RecordActions = []

    /// A record that exists nowhere.
    static var absent: Subject { Subject(machine: Machine()) }

    /// `{"a": 1, "b": 1}` at version 1.
    static var synced: Subject { Subject(machine: Machine(phase: .synced, confirmed: .version1)) }

    /// The same record, of which `b` is a counter.
    static var counting: Subject {
        get throws {
            var subject = Self.synced
            subject.algebra = JSONChanges(fields: try FieldRules([("/b", .sum)]))
            return subject
        }
    }

    init(machine: Machine) {
        self.machine = machine
    }

    /// A record in the phase that the inputs lead to.
    init(_ start: Subject, after inputs: Machine.Input...) throws {
        self = start
        for input in inputs { try self.take(input) }
    }

    var phase: RecordPhase { self.machine.phase }
    var view: RecordPayload? { get throws { try self.machine.view(self.algebra) } }

    /// Applies an input and all inputs that follow from it.
    mutating func take(_ input: Machine.Input) throws {
        var next: Machine.Input? = input
        self.actions = []
        while let current = next {
            let (before, viewBefore) = (self.machine, try self.view)
            let step = try self.machine.receive(current, self.algebra)
            try self.check(step, on: current, from: before, viewBefore)
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

    /// What holds for each step: the app sees its own writes and nothing else without a notification (I2, R3), an upload is
    /// immutable until it is settled (I5), and each change is stored (I10).
    private func check(
        _ step: Machine.Step, on input: Machine.Input, from before: Machine, _ viewBefore: RecordPayload?
    ) throws {
        let view = try self.view
        switch input {
        case .create(let content), .edit(let content): #expect(view == content, "\(input)")
        case .delete: #expect(view == nil, "\(input)")
        case .send, .lost, .historyLost, .hold, .retry, .verdict(.ask, _): #expect(view == viewBefore, "\(input)")
        case .resign, .giveUp, .feedRow, .conflictRow, .answered, .verdict: break
        }
        #expect(view == viewBefore || step.actions.contains(.notify), "the app is not notified of \(step)")
        let isStored = step.actions.contains(.save) || step.actions.contains(.erase)
        #expect(self.machine == before || isStored, "\(step) is not stored")
        guard var upload = before.upload, let later = self.machine.upload else { return }
        (upload.wasResent, upload.recognition) = (later.wasResent, later.recognition)
        #expect(upload == later, "\(step) changes the upload")
    }
}

extension RecordPayload {
    /// `{"a": …, "b": …}`; 0 leaves a member out.
    init(a: Int = 0, b: Int = 0) {
        var json: JSON = [:]
        if a != 0 { json["a"] = JSON(a) }
        if b != 0 { json["b"] = JSON(b) }
        self.init(json)
    }
}

extension JSONPatch {
    /// Replaces one member, or both.
    static func replacing(a: Int? = nil, b: Int? = nil) -> JSONPatch {
        JSONPatch(
            [("/a" as JSONPointer, a), ("/b", b)].compactMap { path, value in value.map { .replace(path, JSON($0)) } })
    }
}

extension Machine.ServerState {
    /// `{"a": 1, "b": 1}` at version 1.
    static var version1: Self { .row(version: "1", RecordPayload(a: 1, b: 1)) }

    /// A row with a version.
    static func row(_ version: Int, a: Int, b: Int = 1) -> Self {
        .row(version: "\(version)", RecordPayload(a: a, b: b))
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
    static func edit(a: Int, b: Int = 1) -> Self { .edit(RecordPayload(a: a, b: b)) }

    /// The app creates the record.
    static func create(a: Int, b: Int = 0) -> Self { .create(RecordPayload(a: a, b: b)) }
}
