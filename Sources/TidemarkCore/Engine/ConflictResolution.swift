import TidemarkJSON
import TidemarkMachine
import TidemarkRules

/// Runs the tactic for a conflict. Verdicts come from an app's code and from users, so each is checked before it is carried out
/// (Contract §4).
struct ConflictResolution {
    let transaction: EngineTransaction

    /// Returns the open conflict of a record; nil if it has none.
    ///
    /// - Parameter merge: The merge of both sides, if it was made in the same input.
    func conflict(of record: Record, _ merge: RecordMerge? = nil) throws(TidemarkError) -> RecordConflict? {
        guard let question = try record.machine.conflict(self.transaction.algebra) else { return nil }
        return try RecordConflict(
            question, of: record.pk, in: self.transaction.collection, self.transaction.algebra,
            round: record.machine.rounds + 1, merge: merge)
    }

    /// Returns the tactic's verdict, unless the record is settled without it; nil if no conflict is open.
    ///
    /// - Parameter clash: The merge of both sides if they clashed just now, so that nothing has settled the conflict since.
    func answer(about record: Record, after clash: RecordMerge? = nil) throws(TidemarkError) -> DrivenInput? {
        var merge = clash
        if clash == nil, self.maySettle(record),
            let settled = try record.machine.settling(self.transaction.algebra, &merge)
        {
            return DrivenInput(settled)
        }
        guard let conflict = try self.conflict(of: record, merge) else { return nil }
        // A tactic sees no conflict with a stand-in for a large merge.
        let verdict = self.transaction.isTriedAgain ? .ask : self.transaction.rules.tactic.decide(conflict) ?? .ask
        if let flaw = try self.flaw(of: verdict, about: conflict) {
            return DrivenInput(.verdict(.ask, about: conflict.question), problem: flaw.message)
        }
        return DrivenInput(verdict, about: conflict, self.transaction.rules.fields)
    }

    /// Whether facts or field rules may settle a conflict. A guest merges no two records that the owner's rules hold apart, so it only
    /// ends a conflict with a deletion: no rule is asked then.
    private func maySettle(_ record: Record) -> Bool {
        guard self.transaction.configuration.isGuest, case .row = record.machine.seen else { return true }
        return false
    }

    /// Runs the tactic again for each open conflict, because a new process may have other rules (R22). A conflict that is left
    /// to the user stays unchanged.
    func askAgain() throws(TidemarkError) {
        for pk in try self.transaction.store.waiting(in: self.transaction.collection).deciding {
            let damage = try self.transaction.damage { () throws(TidemarkError) in
                var record = try self.transaction.load(pk)
                guard let answer = try self.answer(about: record), !answer.isLeftOpen else { return }
                try RecordDriver(transaction: self.transaction).drive(&record, answer)
            }
            if damage != nil { self.transaction.leaveOut(pk) }
        }
    }

    /// Returns why a verdict is invalid; nil if it is valid.
    func flaw(of verdict: Verdict, about conflict: RecordConflict) throws(TidemarkError) -> TidemarkError? {
        let pk = conflict.pk
        switch verdict {
        case .clashes, .takeServer, .takeClient, .ask, .keepBoth(nil): return nil
        case .fields(let answers): return conflict.flaw(of: answers)
        case .merge(let json):
            do throws(TidemarkError) {
                try self.transaction.limits.check(json, as: pk)
            } catch {
                return error
            }
            return nil
        case .keepBoth(.some(let newPK)):
            do throws(TidemarkError) {
                try self.transaction.check(pk: newPK)
            } catch {
                return error
            }
            let isOwn = CodePointString(newPK) == CodePointString(pk)
            let isFree = try self.transaction.load(newPK).machine.canReceive(.create(RecordPayload([:])))
            guard isOwn || !isFree else { return nil }
            return TidemarkError(
                .recordExists,
                "There is a record “\(newPK)” in \(self.transaction.collection) already: keep both under another pk.")
        }
    }

    /// Returns why the tactic's verdict on an open conflict is invalid; nil if it is valid. A tactic is pure, so running it
    /// again has the same result.
    func flawOfTactic(about record: Record) throws(TidemarkError) -> TidemarkError? {
        guard let conflict = try self.conflict(of: record), let verdict = self.transaction.rules.tactic.decide(conflict)
        else { return nil }
        return try self.flaw(of: verdict, about: conflict)
    }
}

extension RecordConflict {
    /// Returns why answers by field are invalid; nil if each open clash has a side, and nothing else has one.
    fileprivate func flaw(of answers: [JSONPointer: Verdict.Side]) -> TidemarkError? {
        let asked = Set(self.asked.map(\.path))
        func names(_ paths: some Sequence<JSONPointer>) -> String {
            let texts = paths.map { $0 == .root ? "the record" : $0.text }.sorted()
            return texts.prefix(5).joined(separator: ", ") + (texts.count > 5 ? " and more" : "")
        }
        let (missing, unknown) = (asked.subtracting(answers.keys), Set(answers.keys).subtracting(asked))
        guard !missing.isEmpty || !unknown.isEmpty else { return nil }
        let flaw =
            unknown.isEmpty
            ? "no side is given for \(names(missing))"
            : "it does not ask about \(names(unknown))"
        return TidemarkError(
            .invalidAnswers,
            "The conflict of “\(self.pk)” in \(self.collection): \(flaw). Give a side for each path of its open clashes (asked): \(names(asked))."
        )
    }
}
