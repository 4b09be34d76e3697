import TidemarkJSON
import TidemarkMachine
import TidemarkRules

/// Asks the tactic about a conflict. Verdicts come from an app's code and from people, so each is checked before it is
/// carried out (SPEC §4).
struct Question {
    let turn: Turn

    /// The conflict that a record is in; nil when it is in none.
    func conflict(of record: Record) throws(TidemarkError) -> RecordConflict? {
        guard let question = try record.machine.conflict(self.turn.algebra) else { return nil }
        return try RecordConflict(
            question, of: record.pk, in: self.turn.collection, self.turn.algebra,
            round: record.machine.rounds + 1)
    }

    /// What the tactic says, unless the facts have settled it meanwhile; nil when nothing is open.
    func answer(about record: Record) throws(TidemarkError) -> Ruling? {
        if let settled = try record.machine.settling(self.turn.algebra) { return Ruling(settled) }
        guard let conflict = try self.conflict(of: record) else { return nil }
        let verdict = self.turn.rules.tactic.decide(conflict) ?? .ask
        if let flaw = try self.flaw(of: verdict, about: record.pk) {
            return Ruling(.verdict(.ask, about: conflict.question), problem: flaw.message)
        }
        return Ruling(verdict, about: conflict, self.turn.rules.fields)
    }

    /// Asks the tactic again about each open conflict, since the rules of a new process may be others (R22). One that is
    /// left to a person stays as it is.
    func askAgain() throws(TidemarkError) {
        for stored in try self.turn.store.waitingRecords(in: self.turn.collection)
        where stored.phase.activity == .deciding {
            let damage = try self.turn.damage { () throws(TidemarkError) in
                var record = try self.turn.revive(stored)
                guard let answer = try self.answer(about: record), !answer.isLeftOpen else { return }
                try RecordDriver(turn: self.turn).drive(&record, answer)
            }
            if damage != nil { self.turn.leaveOut(stored.pk) }
        }
    }

    /// What is wrong with a verdict; nil when it can be carried out.
    func flaw(of verdict: Verdict, about pk: String) throws(TidemarkError) -> TidemarkError? {
        switch verdict {
        case .clashes, .takeServer, .takeClient, .ask, .keepBoth(nil): return nil
        case .merge(let json):
            guard json.object == nil else { return nil }
            return TidemarkError(
                .invalidContent, "A record is a JSON object; “\(pk)” would be \(json.text.prefix(60)).")
        case .keepBoth(.some(let newPK)):
            do throws(TidemarkError) {
                try self.turn.check(pk: newPK)
            } catch {
                return error
            }
            let isOwn = CodePointString(newPK) == CodePointString(pk)
            let isFree = try self.turn.load(newPK).machine.canReceive(.create(RecordPayload([:])))
            guard isOwn || !isFree else { return nil }
            return TidemarkError(
                .recordExists,
                "There is a record “\(newPK)” in \(self.turn.collection) already: keep both under another pk.")
        }
    }

    /// What is wrong with what the tactic says of an open conflict; nil when nothing is. A tactic is pure, so asking it
    /// again finds the same.
    func flawOfTactic(about record: Record) throws(TidemarkError) -> TidemarkError? {
        guard let conflict = try self.conflict(of: record), let verdict = self.turn.rules.tactic.decide(conflict)
        else { return nil }
        return try self.flaw(of: verdict, about: record.pk)
    }
}
