import TidemarkJSON
import TidemarkMachine

// Verdicts come from an app's code and from people, so each is checked before it is carried out (SPEC §4).

extension SyncEngine {
    /// What is wrong with a verdict; nil when it can be carried out.
    func flaw(of verdict: Verdict, about pk: String, in collection: String) throws(TidemarkError) -> TidemarkError? {
        switch verdict {
        case .clashes, .takeServer, .takeClient, .ask, .keepBoth(nil): return nil
        case .merge(let json):
            guard json.object == nil else { return nil }
            return TidemarkError(
                .invalidContent, "A record is a JSON object; \"\(pk)\" would be \(json.text.prefix(60)).")
        case .keepBoth(.some(let newPK)):
            do throws(TidemarkError) {
                try self.check(pk: newPK, in: collection)
            } catch {
                return error
            }
            let isOwn = CodePointString(newPK) == CodePointString(pk)
            let isFree = try self.load(newPK, in: collection).machine.canReceive(.create(Payload([:])))
            guard isOwn || !isFree else { return nil }
            return TidemarkError(
                .recordExists,
                "There is a record \"\(newPK)\" in \(collection) already: keep both under another pk.")
        }
    }

    /// What is wrong with what the tactic says of an open conflict; nil when nothing is. A tactic is pure, so asking it
    /// again finds the same.
    func flawOfTactic(about record: Record, in collection: String) throws(TidemarkError) -> TidemarkError? {
        guard let conflict = try self.conflict(of: record, in: collection),
            let verdict = self.configuration[collection].tactic.decide(conflict)
        else { return nil }
        return try self.flaw(of: verdict, about: record.pk, in: collection)
    }
}
