import TidemarkJSON
import TidemarkRules

/// The sides of a decision, and what came of it.
struct DecisionSides {
    var base: JSON?
    var server: JSON?
    var client: JSON?
    var final: JSON?

    /// A value that a side had and that is not in the outcome.
    struct Loss {
        var side: JournalEntry.Side
        var path: JSONPointer
        var value: JSON?
    }

    /// Whether there are two records and an outcome, so that their fields were merged.
    var isMergeOfFields: Bool {
        self.server != nil && self.client != nil && self.final != nil
    }

    /// What a merged content gives up: on each clash the side whose value is not in the outcome, and besides all that
    /// the rules of the fields had kept and that the content leaves out.
    func lossesOfMerge(_ fields: FieldRules) -> [Loss] {
        let merge = fields.merge(base: self.base, server: self.server, client: self.client)
        var final = FieldPlaces(fields, in: self.final)
        var merged = FieldPlaces(fields, in: merge.merged)
        let ours = self.leftOut(of: merge, .client, self.client, fields)
        let theirs = self.leftOut(of: merge, .server, self.server, fields)
        // What both changed alike is told once.
        return merge.clashes.flatMap { clash in
            self.losses(of: clash, final: final.value(at: clash.path), merged: merged.value(at: clash.path))
        } + ours
            + theirs.filter { loss in !ours.contains { $0.path == loss.path && $0.value == loss.value } }
    }

    /// A choice gives up everything that the other side changed and that the outcome does not show.
    var lossesOfChoice: [Loss] {
        self.losses(.client, of: self.client) + self.losses(.server, of: self.server)
    }

    private func losses(of clash: JSONMerge.Clash, final outcome: JSON?, merged: JSON?) -> [Loss] {
        let isByRule = outcome == merged
        var losses: [Loss] = []
        // Of merged text neither side's whole value stands; whose words lost is what the rule says.
        if outcome != clash.client, !(isByRule && clash.winner == .client) {
            losses.append(Loss(side: .client, path: clash.path, value: clash.client))
        }
        if outcome != clash.server, !(isByRule && clash.winner == .server) {
            losses.append(Loss(side: .server, path: clash.path, value: clash.server))
        }
        return losses
    }

    /// What a side changed, the rules kept, and the content of a verdict has not.
    ///
    /// The merge with the clashes as they were decided is what the content is held against: a value that the rules made
    /// of both sides is nobody's loss, and a clash is listed by itself.
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
        return JSONPatch.diff(from: self.base, to: value).operations.flatMap { operation in
            self.missing(value?[pointer: operation.path], at: operation.path, of: decided, side)
        }
    }

    /// An object that was added is looked into: what of it is in the outcome is not lost.
    private func missing(
        _ value: JSON?, at path: JSONPointer, of decided: JSON?, _ side: JournalEntry.Side
    ) -> [Loss] {
        let outcome = self.final?[pointer: path]
        guard outcome != value, outcome != decided?[pointer: path] else { return [] }
        guard let members = value?.object, outcome?.object != nil else {
            return [Loss(side: side, path: path, value: value)]
        }
        return members.flatMap { key, member in self.missing(member, at: path.appending(key), of: decided, side) }
    }

    private func losses(_ side: JournalEntry.Side, of value: JSON?) -> [Loss] {
        guard value != self.final else { return [] }
        guard let value, let final = self.final, let base = self.base else {
            // A record, or a deletion, lost as a whole. A side that did nothing has nothing to lose.
            return value == self.base ? [] : [Loss(side: side, path: .root, value: value)]
        }
        return JSONPatch.diff(from: base, to: value).operations.compactMap { operation in
            let mine = value[pointer: operation.path]
            return final[pointer: operation.path] == mine ? nil : Loss(side: side, path: operation.path, value: mine)
        }
    }
}
