import Tidemark

/// Where both sides changed the price, the lower one stands. Everything else is left to the next tactic.
struct LowerPriceWins: Tactic {
    func decide(_ conflict: RecordConflict) -> Verdict? {
        guard var merged = conflict.merged, conflict.clashes.map(\.path.text) == ["/price"],
            let here = conflict.client?.price, let there = conflict.server?.price,
            let ours = here.double, let theirs = there.double
        else { return nil }
        merged.price = ours < theirs ? here : there
        return .merge(merged)
    }
}

let configuration = SyncConfiguration(rules: .init(tactic: FirstThatDecides(LowerPriceWins(), .autoMerge)))
