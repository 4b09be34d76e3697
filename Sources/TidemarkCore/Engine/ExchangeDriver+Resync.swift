import TidemarkJSON
import TidemarkMachine
import TidemarkRules

// The begin of a full resync: after a history was lost (Contract §6), or in time, if a server forgets deletions without reporting it
// (Contract §12). Its end is in Inbox+Resync.swift.

extension ExchangeDriver {
    /// How long the server keeps tombstones, if it drops them without a signal; nil for any other server.
    private var horizon: Duration? {
        guard case .kept(let horizon, isSignalled: false) = self.transaction.capabilities.tombstones,
            self.transaction.capabilities.feed != .listing
        else { return nil }
        return horizon
    }

    /// Begins the requested full resync with the page of the answer, in the transaction that applies it.
    ///
    /// - Parameter shown: The records that results of the same answer have returned.
    func beginResync(shown: [CodePointString]) throws(TidemarkError) {
        guard let reason = try self.transaction.state().resync?.reason else { return }
        try self.transaction.change { state in
            state.resync = CollectionState.Resync(reason, isRunning: true)
            state.resyncGeneration += 1
        }
        // The full resync returns malformed items again.
        for item in try self.transaction.store.quarantinedItems(in: self.transaction.collection) {
            try self.transaction.store.clearQuarantine(item.pk, in: self.transaction.collection)
        }
        if reason != .wanted { try self.reopenUploads() }
        try Inbox(transaction: self.transaction).markInResync(shown)
    }

    /// An unconfirmed upload may have been applied, and the server may not remember its answer (R18, Contract §6).
    private func reopenUploads() throws(TidemarkError) {
        let unsettled =
            try self.transaction.unsettledRecords().map(\.pk)
            + self.transaction.store.waiting(in: self.transaction.collection).held.map(\.pk)
        for pk in unsettled {
            guard var record = try self.transaction.undamaged(pk), record.machine.canReceive(.historyLost) else {
                continue
            }
            try RecordDriver(transaction: self.transaction).drive(&record, .historyLost)
        }
    }

    /// Requests a full resync if the last full resync is older than the tombstones that the server keeps. Uploads stay as they
    /// are, and unsent edits are sent after it.
    func requestResyncIfDue() throws(TidemarkError) {
        guard let horizon, self.throttlingFailure() == nil else { return }
        let state = try self.transaction.state()
        guard state.cursor != nil, !state.isResyncing else { return }
        // A time in the future comes from a clock that was wrong.
        if let last = state.resyncBegan, last <= self.now, self.now - last < horizon { return }
        try self.transaction.change { $0.request(.wanted) }
    }

    /// Stores when the feed was last read from its start.
    func noteResync(since time: Duration) throws(TidemarkError) {
        guard self.horizon != nil else { return }
        try self.transaction.change { $0.resyncBegan = time }
    }
}
