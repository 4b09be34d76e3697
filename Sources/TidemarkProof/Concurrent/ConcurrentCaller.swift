import TidemarkCore
import TidemarkSimulation
import TidemarkTesting
import TidemarkJSON
import TidemarkRules

/// One of the tasks that use a device's client at once. It performs its steps one after the other, independent of the others.
struct ConcurrentCaller: Sendable {
    let device: ConcurrentDevice
    let ledger: ConcurrentLedger

    /// Receives each client that is opened, and each record whose outcome a caller awaits.
    let errands: AsyncStream<ConcurrentErrand>.Continuation

    /// The errors that a call may throw, since another call was faster or the client was closed.
    private static let refusals: Set<TidemarkError.Code> = [
        .noSuchRecord, .recordExists, .nothingToDecide, .staleDecision, .draftConflict, .clientClosed,
        .cancelled,
    ]

    private func mayRefuse(with code: TidemarkError.Code) -> Bool {
        Self.refusals.contains(code) || code == .storeFull && self.device.disk != nil
    }

    /// The values that the caller has read for later steps.
    private struct Seen {
        var conflicts: [String: RecordConflict] = [:]
        var drafts: [SimulationStep.Place: RecordDraft<JSON>] = [:]
        var history = UndoStack()
    }

    func perform(_ acts: [SimulationStep.DeviceAct]) async {
        var seen = Seen()
        for act in acts {
            defer { self.ledger.note { $0.returned += 1 } }
            do {
                try await self.perform(act, &seen)
                self.ledger.note { $0.calls += 1 }
            } catch let error as TidemarkError {
                guard !self.mayRefuse(with: error.code) else { continue }
                self.ledger.report(
                    SimulationViolation("R24", "a call is refused with “\(error.code)”", "\(act): \(error.message)"))
            } catch {
                self.ledger.report(SimulationViolation("R24", "an unexpected error", "\(error)"))
            }
        }
    }

    /// Only acts that name a counter touch one, and those do nothing else.
    private func isOpen(_ collection: String) -> Bool { collection != SimulationSetting.counts }

    private func perform(
        _ act: SimulationStep.DeviceAct, _ seen: inout Seen
    ) async throws {
        let client = self.device.client
        switch act {
        case .create(let place, let word):
            let content: JSON = ["title": SimulatedWords.json(word), "n": 0]
            try await client[place.collection].create(content, pk: place.pk)
            self.ledger.note { $0.typed.insert(word) }
            self.errands.yield(.outcome(client[place.collection][place.pk]))
        case .type, .clear, .append, .drop, .insert, .move, .put, .point, .amend:
            guard let (place, word, change) = act.edit else { return }
            let record = client[place.collection][place.pk]
            let edit = try await record.edit { (view: inout JSON) throws(TidemarkError) in change(&view) }
            self.ledger.note(edit, typed: word)
            if word?.isMultiple(of: 4) == true { self.errands.yield(.outcome(record)) }
        case .draft(let place):
            guard self.isOpen(place.collection) else { return }
            seen.drafts[place] = try await client[place.collection][place.pk].draft()
        case .save(let place, let field, let word):
            guard let draft = seen.drafts.removeValue(forKey: place) else { return }
            try await self.save(draft, field, word)
        case .add(let place, let number): try await self.add(number, to: client[place.collection][place.pk])
        case .delete(let place):
            guard self.isOpen(place.collection) else { return }
            self.ledger.note(try await client[place.collection][place.pk].delete())
        case .transact(let place, let other, let word, let course):
            guard self.isOpen(place.collection), self.isOpen(other.collection), place != other else { return }
            let edits = try await self.transact(place, deleting: other, word, throwing: course.isFailure, client)
            seen.history.add(UndoStack.Step(name: "", edits: edits))
        case .undo: try await self.undo(.undo, &seen.history, client)
        case .redo: try await self.undo(.redo, &seen.history, client)
        case .release(let place): try await client[place.collection][place.pk].retry()
        case .resign(let place):
            if self.isOpen(place.collection) { try await client[place.collection][place.pk].resign() }
        case .look(let collection, let number):
            let conflicts = try await client[collection].conflicts
            if !conflicts.isEmpty { seen.conflicts[collection] = conflicts[number % conflicts.count].conflict }
        case .decide(let collection, let choice):
            guard let conflict = seen.conflicts.removeValue(forKey: collection) else { return }
            try await self.decide(conflict, choice, client)
        case .resolve(let collection, let number, let choice):
            let conflicts = try await client[collection].conflicts
            guard !conflicts.isEmpty else { return }
            try await self.decide(conflicts[number % conflicts.count].conflict, choice, client)
        case .begin(let collection): try await self.beginAndCancel(client[collection])
        case .sync(let collection), .persist(let collection), .wake(let collection):
            _ = try await client[collection].sync()
        case .carry: _ = try await client.sync()
        case .renew: try await client.resume()
        case .restore(let collection, _), .restoreLost(let collection): try await self.read(client[collection])
        case .restart, .hand, .crash:
            if let next = try await self.device.reopen() { self.errands.yield(.watch(next)) }
        case .fail(let writes): self.device.disk?.fail(after: writes)
        // Steps of the network, which has its own faults here, and steps that need one thread.
        case .clock, .account, .copy, .respell, .run, .stop, .later, .offline, .online, .hear: await Task.yield()
        }
    }

    /// Writes a word into a record or creates it, and deletes another one, in one transaction.
    private func transact(
        _ place: SimulationStep.Place, deleting other: SimulationStep.Place, _ word: Int, throwing isThrown: Bool,
        _ client: SyncClient
    ) async throws -> [RecordEdit] {
        let edits = try await client.transaction { (t) throws(TidemarkError) in
            let (record, doomed) = (t[place.collection][place.pk], t[other.collection][other.pk])
            if try record.get() == nil {
                try t[place.collection].create(["title": SimulatedWords.json(word), "n": 0], pk: place.pk)
            } else {
                try record.edit { $0.title = SimulatedWords.json(word) }
            }
            if try doomed.get() != nil { try doomed.delete() }
            // The error of a step that does not apply.
            if isThrown { throw TidemarkError(.noSuchRecord, "The app has changed its mind.") }
            return t.edits
        }
        for edit in edits { self.ledger.note(edit) }
        self.ledger.note { $0.typed.insert(word) }
        return edits
    }

    /// Undoes or redoes the last transaction of this caller, while other callers change the same records.
    private func undo(
        _ direction: UndoStack.Direction, _ history: inout UndoStack, _ client: SyncClient
    ) async throws {
        guard let step = history.last(direction) else { return }
        let edits = try await client.transaction { (t) throws(TidemarkError) in
            try t.undoUnchanged(step.edits).edits
        }
        for edit in edits { self.ledger.note(edit) }
        _ = history.removeLast(direction)
        history.add(edits, of: step, after: direction)
    }

    private func add(_ number: Int, to record: SyncRecord<JSON>) async throws {
        let counts = record.collection.name == SimulationSetting.counts
        let edit = try await record.edit { (view: inout JSON) throws(TidemarkError) in
            guard let sum = view.n?.int else { return }
            view.n = .number(JSONNumber(sum + number))
        }
        self.ledger.note(edit)
        if counts { self.ledger.note { $0.sums[record.pk, default: 0] += number } }
    }

    /// Sets a field of a draft to a new word, and saves it over the changes of others.
    private func save(_ draft: RecordDraft<JSON>, _ field: String, _ word: Int) async throws {
        var draft = draft
        draft.value[path: field] = SimulatedWords.json(word)
        do {
            self.ledger.note(try await draft.save(), typed: word)
        } catch {
            guard let conflict = error.draftConflict else { throw error }
            self.ledger.note(try await draft.save(preferring: conflict.preferring(.draft)), typed: word)
        }
    }

    private func decide(
        _ conflict: RecordConflict, _ choice: SimulationStep.Choice, _ client: SyncClient
    ) async throws {
        try await client[conflict.collection].resolve(conflict, choice.verdict(about: conflict))
        guard case .merge(let word) = choice else { return }
        // A value that neither side changed, and that the user leaves out, is removed by the user.
        let base = SimulatedWords.found(in: conflict.base?.bytes)
        let kept = base.intersection(SimulatedWords.found(in: conflict.client?.bytes))
        self.ledger.note { state in
            state.typed.insert(word)
            state.takenBack.formUnion(kept)
        }
    }

    /// Starts a call and cancels it.
    private func beginAndCancel(_ collection: SyncCollection<JSON>) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { _ = try await collection.sync() }
            for _ in 0..<10 { await Task.yield() }
            group.cancelAll()
            try await group.next()
        }
    }

    /// Reads records.
    private func read(_ collection: SyncCollection<JSON>) async throws {
        _ = try await collection.journal
        _ = try await collection.status
        _ = try await collection.preview
        for record in try await collection.list() where record.damage != nil {
            self.ledger.report(SimulationViolation("R24", "a record is damaged", "\(record)"))
        }
    }
}

/// Work that runs at the same time as the callers.
enum ConcurrentErrand: Sendable {
    /// Follows the records of a client until it is closed.
    case watch(SyncClient)

    /// Awaits the outcome of a write.
    case outcome(SyncRecord<JSON>)

    func run() async {
        switch self {
        case .outcome(let record): _ = try? await record.outcome()
        case .watch(let client):
            await withDiscardingTaskGroup { group in
                group.addTask { for await _ in client["notes"].changes {} }
                group.addTask {
                    do { for try await _ in client.statuses {} } catch {}
                }
            }
        }
    }
}
