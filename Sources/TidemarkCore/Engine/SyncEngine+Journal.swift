import TidemarkJSON
import TidemarkMachine

// What lost, value by value, so that it can be brought back (I2).

extension SyncEngine {
    /// Journals what a transition gave up.
    ///
    /// - Parameter before: The machine before the transition: its three sides are what was decided about.
    func journal(
        _ reason: JournalEntry.Reason, of record: Record, before: Record.Machine, _ algebra: JSONChanges,
        in collection: String
    ) throws(TidemarkError) {
        let sides = Sides(
            base: try before.confirmed.content?.json(),
            server: try (before.seen ?? before.confirmed).content?.json(),
            client: try before.view(algebra)?.json(),
            final: try record.machine.view(algebra)?.json())
        let stamp = (before.seen ?? before.confirmed).stamp
        let losses =
            reason == .merge && sides.isMergeOfFields ? sides.lossesOfMerge(algebra.fields) : sides.lossesOfChoice
        for loss in losses {
            let entry = JournalEntry(
                pk: record.pk, reason: reason, lost: loss.side, path: loss.path.text, value: loss.value?.bytes,
                stamp: stamp)
            _ = try self.store.append(entry, in: collection)
        }
        guard !losses.isEmpty, let limit = self.configuration.journalLimit else { return }
        try self.store.trimJournal(of: collection, keeping: limit)
    }
}

/// The sides of a decision, and what came of it.
private struct Sides {
    var base: JSON?
    var server: JSON?
    var client: JSON?
    var final: JSON?

    struct Loss {
        var side: JournalEntry.Side
        var path: JSONPointer
        var value: JSON?
    }

    var isMergeOfFields: Bool {
        self.server != nil && self.client != nil && self.final != nil
    }

    /// A merge lists its clashes: on each, the side whose value is not in the outcome lost.
    func lossesOfMerge(_ fields: FieldRules) -> [Loss] {
        let merge = fields.merge(base: self.base, server: self.server, client: self.client)
        return merge.clashes.flatMap { clash in
            let outcome = fields.value(at: clash.path, in: self.final)
            let isByRule = outcome == fields.value(at: clash.path, in: merge.merged)
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
    }

    /// A choice gives up everything that the other side changed and that the outcome does not show.
    var lossesOfChoice: [Loss] {
        self.losses(.client, of: self.client) + self.losses(.server, of: self.server)
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
