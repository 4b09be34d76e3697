import TidemarkJSON
import TidemarkRules

/// The sides of a decision, and its outcome.
struct DecisionSides {
    var base: JSON?
    var server: JSON?
    var client: JSON?
    var final: JSON?

    /// A value of a side that is not in the outcome.
    struct Loss {
        var side: JournalEntry.Side
        var path: JSONPointer
        var value: JSON?
    }

    /// Whether both sides and the outcome are records, so that their fields were merged.
    var isMergeOfFields: Bool {
        self.server != nil && self.client != nil && self.final != nil
    }

    /// Returns the losses of a merged content: for each conflicting field the side whose value is not in the outcome, and
    /// further every value that the field rules had kept and that the content leaves out.
    func lossesOfMerge(_ fields: FieldRules) -> [Loss] {
        let merge = fields.merge(base: self.base, server: self.server, client: self.client)
        var final = FieldPlaces(fields, in: self.final)
        var merged = FieldPlaces(fields, in: merge.merged)
        let ours = self.leftOut(of: merge, .client, self.client, fields)
        let theirs = self.leftOut(of: merge, .server, self.server, fields)
        // A change that both sides made equally is listed once.
        return merge.clashes.flatMap { clash in
            self.losses(of: clash, final: final.value(at: clash.path), merged: merged.value(at: clash.path))
        } + ours
            + theirs.filter { loss in !ours.contains { $0.path == loss.path && $0.value == loss.value } }
    }

    /// Returns the losses of a choice: every change of the other side that is not in the outcome.
    func lossesOfChoice(_ fields: FieldRules) -> [Loss] {
        self.losses(.client, of: self.client, fields) + self.losses(.server, of: self.server, fields)
    }

    private func losses(of clash: JSONMerge.Clash, final outcome: JSON?, merged: JSON?) -> [Loss] {
        let isByRule = outcome == merged
        var losses: [Loss] = []
        // Merged text contains neither side's whole value; the rule decides whose words lost.
        if outcome != clash.client, !(isByRule && clash.winner == .client) {
            losses.append(Loss(side: .client, path: clash.path, value: clash.client))
        }
        if outcome != clash.server, !(isByRule && clash.winner == .server) {
            losses.append(Loss(side: .server, path: clash.path, value: clash.server))
        }
        return losses
    }

    /// Returns the changes of a side that the rules kept and that the content of a verdict lacks.
    ///
    /// The content is compared with the merge after its conflicting fields are set as decided: a value that the rules combined
    /// from both sides is not a loss, and a conflicting field is listed separately.
    private func leftOut(
        of merge: JSONMerge, _ side: JournalEntry.Side, _ value: JSON?, _ fields: FieldRules
    ) -> [Loss] {
        guard self.final != merge.merged else { return [] }
        var decided = merge.merged
        var final = FieldPlaces(fields, in: self.final)
        for clash in merge.clashes {
            guard let record = decided else { break }
            let outcome = final.value(at: clash.path)
            decided = fields.setting(clash.path, to: outcome, in: record) ?? record
        }
        guard self.final != decided else { return [] }
        return fields.units(from: self.base, to: value).flatMap { path in
            self.missing(value?[pointer: path], at: path, of: decided, side, fields)
        }
    }

    /// Compares an added object member by member: a member that is in the outcome is not lost.
    private func missing(
        _ value: JSON?, at path: JSONPointer, of decided: JSON?, _ side: JournalEntry.Side, _ fields: FieldRules
    ) -> [Loss] {
        let outcome = self.final?[pointer: path]
        guard outcome != value, outcome != decided?[pointer: path] else { return [] }
        guard let members = value?.object, outcome?.object != nil,
            !fields.isUnit(path, from: outcome, to: value)
        else {
            return [Loss(side: side, path: path, value: value)]
        }
        return members.flatMap { key, member in
            self.missing(member, at: path.appending(key), of: decided, side, fields)
        }
    }

    private func losses(_ side: JournalEntry.Side, of value: JSON?, _ fields: FieldRules) -> [Loss] {
        guard value != self.final else { return [] }
        guard let value, let final = self.final, let base = self.base else {
            // A record, or a deletion, is lost as a whole. A side without a change has no loss.
            return value == self.base ? [] : [Loss(side: side, path: .root, value: value)]
        }
        return fields.units(from: base, to: value).compactMap { path in
            let mine = value[pointer: path]
            return final[pointer: path] == mine ? nil : Loss(side: side, path: path, value: mine)
        }
    }
}
