import TidemarkJSON
import TidemarkMachine
import TidemarkRules

// The full resync: after a history was lost (SPEC §6), or in time, if a server forgets deletions without saying so (SPEC §12).

extension ExchangeDriver {
    /// How long the server knows what was deleted, where it forgets that without a word; nil for any other.
    private var horizon: Duration? {
        guard case .kept(let horizon, isSignalled: false) = self.turn.capabilities.tombstones,
            self.turn.capabilities.feed != .listing
        else { return nil }
        return horizon
    }

    /// The full resync that was requested begins with the page that came, in the transaction that applies it.
    ///
    /// - Parameter shown: Which records results of the same answer have shown.
    func beginResync(shown: [CodePointString]) throws(TidemarkError) {
        guard let reason = try self.turn.state().resync?.reason else { return }
        try self.turn.change { state in
            state.resync = CollectionState.Resync(reason, isRunning: true)
            state.listing += 1
        }
        // It says anew what makes no sense, and what it does not name is gone.
        for item in try self.turn.store.itemsSetAside(in: self.turn.collection) {
            try self.turn.store.clearAside(item.pk, in: self.turn.collection)
        }
        if reason != .wanted { try self.doubtUploads() }
        try Inbox(turn: self.turn).list(shown)
    }

    /// What is of unknown fate now may have been taken, and the server may not remember what it answered (R18, SPEC §6).
    private func doubtUploads() throws(TidemarkError) {
        let unsettled =
            try self.turn.unsettledRecords()
            + self.turn.store.waitingRecords(in: self.turn.collection).filter { $0.upload != nil }
        for stored in unsettled {
            guard var record = try self.turn.undamaged(stored), record.machine.canReceive(.historyLost) else {
                continue
            }
            try RecordDriver(turn: self.turn).drive(&record, .historyLost)
        }
    }

    /// Begins a listing where the last one is so old that deletions may have been forgotten since. What was sent is not in
    /// doubt by that, and what is unsent waits for its end.
    func listInTime() throws(TidemarkError) {
        guard let horizon, self.reasonToRest() == nil else { return }
        let state = try self.turn.state()
        guard state.watermark != nil, state.resync == nil, state.claim == nil else { return }
        // A time that is still to come was said by a clock that was wrong.
        if let last = state.listedAt, last <= self.now, self.now - last < horizon { return }
        try self.turn.change { $0.request(.wanted) }
    }

    /// Everything is read from the start, since then.
    func noteListing(since time: Duration) throws(TidemarkError) {
        guard self.horizon != nil else { return }
        try self.turn.change { $0.listedAt = time }
    }
}
