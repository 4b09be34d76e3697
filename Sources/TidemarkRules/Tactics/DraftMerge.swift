package import TidemarkJSON
import TidemarkMachine

/// The merge of a draft with the record that is stored now (Contract §8): the merge of a conflict, in which the stored record is
/// the server's side and the draft is the client's.
///
/// Pure: it decides which record is stored, or that the user has to decide, and stores nothing.
package struct DraftMerge {
    /// The result of saving the draft.
    package enum Outcome {
        /// This record is stored.
        case record(JSON)

        /// The user decides these fields first; nothing is stored.
        case undecided([JSONMerge.Clash])
    }

    private let conflict: RecordConflict

    /// The merge of both sides.
    package var merge: RecordMerge { self.conflict.merge }

    private let rules: CollectionRules

    /// Compares the three values of a record.
    ///
    /// - Parameters:
    ///   - base: The record that the draft was made from.
    ///   - stored: The record as it is stored now, and the version of the server that it is based on.
    ///   - draft: The record as the draft has it.
    ///   - pk: The name of the record.
    ///   - collection: Its collection.
    ///   - rules: The rules of the collection.
    ///   - members: The members of the record that are not the app's: they stay as they are stored.
    package init(
        base: JSON, stored: (record: JSON, version: String?), draft: JSON, of pk: String, in collection: String,
        _ rules: CollectionRules, _ members: RecordMembers
    ) throws(TidemarkError) {
        let question = RecordMachine.Conflict(
            kind: .editEdit, base: RecordPayload(base),
            server: .row(version: stored.version ?? "null", RecordPayload(stored.record)), client: RecordPayload(draft))
        self.conflict = try RecordConflict(
            question, of: pk, in: collection, JSONChanges(fields: rules.fields, members: members), round: 1)
        self.rules = rules
    }

    /// Decides by the rules of the fields, then by the tactic, then by the user's answers.
    ///
    /// The tactic is asked only if a value loses. It decides the fields that clash, and no others: a tactic that takes one
    /// side as a whole would revert fields that the user did not change. A tactic that keeps both leaves the decision to
    /// the user, like one that asks.
    ///
    /// - Parameter answer: Returns the side that the user prefers for a field; nil if the user was not asked about it.
    package func outcome(_ answer: (JSONMerge.Clash) -> Verdict.Side?) -> Outcome {
        let (clashes, asked) = (self.conflict.clashes, self.conflict.asked)
        let verdict = clashes.isEmpty ? .clashes(.client) : self.rules.tactic.decide(self.conflict) ?? .ask
        return switch verdict {
        case .clashes(let side): self.settled(asked) { _ in side }
        case .fields(let sides): self.settled(asked) { sides[$0.path] ?? answer($0) }
        case .takeServer: self.settled(clashes) { _ in .server }
        case .takeClient: self.settled(clashes) { _ in .client }
        case .merge(let record) where record.object != nil: .record(record)
        case .merge, .ask, .keepBoth: self.settled(asked, answer)
        }
    }

    private func settled(_ clashes: [JSONMerge.Clash], _ side: (JSONMerge.Clash) -> Verdict.Side?) -> Outcome {
        self.rules.fields.settling(clashes, of: self.conflict, side).map(Outcome.record) ?? .undecided(clashes)
    }
}
