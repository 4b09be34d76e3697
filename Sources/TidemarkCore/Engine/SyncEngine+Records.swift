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
        _ record: inout Record, _ input: Machine.Input, in collection: String, reason: JournalEntry.Reason? = nil,
        _ effects: inout [Effect]
    ) throws(TidemarkError) -> Course {
        try self.naming(record.pk, in: collection) { () throws(TidemarkError) in
            try self.run(&record, input, in: collection, reason: reason, &effects)
        }
    }

    private func run(
        _ record: inout Record, _ input: Machine.Input, in collection: String, reason: JournalEntry.Reason?,
        _ effects: inout [Effect]
    ) throws(TidemarkError) -> Course {
        let algebra = self.algebra(of: collection)
        let wasStored = record.machine.phase != .absent
        var course = Course()
        var writes = false
        var next: Machine.Input? = input
        var reason = reason
        var problem: String?
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
                let why = reason ?? .merge
                let isMerge = why == .merge || current.isContent
                try self.journal(why, step, isMerge: isMerge, of: record, before: before, algebra, in: collection)
            }
            if !step.actions.isDisjoint(with: [.save, .erase]) { writes = true }
            if step.event.isMerge { try self.summarize(step, of: &record, before: before, algebra) }
            if step.actions.contains(.consult) {
                next = try self.consult(about: &record, in: collection, &reason, &problem, &effects)
            }
            if step.event == .refused { next = try self.inputAfterRefusal(of: &record, in: collection, &reason) }
            // A change that a policy gives up or sends again was never held for anyone to see.
            let isPassing = step.event == .refused && next != nil
            if !isPassing { self.tell(step, about: record, problem, in: collection, &effects) }
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
        guard let facts = try record.machine.conflict(self.algebra(of: collection)) else { return nil }
        return try self.conflict(facts, of: record, in: collection)
    }

    private func conflict(
        _ facts: Machine.Conflict, of record: Record, in collection: String
    ) throws(TidemarkError) -> RecordConflict {
        RecordConflict(
            collection: collection, pk: record.pk, base: try facts.base?.json(),
            server: try facts.server.content?.json(),
            stamp: facts.server.stamp, client: try facts.client?.json(), fields: self.configuration[collection].fields,
            round: record.machine.rounds + 1)
    }

    /// Asks the tactic, unless the facts have settled it meanwhile.
    private func consult(
        about record: inout Record, in collection: String, _ reason: inout JournalEntry.Reason?,
        _ problem: inout String?, _ effects: inout [Effect]
    ) throws(TidemarkError) -> Machine.Input? {
        let algebra = self.algebra(of: collection)
        problem = nil
        if let settled = try record.machine.settling(algebra) { return settled }
        guard let facts = try record.machine.conflict(algebra) else { return nil }
        let conflict = try self.conflict(facts, of: record, in: collection)
        let verdict = self.configuration[collection].tactic.decide(conflict) ?? .ask
        if let flaw = try self.flaw(of: verdict, about: record.pk, in: collection) {
            problem = flaw.message
            return .verdict(.ask, about: facts)
        }
        return try self.input(for: verdict, about: facts, of: record, in: collection, &reason, &effects)
    }

    /// What a verdict without a flaw is for the machine. `keepBoth` makes the client's side a record of its own.
    func input(
        for verdict: Verdict, about facts: Machine.Conflict, of record: Record, in collection: String,
        _ reason: inout JournalEntry.Reason?, _ effects: inout [Effect]
    ) throws(TidemarkError) -> Machine.Input {
        switch verdict {
        case .clashes(let side):
            let conflict = try self.conflict(facts, of: record, in: collection)
            let content = self.configuration[collection].fields.settling(conflict, for: side)
            switch side {
            case .server: reason = reason ?? .takeServer
            case .client: reason = reason ?? .takeClient
            }
            guard let content else { return .verdict(side == .server ? .server : .client, about: facts) }
            return .verdict(.content(Payload(content)), about: facts)
        case .takeServer:
            reason = reason ?? .takeServer
            return .verdict(.server, about: facts)
        case .takeClient:
            reason = reason ?? .takeClient
            return .verdict(.client, about: facts)
        case .merge(let json):
            reason = .merge
            return .verdict(.content(Payload(json)), about: facts)
        case .ask: return .verdict(.ask, about: facts)
        case .keepBoth(let newPK):
            reason = .takeServer
            if let client = facts.client {
                let pk = newPK ?? self.memory.generator.uuid()
                var copy = try self.load(pk, in: collection)
                try self.drive(&copy, .create(client), in: collection, &effects)
            }
            return .verdict(.server, about: facts)
        }
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
