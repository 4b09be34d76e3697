import TidemarkJSON
import TidemarkMachine
import TidemarkRules

// The full resync: after a history was lost (SPEC §6), or in time, if a server forgets deletions without saying so (SPEC §12).

extension ExchangeDriver {
    /// How long the server keeps tombstones, if it drops them without a signal; nil for any other server.
    private var horizon: Duration? {
        guard case .kept(let horizon, isSignalled: false) = self.turn.capabilities.tombstones,
            self.turn.capabilities.feed != .listing
        else { return nil }
        return horizon
    }

    /// Begins the requested full resync with the page of the answer, in the transaction that applies it.
    ///
    /// - Parameter shown: The records that results of the same answer have returned.
    func beginResync(shown: [CodePointString]) throws(TidemarkError) {
        guard let reason = try self.turn.state().resync?.reason else { return }
        try self.turn.change { state in
            state.resync = CollectionState.Resync(reason, isRunning: true)
            state.listing += 1
        }
        // The full resync returns malformed items again.
        for item in try self.turn.store.itemsSetAside(in: self.turn.collection) {
            try self.turn.store.clearAside(item.pk, in: self.turn.collection)
        }
        if reason != .wanted { try self.doubtUploads() }
        try Inbox(turn: self.turn).list(shown)
    }

    /// An unconfirmed upload may have been applied, and the server may not remember its answer (R18, SPEC §6).
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

    /// Requests a full resync if the last one is older than the tombstones that the server keeps. Uploads stay as they are, and unsent
    /// edits are sent after it.
    func listInTime() throws(TidemarkError) {
        guard let horizon, self.reasonToRest() == nil else { return }
        let state = try self.turn.state()
        guard state.watermark != nil, !state.isResyncing else { return }
        // A time in the future comes from a clock that was wrong.
        if let last = state.listedAt, last <= self.now, self.now - last < horizon { return }
        try self.turn.change { $0.request(.wanted) }
    }

    /// Stores when the feed was last read from its start.
    func noteListing(since time: Duration) throws(TidemarkError) {
        guard self.horizon != nil else { return }
        try self.turn.change { $0.listedAt = time }
    }
}
