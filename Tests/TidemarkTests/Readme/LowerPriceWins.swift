import Tidemark

/// If both sides changed only the price, the lower one wins. The next tactic decides everything else.
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

func priceRules() -> SyncConfiguration {
    SyncConfiguration(rules: .init(tactic: FirstThatDecides(LowerPriceWins(), .autoMerge)))
}
