import TidemarkJSON
import TidemarkRules

/// The sides of a decision, and its outcome.
struct Decision {
    let sides: JSONMerge.Sides
    let final: JSON?
    let fields: FieldRules

    /// A value of a side that is not in the outcome.
    struct Loss {
        var side: JournalEntry.Side
        var path: JSONPointer
        var value: JSON?
    }

    /// Whether both sides and the outcome are records, so that their fields were merged.
    var isMergeOfFields: Bool {
        self.sides.server != nil && self.sides.client != nil && self.final != nil
    }

    /// Returns the losses of a merged content: for each conflicting field the side whose value is not in the outcome, and
    /// further every value that the field rules had kept and that the content leaves out.
    func losses(of merge: JSONMerge) -> [Loss] {
        var final = FieldPlaces(self.fields, in: self.final)
        var merged = FieldPlaces(self.fields, in: merge.merged)
        let ours = self.leftOut(of: merge, .client, self.sides.client)
        let theirs = self.leftOut(of: merge, .server, self.sides.server)
        // A change that both sides made equally is listed once.
        return merge.clashes.flatMap { clash in
            self.losses(of: clash, final: final.value(at: clash.path), merged: merged.value(at: clash.path))
        } + ours
            + theirs.filter { loss in !ours.contains { $0.path == loss.path && $0.value == loss.value } }
    }

    /// Returns the losses of a choice: every change of the other side that is not in the outcome.
    var lossesOfChoice: [Loss] {
        self.losses(.client, of: self.sides.client) + self.losses(.server, of: self.sides.server)
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
    private func leftOut(of merge: JSONMerge, _ side: JournalEntry.Side, _ value: JSON?) -> [Loss] {
        guard self.final != merge.merged else { return [] }
        var decided = merge.merged
        var final = FieldPlaces(self.fields, in: self.final)
        for clash in merge.clashes {
            guard let record = decided else { break }
            let outcome = final.value(at: clash.path)
            decided = self.fields.setting(clash.path, to: outcome, in: record) ?? record
        }
        guard self.final != decided else { return [] }
        return self.fields.units(from: self.sides.base, to: value).flatMap { path in
            self.missing(value?[pointer: path], at: path, of: decided, side)
        }
    }

    /// Compares an added object member by member: a member that is in the outcome is not lost.
    private func missing(
        _ value: JSON?, at path: JSONPointer, of decided: JSON?, _ side: JournalEntry.Side
    ) -> [Loss] {
        let outcome = self.final?[pointer: path]
        guard outcome != value, outcome != decided?[pointer: path] else { return [] }
        guard let members = value?.object, outcome?.object != nil,
            !self.fields.isUnit(path, from: outcome, to: value)
        else {
            return [Loss(side: side, path: path, value: value)]
        }
        return members.flatMap { key, member in
            self.missing(member, at: path.appending(key), of: decided, side)
        }
    }

    private func losses(_ side: JournalEntry.Side, of value: JSON?) -> [Loss] {
        guard value != self.final else { return [] }
        guard let value, let final = self.final, let base = self.sides.base else {
            // A record, or a deletion, is lost as a whole. A side without a change has no loss.
            return value == self.sides.base ? [] : [Loss(side: side, path: .root, value: value)]
        }
        return self.fields.units(from: base, to: value).compactMap { path in
            let mine = value[pointer: path]
            return final[pointer: path] == mine ? nil : Loss(side: side, path: path, value: mine)
        }
    }
}
