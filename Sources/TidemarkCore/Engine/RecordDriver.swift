import TidemarkJSON
import TidemarkMachine
import TidemarkRules

/// Runs an input through a record's machine: carries out each step's actions, then passes the follow-up input, all in the
/// transaction of the input. It decides nothing.
struct RecordDriver {
    typealias Machine = Record.Machine

    let transaction: EngineTransaction

    /// What the transitions of an input amount to.
    struct Course {
        /// Whether the server accepted an upload.
        private(set) var isAccepted = false

        /// Whether both sides had changed the record, and the changes were merged.
        private(set) var isMerged = false

        /// Whether a decision was refused, because the record has changed meanwhile (R22).
        private(set) var isStale = false

        private var isConflicted = false
        private var isClashed = false
        private var phase = RecordPhase.absent
        fileprivate var isWritten = false

        fileprivate mutating func pass(_ step: Machine.Step) {
            switch step.event.kind {
            case .accepted: self.isAccepted = true
            case .merged: self.isMerged = true
            case .app, .resignation, .schedule, .feed, .notAccepted, .question: break
            }
            self.isStale = self.isStale || step.event == .stale
            self.isConflicted = self.isConflicted || step.event == .conflicted
            self.isClashed = self.isClashed || step.event == .clashed
            self.phase = step.target
        }

        /// Whether a change met a newer row without a conflict: it will be sent again, based on that row (Contract §3.3).
        var isContended: Bool { self.isConflicted && !self.isClashed && self.phase.activity == .idle }
    }

    /// Passes an input to a record and carries out what follows. The record is saved, or erased, at the end.
    @discardableResult
    func drive(_ record: inout Record, _ input: Machine.Input) throws(TidemarkError) -> Course {
        try self.drive(&record, DrivenInput(input))
    }

    /// Passes an input with its context: the reason of a loss, or of a hold.
    @discardableResult
    func drive(_ record: inout Record, _ driven: DrivenInput) throws(TidemarkError) -> Course {
        try self.transaction.naming(record.pk) { () throws(TidemarkError) in try self.run(&record, driven) }
    }

    private func run(_ record: inout Record, _ initial: DrivenInput) throws(TidemarkError) -> Course {
        let wasStored = record.machine.phase != .absent
        let wasHeld = record.machine.phase.activity == .held
        let watched = self.keeper.isWatching ? record.machine : nil
        var course = Course()
        var driven = initial
        var next: Machine.Input? = initial.input
        while let input = next {
            let before = record.machine
            let step = try record.machine.receive(input, self.transaction.algebra)
            course.pass(step)
            self.note(step, of: record)
            if step.event.kind == .accepted {
                try self.keeper.acknowledge(&record, upload: before, isReadBack: input.isReadBack)
                try AlteredValues(transaction: self.transaction)
                    .note(record, upload: before, isReadBack: input.isReadBack)
                try Removals(transaction: self.transaction).note(record, upload: before, shown: input.shown)
            }
            try self.show(step, of: record, before: before, to: self.transaction.memory.watch, driven)
            // Both belong to this input alone.
            let merge = driven.merge
            var copy = driven.copy
            (driven.copy, driven.merge) = (nil, nil)
            next = step.next
            for action in RecordAction.inOrder where step.actions.has(action) {
                switch action {
                case .journal: try self.journal(step, input, driven, merge, of: record, before: before)
                case .summarize: try self.summarize(&record, before: before)
                case .save, .erase: course.isWritten = true
                case .runTactic:
                    copy = nil
                    if let answer = try ConflictResolution(transaction: self.transaction).answer(
                        about: record, after: step.clash)
                    {
                        (driven, next) = (answer, answer.input)
                    }
                case .applyRefusalPolicy:
                    if let answer = try self.applyRefusalPolicy(&record, &driven) {
                        (driven, next) = (answer, answer.input)
                    }
                case .notify: self.transaction.tell(record.pk, RecordChange.Origin(step.event), step.target)
                // A change that is resigned or sent again at once is not reported as held.
                case .report: if next == nil { self.report(step, about: record, driven) }
                }
            }
            if let copy { try self.make(copy, of: record.pk) }
            next = next ?? record.machine.overdue(roundLimit: self.transaction.limits.rounds)
        }
        let isHeld = record.machine.phase.activity == .held
        record.hold = isHeld ? driven.hold ?? record.hold ?? RecordHold(.rounds(self.transaction.limits.rounds)) : nil
        self.rest(record)
        let returned = if let watched { try self.review(&record, after: watched, course) } else { RecordPayload?.none }
        if course.isWritten { try self.write(&record, wasStored: wasStored, wasHeld: wasHeld) }
        if let returned { try self.sendAgain(returned, &record) }
        return course
    }

    /// Reviews a watched record after an input. While a conflict over a sent upload is open, its row is not reviewed: the
    /// verdict decides.
    private func review(
        _ record: inout Record, after first: Machine, _ course: Course
    ) throws(TidemarkError) -> RecordPayload? {
        let wasOpen = first.base != nil
        guard record.watch != nil, record.machine.base == nil, wasOpen || first.confirmed != record.machine.confirmed
        else { return nil }
        return try self.keeper.review(
            &record, after: wasOpen ? nil : first.confirmed,
            seenAs: first.isVisible ? try first.view(self.transaction.algebra) : nil,
            isAccepted: course.isAccepted)
    }

    /// Reviews a watched record after the store applied a row to it directly.
    func look(
        at record: inout Record, after former: Machine.ServerState, seenAs view: RecordPayload?
    ) throws(TidemarkError) {
        let returned = try self.keeper.review(&record, after: former, seenAs: view)
        try self.write(&record, wasStored: true, wasHeld: record.machine.phase.activity == .held)
        if let returned { try self.sendAgain(returned, &record) }
    }

    /// Sends accepted values again that another write has overwritten.
    private func sendAgain(_ content: RecordPayload, _ record: inout Record) throws(TidemarkError) {
        try self.drive(&record, .edit(content))
        self.transaction.exchange.machine.noteReturn(
            of: CodePointString(record.pk), self.transaction.exchangeLimits)
    }

    private var keeper: LostUpdateGuard { LostUpdateGuard(transaction: self.transaction) }

    private func write(_ record: inout Record, wasStored: Bool, wasHeld: Bool) throws(TidemarkError) {
        guard record.machine.phase != .absent else {
            if wasStored {
                try self.transaction.store.erase(record.pk, in: self.transaction.collection)
                try self.transaction.follow(record, wasHeld: wasHeld)
            }
            return self.transaction.forget(record.pk)
        }
        let isPending = record.machine.phase != .synced
        if isPending, record.sequence == 0 {
            self.transaction.memory.sequence += 1
            record.sequence = self.transaction.memory.sequence
        }
        if !isPending {
            record.sequence = 0
            record.failures = 0
        }
        if let upload = record.machine.upload { record.freeze(upload) }
        let stored = record.stored
        try self.transaction.store.save(stored, in: self.transaction.collection)
        try self.transaction.follow(record, wasHeld: wasHeld)
        self.transaction.note(record, as: stored)
    }
}

// MARK: - Actions

extension RecordDriver {
    private func journal(
        _ step: Machine.Step, _ input: Machine.Input, _ driven: DrivenInput, _ merge: RecordMerge?,
        of record: Record, before: Machine
    ) throws(TidemarkError) {
        let reason = driven.reason ?? .merge
        let losses = try Losses(
            of: step, from: before, to: record.machine, isMerge: reason == .merge || input.isContent,
            merge: merge, self.transaction.algebra)
        try Journal(transaction: self.transaction).append(losses, of: record.pk, reason)
        let fields = self.transaction.rules.fields
        if driven.mayDropAdditions, losses.values.contains(where: { fields.hasAdditions(at: $0.path) }) {
            self.transaction.memory.discards += 1
        }
    }

    private func summarize(_ record: inout Record, before: Machine) throws(TidemarkError) {
        let summary = try RecordExplanation.MergeSummary(from: before, to: record.machine, self.transaction.algebra)
        record.lastMerge = summary.json.bytes
    }

    /// Calls the policy for refusals.
    ///
    /// - Returns: The next input; nil if the change stays held.
    private func applyRefusalPolicy(
        _ record: inout Record, _ driven: inout DrivenInput
    ) throws(TidemarkError) -> DrivenInput? {
        guard case .refused(let status, let problem) = driven.hold?.cause else { return nil }
        // A probe, or a parent that was deleted meanwhile: the refusal was foreseen (Contract §3.6, §11).
        if let rule = ReferenceRule(self.transaction), try rule.isForeseen(record.pk) {
            self.transaction.exchange.machine.postponed.noteRefusal(of: CodePointString(record.pk), attempt: 1)
            return DrivenInput(.retry)
        }
        let refusal = RefusedChange(
            collection: self.transaction.collection, pk: record.pk, state: record.machine.phase.state ?? .edited,
            status: status, problem: problem, attempt: record.failures + 1)
        let verdict = self.transaction.configuration.policies.refused.decide(refusal)
        record.failures = verdict == .retry ? refusal.attempt : 0
        switch verdict {
        case .leave: return nil
        case .ask:
            driven.hold?.isAsked = true
            return nil
        // If the resigned change stays held, it is for the same reason.
        case .resign: return DrivenInput(.giveUp, .rejected, hold: driven.hold)
        case .retry:
            self.transaction.exchange.machine.postponed.noteRefusal(
                of: CodePointString(record.pk), attempt: refusal.attempt)
            return DrivenInput(.retry)
        }
    }

    private func report(_ step: Machine.Step, about record: Record, _ driven: DrivenInput) {
        let held: RecordChange.Origin = driven.hold?.isAsked == true ? .refusal : .hold
        let isHeld = step.target.activity == .held
        let origin: RecordChange.Origin = isHeld ? held : .conflict
        self.transaction.countLeft(isHeld: isHeld)
        self.transaction.tell(record.pk, origin, step.target, problem: driven.problem)
    }

    /// Creates a separate record of the client's side, if a verdict keeps both sides.
    private func make(_ copy: DrivenInput.Copy, of pk: String) throws(TidemarkError) {
        var record = try self.transaction.load(copy.pk ?? self.transaction.memory.ids.uuid())
        try self.drive(&record, .create(copy.content))
        self.transaction.exchange.machine.noteCopy(
            CodePointString(record.pk), of: CodePointString(pk), self.transaction.exchangeLimits)
    }
}

// MARK: - Observers

extension RecordDriver {
    private func note(_ step: Machine.Step, of record: Record) {
        self.transaction.note(
            .record(
                RecordTrace(
                    collection: self.transaction.collection, pk: record.pk, event: step.event, source: step.source,
                    target: step.target, actions: step.actions)))
    }

    private func name(of record: Record) -> RecordName {
        RecordName(collection: self.transaction.collection, pk: record.pk)
    }

    /// Reports a transition to the callers that wait for the outcome of a write.
    private func show(
        _ step: Machine.Step, of record: Record, before: Machine, to watch: WriteWatch, _ driven: DrivenInput
    ) throws(TidemarkError) {
        guard watch.isWaiting(for: self.name(of: record)) else { return }
        let passage = try PendingWrite.Passage(
            step, from: before, to: record.machine, driven.hold ?? record.hold, self.transaction.algebra)
        let outcomes = self.transaction.memory.watch.follow(passage, of: self.name(of: record))
        for (number, outcome) in outcomes { self.transaction.emit(.settle(write: number, outcome)) }
    }

    /// Reports the phase of the record at the end of an input to them.
    private func rest(_ record: Record) {
        let outcomes = self.transaction.memory.watch.rest(record, self.name(of: record))
        for (number, outcome) in outcomes { self.transaction.emit(.settle(write: number, outcome)) }
    }
}

extension RecordMachine.Input {
    /// The server's state in the input; nil if it has none.
    fileprivate var shown: RecordMachine.ServerState? {
        switch self {
        case .feedRow(let state), .conflictRow(let state), .answered(.accepted(let state, _)),
            .answered(.conflicted(let state)):
            state
        case .answered, .create, .edit, .delete, .retry, .resign, .giveUp, .send, .hold, .lost, .historyLost,
            .verdict:
            nil
        }
    }

    /// Whether it is an accepted upload whose row was read after the write.
    fileprivate var isReadBack: Bool {
        guard case .answered(.accepted(_, origin: .readBack)) = self else { return false }
        return true
    }

    /// Whether it is a verdict with a new content.
    fileprivate var isContent: Bool {
        guard case .verdict(.content, _) = self else { return false }
        return true
    }
}

extension RecordChange.Origin {
    /// The cause of a change, for the app's notification.
    init(_ event: RecordEvent) {
        switch event.kind {
        case .app: self = .app
        case .resignation: self = .resignation
        case .merged: self = .merge
        case .schedule, .feed, .accepted, .notAccepted, .question: self = .server
        }
    }
}
