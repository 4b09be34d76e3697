import TidemarkJSON
import TidemarkMachine
import TidemarkRules

/// Runs an input through a record's machine: each step's actions are carried out, then what follows from it is received,
/// all in the transaction of the turn. It decides nothing.
struct RecordDriver {
    typealias Machine = Record.Machine

    let turn: Turn

    /// What an input ran through.
    struct Course {
        private(set) var events: [RecordEvent] = []
        fileprivate(set) var phase = RecordPhase.absent
        fileprivate var isWritten = false

        fileprivate mutating func pass(_ step: Machine.Step) {
            self.events.append(step.event)
            self.phase = step.target
        }

        /// Whether a change came back without a clash: it goes on over the row that was faster (SPEC §3.3).
        var isContended: Bool {
            self.events.contains(.conflicted) && !self.events.contains(.clashed) && self.phase.activity == .idle
        }
    }

    /// Hands an input to a record and carries out what follows. The record is saved, or erased, at the end.
    @discardableResult
    func drive(_ record: inout Record, _ input: Machine.Input) throws(TidemarkError) -> Course {
        try self.drive(&record, Ruling(input))
    }

    /// The same, where it is known why something loses by it, or why the record is held.
    @discardableResult
    func drive(_ record: inout Record, _ ruling: Ruling) throws(TidemarkError) -> Course {
        try self.turn.naming(record.pk) { () throws(TidemarkError) in try self.run(&record, ruling) }
    }

    private func run(_ record: inout Record, _ first: Ruling) throws(TidemarkError) -> Course {
        let (wasStored, former) = (record.machine.phase != .absent, record.machine.confirmed)
        let wasOpen = record.machine.base != nil
        var course = Course()
        var ruling = first
        var next: Machine.Input? = first.input
        while let input = next {
            let before = record.machine
            let step = try record.machine.receive(input, self.turn.algebra)
            course.pass(step)
            self.note(step, of: record)
            if step.event.kind == .accepted {
                try self.keeper.acknowledge(&record, upload: before)
                try AlteredValues(turn: self.turn).note(record, upload: before)
                try Removals(turn: self.turn).note(record, upload: before, shown: input.shown)
            }
            try self.show(step, of: record, before: before, to: self.turn.memory.watch, ruling)
            var copy = ruling.copy
            ruling.copy = nil
            next = step.next
            for action in RecordAction.inOrder where step.actions.has(action) {
                switch action {
                case .journal: try self.journal(step, input, ruling, of: record, before: before)
                case .summarise: try self.summarise(&record, before: before)
                case .save, .erase: course.isWritten = true
                case .consult:
                    copy = nil
                    if let answer = try Question(turn: self.turn).answer(about: record) {
                        (ruling, next) = (answer, answer.input)
                    }
                case .appeal:
                    if let answer = self.appeal(&record, &ruling) { (ruling, next) = (answer, answer.input) }
                case .notify: self.turn.tell(record.pk, RecordChange.Origin(step.event), step.target)
                // A change that is given up or sent again at once was never held for anyone to see.
                case .report: if next == nil { self.report(step, about: record, ruling) }
                }
            }
            if let copy { try self.make(copy) }
            next = next ?? record.machine.overdue(roundLimit: self.turn.limits.rounds)
        }
        let isHeld = record.machine.phase.activity == .held
        record.hold = isHeld ? ruling.hold ?? record.hold ?? RecordHold(.rounds(self.turn.limits.rounds)) : nil
        self.rest(record)
        // While a question is open over what was sent, its row is not looked at: the verdict shows what becomes of it.
        let isOpen = record.machine.base != nil
        let isAsBefore = record.watch == nil || isOpen || (former == record.machine.confirmed && !wasOpen)
        let returned = isAsBefore ? nil : try self.keeper.review(&record)
        if course.isWritten { try self.write(&record, wasStored: wasStored) }
        if let returned { try self.drive(&record, .edit(returned)) }
        return course
    }

    /// Looks at a record that the store took a row in for by itself, where something of it is watched.
    func look(at record: inout Record) throws(TidemarkError) {
        let returned = try self.keeper.review(&record)
        try self.write(&record, wasStored: true)
        if let returned { try self.drive(&record, .edit(returned)) }
    }

    private var keeper: WatchKeeper { WatchKeeper(turn: self.turn) }

    private func write(_ record: inout Record, wasStored: Bool) throws(TidemarkError) {
        guard record.machine.phase != .absent else {
            if wasStored { try self.turn.store.erase(record.pk, in: self.turn.collection) }
            return self.turn.forget(record.pk)
        }
        let isPending = record.machine.phase != .synced
        if isPending, record.sequence == 0 {
            self.turn.memory.sequence += 1
            record.sequence = self.turn.memory.sequence
        }
        if !isPending {
            record.sequence = 0
            record.failures = 0
        }
        if let upload = record.machine.upload { record.freeze(upload) }
        let stored = record.stored
        try self.turn.store.save(stored, in: self.turn.collection)
        self.turn.note(record, as: stored)
    }
}

// MARK: - Actions

extension RecordDriver {
    private func journal(
        _ step: Machine.Step, _ input: Machine.Input, _ ruling: Ruling, of record: Record, before: Machine
    ) throws(TidemarkError) {
        let reason = ruling.reason ?? .merge
        let losses = try Losses(
            of: step, from: before, to: record.machine, isMerge: reason == .merge || input.isContent, self.turn.algebra)
        try Journal(turn: self.turn).append(losses, of: record.pk, reason)
    }

    private func summarise(_ record: inout Record, before: Machine) throws(TidemarkError) {
        let summary = try RecordExplanation.MergeSummary(from: before, to: record.machine, self.turn.algebra)
        record.lastMerge = summary.json.bytes
    }

    /// Asks the policy for refusals.
    ///
    /// - Returns: What follows; nil when the change stays held.
    private func appeal(_ record: inout Record, _ ruling: inout Ruling) -> Ruling? {
        guard case .refused(let status, let problem) = ruling.hold?.cause else { return nil }
        let refusal = RefusedChange(
            collection: self.turn.collection, pk: record.pk, state: record.machine.phase.state ?? .edited,
            status: status, problem: problem, attempt: record.failures + 1)
        let verdict = self.turn.configuration.policies.refused.decide(refusal)
        record.failures = verdict == .retry ? refusal.attempt : 0
        switch verdict {
        case .leave: return nil
        case .ask:
            ruling.hold?.isAsked = true
            return nil
        // Where giving up leaves it held, it is for the same reason.
        case .resign: return Ruling(.giveUp, .rejected, hold: ruling.hold)
        case .retry:
            self.turn.exchange.machine.postponed.noteRefusal(
                of: CodePointString(record.pk), attempt: refusal.attempt)
            return Ruling(.release)
        }
    }

    private func report(_ step: Machine.Step, about record: Record, _ ruling: Ruling) {
        let held: RecordChange.Origin = ruling.hold?.isAsked == true ? .refusal : .hold
        let origin: RecordChange.Origin = step.target.activity == .held ? held : .conflict
        self.turn.tell(record.pk, origin, step.target, problem: ruling.problem)
    }

    /// Makes the client's side a record of its own, which a verdict wants to keep beside the server's.
    private func make(_ copy: Ruling.Copy) throws(TidemarkError) {
        var record = try self.turn.load(copy.pk ?? self.turn.memory.ids.uuid())
        try self.drive(&record, .create(copy.content))
    }
}

// MARK: - Who looks on

extension RecordDriver {
    private func note(_ step: Machine.Step, of record: Record) {
        self.turn.note(
            .record(
                RecordTrace(
                    collection: self.turn.collection, pk: record.pk, event: step.event, source: step.source,
                    target: step.target, actions: step.actions)))
    }

    private func name(of record: Record) -> WriteWatch.Name {
        WriteWatch.Name(collection: self.turn.collection, pk: record.pk)
    }

    /// Shows a transition to those who wait for what becomes of a write.
    private func show(
        _ step: Machine.Step, of record: Record, before: Machine, to watch: WriteWatch, _ ruling: Ruling
    ) throws(TidemarkError) {
        guard watch.isWaiting(for: self.name(of: record)) else { return }
        let passage = try PendingWrite.Passage(
            step, from: before, to: record.machine, (ruling.hold ?? record.hold)?.reason, self.turn.algebra)
        let outcomes = self.turn.memory.watch.follow(passage, of: self.name(of: record))
        for (number, outcome) in outcomes { self.turn.want(.settle(write: number, outcome)) }
    }

    /// Shows to them where the record stands at the end of an input.
    private func rest(_ record: Record) {
        let outcomes = self.turn.memory.watch.rest(record, self.name(of: record))
        for (number, outcome) in outcomes { self.turn.want(.settle(write: number, outcome)) }
    }
}

extension RecordMachine.Input {
    /// What the server showed with it; nil where it showed nothing.
    fileprivate var shown: RecordMachine.ServerState? {
        switch self {
        case .listed(let state), .met(let state), .answered(.accepted(let state, _)),
            .answered(.conflicted(let state)):
            state
        case .answered, .create, .edit, .delete, .release, .resign, .giveUp, .send, .hold, .lost, .historyLost,
            .verdict:
            nil
        }
    }

    /// Whether it is a verdict that brings a content of its own.
    fileprivate var isContent: Bool {
        guard case .verdict(.content, _) = self else { return false }
        return true
    }
}

extension RecordChange.Origin {
    /// Who changed a record, when the app is told.
    init(_ event: RecordEvent) {
        switch event.kind {
        case .app: self = .app
        case .resignation: self = .resignation
        case .merged: self = .merge
        case .schedule, .feed, .accepted, .notAccepted, .question: self = .server
        }
    }
}
