import TidemarkMachine
import TidemarkRules

// A listing of everything: after a history was lost (SPEC §6), or in time, where a server forgets deletions and says nothing of
// it (SPEC §12).

extension ExchangeDriver {
    /// How long the server knows what was deleted, where it forgets that without a word; nil for any other.
    private var horizon: Duration? {
        guard case .kept(let horizon, isSignalled: false) = self.turn.capabilities.tombstones,
            self.turn.capabilities.feed != .listing
        else { return nil }
        return horizon
    }

    /// The listing says anew what makes no sense, and what it does not name is gone.
    func forgetOddities() throws(TidemarkError) {
        for item in try self.turn.store.itemsSetAside(in: self.turn.collection) {
            try self.turn.store.clearAside(item.pk, in: self.turn.collection)
        }
    }

    /// Begins a listing where the last one is so old that deletions may have been forgotten since. What was sent is not in
    /// doubt by that, and what is unsent waits for its end.
    func listInTime() throws(TidemarkError) {
        guard let horizon, self.reasonToRest() == nil else { return }
        let state = try self.turn.state()
        guard state.watermark != nil, !state.isListing else { return }
        // A time that is still to come was said by a clock that was wrong.
        if let last = state.listedAt, last <= self.now, self.now - last < horizon { return }
        try self.turn.beginListing()
        try self.forgetOddities()
    }

    /// Everything is read from the start, since then.
    func noteListing(since time: Duration) throws(TidemarkError) {
        guard self.horizon != nil else { return }
        try self.turn.change { $0.listedAt = time }
    }
}
