import TidemarkJSON
import TidemarkMachine
import TidemarkRules

// The full resync: after a history was lost (Contract §6), or in time, if a server forgets deletions without reporting it (Contract
// §12).

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

// MARK: - Its end

extension Inbox {
    /// Deletes the records that the full resync did not contain (Contract §6). It drops no unsent change, and no record whose item
    /// was malformed.
    func endResync() throws(TidemarkError) {
        let history = ServerRollback(transaction: self.transaction)
        let resyncGeneration = try self.transaction.state().resyncGeneration
        let quarantined = try self.quarantinedRecords()
        var after: String?
        while true {
            let page = try self.store.recordsNotInResync(
                in: self.collection, resyncGeneration: resyncGeneration, after: after,
                limit: self.transaction.limits.pageSize)
            guard let last = page.last else { break }
            after = last.pk
            for stored in page where !quarantined.contains(CodePointString(stored.pk)) {
                try self.drop(stored, history)
            }
            for stored in page where quarantined.contains(CodePointString(stored.pk)) {
                try self.journalBeforeOverwrite(stored, history)
            }
        }
        try self.transaction.change { $0.resync = nil }
    }

    /// The pks of the records whose item is quarantined, under the pk or under the server's name.
    private func quarantinedRecords() throws(TidemarkError) -> Set<CodePointString> {
        var pks: Set<CodePointString> = []
        for item in try self.store.quarantinedItems(in: self.collection) {
            pks.insert(CodePointString(item.pk))
            if let named = try self.store.record(named: item.pk, in: self.collection) {
                pks.insert(CodePointString(named.pk))
            }
        }
        return pks
    }

    /// Journals the confirmed values of a record whose row from a rolled-back server is malformed, because the next valid row
    /// replaces them (I1).
    private func journalBeforeOverwrite(_ stored: StoredRecord, _ history: ServerRollback) throws(TidemarkError) {
        guard try history.isUnderWay() else { return }
        _ = try self.transaction.damage { () throws(TidemarkError) in
            for loss in try history.values(of: stored, lostTo: nil) where try history.isNew(loss) {
                try history.journal([loss])
            }
        }
    }

    private func drop(_ stored: StoredRecord, _ history: ServerRollback) throws(TidemarkError) {
        let damage = try self.transaction.damage { () throws(TidemarkError) in
            let losses = try history.isUnderWay() ? history.values(of: stored, lostTo: nil) : []
            if stored.phase == .synced { try LostUpdateGuard(transaction: self.transaction).noteGone(stored) }
            var record = try self.transaction.revive(stored)
            try self.driver.drive(&record, .feedRow(.nothing))
            try history.journal(losses)
        }
        if let damage {
            try self.store.quarantine(QuarantinedItem(pk: stored.pk, reason: damage.message), in: self.collection)
        }
    }
}
