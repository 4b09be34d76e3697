import TidemarkJSON
import TidemarkMachine
import TidemarkRules

/// Explains in words why a record is not in sync.
struct Explainer {
    let transaction: EngineTransaction
    private let quarantined: [CodePointString: QuarantinedItem]

    init(transaction: EngineTransaction) throws(TidemarkError) {
        self.transaction = transaction
        let items = try transaction.store.quarantinedItems(in: transaction.collection)
        self.quarantined = Dictionary(items.map { (CodePointString($0.pk), $0) }) { first, _ in first }
    }

    /// Explains the phase of a record, also of an unknown pk.
    func explain(_ pk: String) throws(TidemarkError) -> RecordExplanation {
        let record = try self.transaction.load(pk)
        let phase = record.machine.phase
        if let quarantined = self.quarantined[CodePointString(pk)] {
            return RecordExplanation(
                pk: pk, phase: phase, reason: .malformed,
                why: "The server sent a malformed item: \(quarantined.reason.asSentence)", step: .nextVersion,
                next: "The next valid item from the server replaces it.", nextTry: nil, lastMerge: nil,
                replaced: try self.replaced(pk))
        }
        let wait = phase.activity == .idle ? try ReferenceRule(self.transaction)?.reason(of: pk) : nil
        let why = if let wait { wait.asSentence } else { try self.why(record) }
        return RecordExplanation(
            pk: pk, phase: phase, reason: wait == nil ? Self.reason(phase) : .waiting, why: why,
            step: wait == nil ? self.step(for: record) : .otherRecord,
            next: wait == nil ? self.next(for: record) : "It is sent after that record.",
            nextTry: self.nextTry(for: record),
            lastMerge: record.lastMerge.flatMap { RecordExplanation.MergeSummary(bytes: $0) },
            replaced: try self.replaced(pk))
    }

    /// The entries of the journal for values of this device that another client replaced.
    private func replaced(_ pk: String) throws(TidemarkError) -> [JournalEntry] {
        var entries: [JournalEntry] = []
        for stored in try self.transaction.store.journal(of: pk, in: self.transaction.collection)
        where stored.reason == .replaced && !stored.isRestored {
            entries.append(try JournalEntry(stored, in: self.transaction.collection))
        }
        return entries
    }

    private static func reason(_ phase: RecordPhase) -> RecordExplanation.Reason {
        switch phase.activity {
        case nil: phase == .absent ? .absent : .synced
        case .idle: .notSent
        case .uploading: .uploading
        case .unconfirmed: .unconfirmed
        case .deciding: .conflict
        case .held: .held
        }
    }

    private func step(for record: Record) -> RecordExplanation.Step {
        switch record.machine.phase.activity {
        case nil: .none
        case .idle, .unconfirmed:
            switch self.transaction.exchange.machine.phase {
            case .paused: .resume
            case .waiting: .retry
            case .idle, .getting, .posting: .nextSync
            }
        case .uploading: .answer
        case .deciding: .decision
        case .held: .userAction
        }
    }

    private func why(_ record: Record) throws(TidemarkError) -> String {
        let count = record.machine.edits?.operations.count ?? 0
        switch record.machine.phase {
        case .absent: return "There is no such record here."
        case .synced: return "It equals the version that the server confirmed."
        case .edited(.idle): return "\(Self.changes(count)) made here and not sent yet."
        case .created(.idle): return "It was made here and not sent yet."
        case .deleted(.idle): return "It was deleted here, and the deletion was not sent yet."
        case .edited(.uploading), .created(.uploading), .deleted(.uploading): return "It is being sent to the server."
        case .edited(.unconfirmed), .created(.unconfirmed), .deleted(.unconfirmed):
            let why = "It was sent, and the outcome is unknown: the server may have it or not."
            return self.whatCameBack.map { "\(why) \($0)" } ?? why
        case .edited(.deciding), .created(.deciding), .deleted(.deciding):
            let why = "It was changed here and on the server, and the two changes conflict."
            guard let flaw = try ConflictResolution(transaction: self.transaction).flawOfTactic(about: record) else {
                return why
            }
            return "\(why) The tactic's verdict can't be carried out: \(flaw.message)"
        case .edited(.held), .created(.held), .deleted(.held):
            return "It is held: \((record.hold?.reason ?? "held").asSentence)"
        }
    }

    /// The failure of the last POST, if it has one to show; also if an earlier process sent it.
    private var whatCameBack: String? {
        guard let failure = self.transaction.exchange.machine.memory.postFailure else { return nil }
        switch failure.failureClass {
        case .offline, .cancelled: return nil
        case .busy, .auth, .portal, .notFound, .refused, .invalidAnswer, .historyLost, .identityChanged:
            return failure.message.asSentence
        }
    }

    /// A pending record waits with its collection; one in conflict or held waits for the user.
    private func nextTry(for record: Record) -> Duration? {
        switch record.machine.phase.activity {
        case .idle, .unconfirmed:
            return self.transaction.exchange.machine.phase == .waiting ? self.transaction.exchange.until : nil
        case .uploading, .deciding, .held, nil: return nil
        }
    }

    private func next(for record: Record) -> String {
        switch record.machine.phase.activity {
        case nil: return "Nothing."
        case .idle, .unconfirmed:
            let again = record.machine.upload == nil ? "It is sent" : "The same bytes are sent again"
            switch self.transaction.exchange.machine.phase {
            case .paused:
                let failure = self.transaction.exchange.machine.failure
                return "\(again) when the app \(Self.remedy(for: failure)): \(failure?.message ?? "")"
            case .waiting:
                return
                    "\(again) with the next sync; the last one failed: \(self.transaction.exchange.machine.failure?.message ?? "")"
            case .idle, .getting, .posting: return "\(again) with the next sync."
            }
        case .uploading: return "The server's answer."
        case .deciding: return "The user has to decide: resolve the conflict. Until then it can be read and edited."
        case .held where record.hold?.isAsked == true:
            return "The user has to decide: edit it or retry it, or resign the change."
        case .held: return "Edit it or retry it, or resign the change."
        }
    }

    /// Returns the action of the app that ends a pause.
    private static func remedy(for failure: RemoteFailure?) -> String {
        guard let failure = failure?.failureClass else { return "resumes the paused sync" }
        if failure == .notFound { return "sets another URL" }
        return failure.isOfAccess ? "renews its credentials" : "resumes the paused sync"
    }

    private static func changes(_ count: Int) -> String {
        count == 1 ? "1 field was changed: it was" : "\(count) fields were changed: they were"
    }
}

extension String {
    /// Returns the text with a full stop at its end: messages of a server may lack it.
    fileprivate var asSentence: String {
        self.last.map { ".!?".contains($0) } ?? false ? self : "\(self)."
    }
}
