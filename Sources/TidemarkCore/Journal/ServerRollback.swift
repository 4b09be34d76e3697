import TidemarkJSON
import TidemarkMachine
import TidemarkRules

/// The values that a rolled-back server has lost (Contract §6, I1): a device's confirmed value may be the last copy, and is
/// journalled before the full resync replaces it.
///
/// A server that discards old tombstones (W7) loses its history too, but no value: a record that it does not list was deleted,
/// and restoring it would undo the deletion. So only a server that reports a rollback, or that has another epoch, counts as
/// rolled back.
struct ServerRollback {
    let transaction: EngineTransaction

    /// Whether a full resync after a rollback is running.
    func isUnderWay() throws(TidemarkError) -> Bool {
        guard let resync = try self.transaction.state().resync else { return false }
        return resync.isRunning && resync.reason == .rollback
    }
}

// MARK: - Finding the losses

extension ServerRollback {
    /// A value, or a removal, that a server lost.
    struct Loss {
        let entry: StoredJournalEntry

        /// Whether a local change adds to the value: the change waits to be sent, and is merged with the server's present
        /// value.
        var isBuiltUpon = false
    }

    /// Returns the confirmed values that the server shows differently in a page of the full resync.
    func values(lostBy page: FeedPage) throws(TidemarkError) -> [Loss] {
        guard try self.isUnderWay() else { return [] }
        let resyncGeneration = try self.transaction.state().resyncGeneration
        var losses: [Loss] = []
        for row in page.rows {
            let version = page.version(of: row)
            guard let stored = try self.transaction.stored(row, of: page) else {
                if let loss = try self.removal(of: page.pk(of: row), undoneBy: version) { losses.append(loss) }
                continue
            }
            // A row that this full resync contained before is of the new history.
            guard stored.resyncGeneration < resyncGeneration else { continue }
            // A damaged record can't be journalled.
            _ = try self.transaction.damage { () throws(TidemarkError) in
                losses += try self.values(of: stored, lostTo: version)
            }
        }
        return losses
    }

    /// Returns the removal of a record that is absent here and that the server shows.
    private func removal(of pk: String, undoneBy row: StoredVersion) throws(TidemarkError) -> Loss? {
        let root = CodePointString(JSONPointer.root.text)
        guard row.data != nil, let removal = try Removals(transaction: self.transaction).known(of: pk)[root] else {
            return nil
        }
        return Loss(
            entry: StoredJournalEntry(
                pk: pk, reason: .serverRolledBack, lost: .client, path: removal.path, value: nil,
                version: removal.version,
                shown: row.isLater(than: removal.version) ? nil : row.data))
    }

    /// Returns the values of a record that the server had confirmed and no longer has.
    ///
    /// A value that was replaced or removed here since is left out: that change waits to be sent, and the tactic decides about
    /// it. The decision may create the record again, or wait for the user; meanwhile another device may create it without the
    /// confirmed values. If the change lies inside an object, the confirmed object is journalled as a whole, since a decision for
    /// the server discards the change alone and then no side has the other members. A member that the record never had here is
    /// not a lost removal: another client has added it.
    func values(of stored: StoredRecord, lostTo row: StoredVersion?) throws(TidemarkError) -> [Loss] {
        guard let former = stored.confirmed.data, former != row?.data else { return [] }
        // Restoring all values may replace the value that the server shows now, unless it was written later.
        let isLater = row?.isLater(than: stored.confirmed.version) ?? false
        func loss(_ path: JSONPointer, _ value: [UInt8]?, shown: JSON? = nil, isBuiltUpon: Bool = false) -> Loss {
            Loss(
                entry: StoredJournalEntry(
                    pk: stored.pk, reason: .serverRolledBack, lost: .client, path: path.text, value: value,
                    version: stored.confirmed.version, shown: isLater ? nil : shown?.bytes),
                isBuiltUpon: isBuiltUpon)
        }
        guard let data = row?.data else {
            switch stored.phase {
            case .synced, .edited: return [loss(.root, former)]
            case .absent, .created, .deleted: return []
            }
        }
        let algebra = self.transaction.algebra
        let machine = try self.transaction.revive(stored).machine
        var content = try machine.view(algebra)
        // The base of an open conflict is older than the confirmed version: changes of other clients since then are not local
        // changes.
        if machine.base != nil, let server = machine.confirmed.content, let client = content {
            content = try algebra.merge(base: machine.mergeBase, server: server, client: client).keepingClient
        }
        let view = try algebra.compared(content)
        let before: JSON = try algebra.compared(RecordPayload(bytes: former))
        let now: JSON = try algebra.compared(RecordPayload(bytes: data))
        let removals = try Removals(transaction: self.transaction).known(of: stored.pk)
        let lost = JSONPatch.diff(from: now, to: before).changedPaths.filter { path in
            before[pointer: path] != nil || removals[CodePointString(path.text)] != nil
        }
        return algebra.fields.units(of: lost, from: now, to: before).compactMap { path in
            let value = before[pointer: path]
            // A record that is deleted here may return, and then with the older values.
            guard let view, view[pointer: path] != value else {
                return loss(path, value?.bytes, shown: now[pointer: path])
            }
            // A local value replaces the lost one. A local addition does not: for a counter or an array only the difference is
            // sent, so the resulting value is journalled.
            guard algebra.fields.isIncremental(path), value != nil else {
                guard value?.object != nil, view[pointer: path]?.object != nil else { return nil }
                return loss(path, value?.bytes, shown: now[pointer: path])
            }
            let merged = algebra.merge(JSONMerge.Sides(base: before, server: now, client: view)).merged
            return loss(
                path, view[pointer: path]?.bytes, shown: merged?[pointer: path],
                isBuiltUpon: true)
        }
    }

    /// Whether the journal does not have a loss yet. Each full resync finds a value again that stays as it was confirmed.
    func isNew(_ loss: Loss) throws(TidemarkError) -> Bool {
        try !self.transaction.store.journal(of: loss.entry.pk, in: self.transaction.collection).contains { stored in
            stored.reason == .serverRolledBack && stored.path == loss.entry.path && stored.version == loss.entry.version
        }
    }

    /// Journals the losses, and sends them again if the policy is `sendAgain`.
    func journal(_ losses: [Loss]) throws(TidemarkError) {
        guard !losses.isEmpty else { return }
        let (journal, restorer) = (Journal(transaction: self.transaction), Restorer(transaction: self.transaction))
        var restored: [Int64] = []
        for loss in losses {
            let entry = loss.entry
            let number = try journal.append(entry)
            switch self.transaction.configuration.serverRolledBack {
            case .journal, .pause: break
            case .sendAgain:
                // A local change since then is newer, and is sent by itself. While the outcome of an upload is unknown, the
                // server's state is not merged yet, and the record can't be changed by this.
                let machine = try self.transaction.load(entry.pk).machine
                let isNewer = loss.isBuiltUpon ? true : try restorer.isOvertaken(entry)
                // A record that is created again is sent as a whole.
                let isSent = entry.path.isEmpty && entry.value != nil && machine.phase == .created(.idle)
                if isSent {
                    restored.append(number)
                } else if !isNewer, machine.upload == nil, try restorer.flaw(ofPuttingBack: entry) == nil {
                    restored.append(number)
                }
            }
        }
        try self.transaction.store.noteRestored(restored, in: self.transaction.collection)
        try journal.trim()
        self.transaction.counters.lostByServer = (self.transaction.counters.lostByServer ?? 0) + losses.count
    }
}

extension StoredVersion {
    /// Whether it was written after another version, as far as that can be known: both are numbers, which grow with each write
    /// (W3), and it is greater.
    fileprivate func isLater(than other: String?) -> Bool {
        guard let version = self.version.flatMap({ JSONNumber($0) }), let other = other.flatMap({ JSONNumber($0) })
        else { return false }
        return version > other
    }
}
