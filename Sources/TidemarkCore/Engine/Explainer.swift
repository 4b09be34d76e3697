import TidemarkJSON
import TidemarkMachine
import TidemarkRules

/// Says why a record is not in step, in words.
struct Explainer {
    let turn: Turn

    /// Explains where a record stands; a pk that is not known is explained, too.
    func explain(_ pk: String) throws(TidemarkError) -> RecordExplanation {
        let record = try self.turn.load(pk)
        let phase = record.machine.phase
        let aside = try self.turn.store.itemsSetAside(in: self.turn.collection).first {
            CodePointString($0.pk) == CodePointString(pk)
        }
        if let aside {
            return RecordExplanation(
                pk: pk, phase: phase, why: "The server sent a version that makes no sense: \(aside.reason.asSentence)",
                next: "The next version that the server sends replaces it.", nextTry: nil, lastMerge: nil)
        }
        return RecordExplanation(
            pk: pk, phase: phase, why: try self.why(record),
            next: self.next(for: record),
            nextTry: self.nextTry(for: record),
            lastMerge: record.lastMerge.flatMap { RecordExplanation.MergeSummary(bytes: $0) })
    }

    private func why(_ record: Record) throws(TidemarkError) -> String {
        let count = record.machine.edits?.operations.count ?? 0
        switch record.machine.phase {
        case .absent: return "There is no such record here."
        case .synced: return "It equals what the server confirmed."
        case .edited(.idle): return "\(Self.changes(count)) made here and not sent yet."
        case .created(.idle): return "It was made here and not sent yet."
        case .deleted(.idle): return "It was deleted here, and the server has not been told yet."
        case .edited(.uploading), .created(.uploading), .deleted(.uploading): return "It is on its way to the server."
        case .edited(.unconfirmed), .created(.unconfirmed), .deleted(.unconfirmed):
            let why = "It was sent, and no answer has settled it: the server may have it or not."
            return self.whatCameBack.map { "\(why) \($0)" } ?? why
        case .edited(.deciding), .created(.deciding), .deleted(.deciding):
            let why = "It was changed here and on the server, and the two don't agree."
            guard let flaw = try Question(turn: self.turn).flawOfTactic(about: record) else { return why }
            return "\(why) The tactic's verdict can't be carried out: \(flaw.message)"
        case .edited(.held), .created(.held), .deleted(.held):
            return "It is held: \((record.hold?.reason ?? "held").asSentence)"
        }
    }

    /// What came instead of an answer, where anything did; also in a process that has not sent it itself.
    private var whatCameBack: String? {
        guard let failure = self.turn.exchange.machine.memory.postFailure else { return nil }
        switch failure.failureClass {
        case .offline, .cancelled: return nil
        case .busy, .auth, .portal, .notFound, .refused, .protocol, .historyLost, .identityChanged:
            return failure.message.asSentence
        }
    }

    /// What is pending waits with its collection; what is asked or held waits for someone.
    private func nextTry(for record: Record) -> Duration? {
        switch record.machine.phase.activity {
        case .idle, .unconfirmed: return self.turn.exchange.machine.phase == .waiting ? self.turn.exchange.until : nil
        case .uploading, .deciding, .held, nil: return nil
        }
    }

    private func next(for record: Record) -> String {
        switch record.machine.phase.activity {
        case nil: return "Nothing."
        case .idle, .unconfirmed:
            let again = record.machine.upload == nil ? "It is sent" : "The very same bytes are sent again"
            switch self.turn.exchange.machine.phase {
            case .paused:
                let failure = self.turn.exchange.machine.failure
                return "\(again) once the app \(Self.remedy(for: failure)): \(failure?.message ?? "")"
            case .waiting:
                return
                    "\(again) with the next sync; the last one failed: \(self.turn.exchange.machine.failure?.message ?? "")"
            case .idle, .getting, .posting: return "\(again) with the next sync."
            }
        case .uploading: return "The server's answer."
        case .deciding: return "Someone has to decide: resolve the conflict. Until then it can be read and edited."
        case .held where record.hold?.isAsked == true:
            return "Someone has to decide: edit it or release it to try again, or resign the change."
        case .held: return "Edit it or release it to try again, or resign the change."
        }
    }

    /// What ends a pause.
    private static func remedy(for failure: RemoteFailure?) -> String {
        guard let failure = failure?.failureClass else { return "lets the paused sync go on" }
        if failure == .notFound { return "has another URL" }
        return failure.isOfAccess ? "has renewed its credentials" : "lets the paused sync go on"
    }

    private static func changes(_ count: Int) -> String {
        count == 1 ? "1 field was changed: it was" : "\(count) fields were changed: they were"
    }
}

extension String {
    /// With a full stop at its end: what a server says has one or not.
    fileprivate var asSentence: String {
        self.last.map { ".!?".contains($0) } ?? false ? self : "\(self)."
    }
}
