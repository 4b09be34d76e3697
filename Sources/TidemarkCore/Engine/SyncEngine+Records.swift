import TidemarkJSON
import TidemarkMachine

// How an input runs through a record's machine: each step's actions are carried out, then what follows from it is
// received, all in the transaction that is open.

extension SyncEngine {
    typealias Machine = Record.Machine

    /// What an input ran through, for the report.
    struct Course {
        var events: [RecordEvent] = []
        var phase = Phase.absent

        /// Whether a change came back without a clash: it goes on over the row that was faster (SPEC §3.3).
        var isContended: Bool {
            self.events.contains(.conflicted) && !self.events.contains(.clashed) && self.phase.activity == .idle
        }
    }

    /// Hands an input to a record and carries out what follows. The record is saved, or erased, at the end.
    @discardableResult
    func drive(
        _ record: inout Record, _ input: Machine.Input, in collection: String, _ effects: inout [Effect]
    ) throws(TidemarkError) -> Course {
        try self.drive(&record, Ruling(input), in: collection, &effects)
    }

    /// The same, where it is known why something loses by it.
    @discardableResult
    func drive(
        _ record: inout Record, _ ruling: Ruling, in collection: String, _ effects: inout [Effect]
    ) throws(TidemarkError) -> Course {
        try self.naming(record.pk, in: collection) { () throws(TidemarkError) in
            try self.run(&record, ruling, in: collection, &effects)
        }
    }

    private func run(
        _ record: inout Record, _ ruling: Ruling, in collection: String, _ effects: inout [Effect]
    ) throws(TidemarkError) -> Course {
        let algebra = self.algebra(of: collection)
        let wasStored = record.machine.phase != .absent
        var course = Course()
        var writes = false
        var ruling = ruling
        var next: Machine.Input? = ruling.input
        while let current = next {
            let before = record.machine
            let step = try record.machine.receive(current, algebra)
            self.trace?(
                RecordTrace(
                    collection: collection, pk: record.pk, event: step.event, source: step.source, target: step.target))
            course.events.append(step.event)
            try self.follow(step, of: record, before: before, algebra, in: collection, &effects)
            next = step.next
            if step.actions.contains(.journal) {
                let why = ruling.reason ?? .merge
                let isMerge = why == .merge || current.isContent
                try self.journal(why, step, isMerge: isMerge, of: record, before: before, algebra, in: collection)
            }
            if !step.actions.isDisjoint(with: [.save, .erase]) { writes = true }
            if step.event.isMerge { try self.summarize(step, of: &record, before: before, algebra) }
            if let copy = ruling.copy, step.event != .stale { try self.make(copy, in: collection, &effects) }
            ruling.copy = nil
            if step.actions.contains(.consult), let answer = try self.consult(about: record, in: collection) {
                ruling = answer
                next = answer.input
            }
            if step.event == .refused { next = try self.inputAfterRefusal(of: &record, in: collection, &ruling.reason) }
            // A change that a policy gives up or sends again was never held for anyone to see.
            let isPassing = step.event == .refused && next != nil
            if !isPassing { self.tell(step, about: record, ruling.problem, in: collection, &effects) }
            if next == nil { next = self.limit(record) }
        }
        course.phase = record.machine.phase
        if record.machine.phase.activity != .held { record.hold = nil }
        if course.events.last == .exhausted, record.hold == nil { record.hold = self.tooManyRounds.bytes }
        self.rest(record, in: collection, &effects)
        if writes { try self.write(&record, wasStored: wasStored, in: collection) }
        return course
    }

    private func write(
        _ record: inout Record, wasStored: Bool, in collection: String
    ) throws(TidemarkError) {
        guard record.machine.phase != .absent else {
            if wasStored { try self.store.erase(record.pk, in: collection) }
            return
        }
        let isPending = record.machine.phase != .synced
        if isPending, record.sequence == 0 {
            self.memory.sequence += 1
            record.sequence = self.memory.sequence
        }
        if !isPending {
            record.sequence = 0
            record.failures = 0
        }
        if let upload = record.machine.upload { record.frozen[upload.requestID] = record.edit(of: upload) }
        try self.store.save(record.stored, in: collection)
    }

    /// SPEC §3.3: a change that comes back too often is held.
    private func limit(_ record: Record) -> Machine.Input? {
        guard record.machine.rounds >= self.configuration.limits.rounds else { return nil }
        switch record.machine.phase.activity {
        case .idle: return .hold
        case .uploading, .unconfirmed, .deciding, .held, nil: return nil
        }
    }

    private var tooManyRounds: JSON {
        [
            "title": "The server's version moved again and again while this change was on its way.",
            "rounds": .number(JSONNumber(self.configuration.limits.rounds)),
        ]
    }

    private func tell(
        _ step: Machine.Step, about record: Record, _ problem: String?, in collection: String,
        _ effects: inout [Effect]
    ) {
        if step.actions.contains(.notify) {
            effects.append(
                .tell(Change(collection: collection, pk: record.pk, origin: step.event.origin, phase: step.target)))
        }
        if step.actions.contains(.report) {
            let held: Change.Origin = Self.isAsking(record.hold) ? .refusal : .hold
            let origin: Change.Origin = step.target.activity == .held ? held : .conflict
            effects.append(
                .tell(
                    Change(
                        collection: collection, pk: record.pk, origin: origin, phase: step.target, problem: problem)))
        }
    }
}

// MARK: - Conflicts

extension SyncEngine {
    /// The conflict that a record is in; nil when it is in none.
    package func conflict(of record: Record, in collection: String) throws(TidemarkError) -> RecordConflict? {
        guard let question = try record.machine.conflict(self.algebra(of: collection)) else { return nil }
        return try RecordConflict(
            question, of: record.pk, in: collection, self.configuration[collection].fields,
            round: record.machine.rounds + 1)
    }

    /// Asks the tactic, unless the facts have settled it meanwhile.
    private func consult(
        about record: Record, in collection: String
    ) throws(TidemarkError) -> Ruling? {
        if let settled = try record.machine.settling(self.algebra(of: collection)) { return Ruling(settled) }
        guard let conflict = try self.conflict(of: record, in: collection) else { return nil }
        let verdict = self.configuration[collection].tactic.decide(conflict) ?? .ask
        if let flaw = try self.flaw(of: verdict, about: record.pk, in: collection) {
            return Ruling(.verdict(.ask, about: conflict.question), problem: flaw.message)
        }
        return Ruling(verdict, about: conflict, self.configuration[collection].fields)
    }

    /// Makes the client's side a record of its own, which a verdict wants to keep beside the server's.
    private func make(
        _ copy: Ruling.Copy, in collection: String, _ effects: inout [Effect]
    ) throws(TidemarkError) {
        var record = try self.load(copy.pk ?? self.memory.generator.uuid(), in: collection)
        try self.drive(&record, .create(copy.content), in: collection, &effects)
    }
}

extension RecordMachine.Input {
    /// Whether it is a verdict that brings a content of its own.
    fileprivate var isContent: Bool {
        guard case .verdict(.content, _) = self else { return false }
        return true
    }
}

extension RecordEvent {
    /// Who changed the record when the app is told.
    var origin: Change.Origin {
        switch self {
        case .created, .createdAgain, .edited, .reverted, .editedInDoubt, .createdInDoubt, .createdAgainInDoubt,
            .deleted, .discarded,
            .deletedInDoubt, .released, .resumed:
            .app
        case .resigned, .abandoned, .withdrawn: .resignation
        case .rebased, .converged, .adopted, .erased, .recreated, .revived: .merge
        case .sent, .exhausted, .refreshed, .repeated, .clashed, .gone, .seen, .accepted, .acceptedEarlier,
            .acceptedGone, .conflicted, .dissolved, .refused, .refusedEarlier, .lost, .forgotten, .undecided, .stale:
            .server
        }
    }
}
