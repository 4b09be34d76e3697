import TidemarkJSON
import TidemarkMachine
import TidemarkRules

// The end of a full resync, whose begin is in ExchangeDriver+Resync.swift.

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
