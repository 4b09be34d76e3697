import TidemarkJSON
import TidemarkMachine
import TidemarkRules

/// What a server that went back to an earlier state has lost (SPEC §6, I1): what a device had confirmed may be the last
/// copy, and is journalled before the full resync replaces it.
///
/// A horizon that moved on (W7) loses a history, too, but no value: what such a server does not list was deleted. To bring
/// that back would undo deletions, so only a server that says that it went back, or that shows another epoch, is taken to
/// have.
struct LostHistory {
    let turn: Turn

    /// Whether the app wants to be asked before what a server lost is replaced by what it has.
    func isStopping(_ failure: RemoteFailure) -> Bool {
        switch self.turn.configuration.serverWentBack {
        case .pause: failure.serverWentBack && !self.turn.exchange.maySyncAfterWentBack
        case .journal, .sendAgain: false
        }
    }

    /// Whether a full resync after a rollback is running.
    func isUnderWay() throws(TidemarkError) -> Bool {
        guard let resync = try self.turn.state().resync else { return false }
        return resync.isRunning && resync.reason == .rollback
    }

    /// The full resync is over.
    func end() throws(TidemarkError) {
        if try self.isUnderWay() { self.turn.exchange.maySyncAfterWentBack = false }
    }
}

// MARK: - Which

extension LostHistory {
    /// A value that a server lost, or a removal.
    struct Loss {
        let entry: StoredJournalEntry

        /// Whether it was added to here since: what was added waits to be sent, and is merged with what the server has now.
        var isBuiltUpon = false
    }

    /// What the server had confirmed and shows otherwise in a page of the full resync.
    func values(lostBy page: FeedPage) throws(TidemarkError) -> [Loss] {
        guard try self.isUnderWay() else { return [] }
        let listing = try self.turn.state().listing
        var losses: [Loss] = []
        for row in page.rows {
            let version = page.version(of: row)
            guard let stored = try self.turn.stored(row, of: page) else {
                if let loss = try self.removal(of: page.pk(of: row), undoneBy: version) { losses.append(loss) }
                continue
            }
            // A row that this full resync listed before is of the new history.
            guard stored.listing < listing else { continue }
            // What can't be read can't be journalled, either.
            _ = try self.turn.damage { () throws(TidemarkError) in
                losses += try self.values(of: stored, lostTo: version)
            }
        }
        return losses
    }

    /// The removal of a record that is not here and that the server shows.
    private func removal(of pk: String, undoneBy row: StoredVersion) throws(TidemarkError) -> Loss? {
        let root = CodePointString(JSONPointer.root.text)
        guard row.data != nil, let removal = try Removals(turn: self.turn).known(of: pk)[root] else { return nil }
        return Loss(
            entry: StoredJournalEntry(
                pk: pk, reason: .serverWentBack, lost: .client, path: removal.path, value: nil, stamp: removal.stamp,
                shown: row.isLater(than: removal.stamp) ? nil : row.data))
    }

    /// What the server had confirmed of a record, and has no more.
    ///
    /// What was changed here since is left out: it waits to be sent, and the tactic decides about it. That may make the record
    /// anew, or wait for someone; meanwhile another device may make it without what was confirmed. A member that the record
    /// never had here is no lost removal: someone has added it.
    func values(of stored: StoredRecord, lostTo row: StoredVersion?) throws(TidemarkError) -> [Loss] {
        guard let former = stored.confirmed.data, former != row?.data else { return [] }
        // What it shows in the place of a value may be replaced when all are brought back, unless it was written later.
        let isLater = row?.isLater(than: stored.confirmed.stamp) ?? false
        func loss(_ path: JSONPointer, _ value: [UInt8]?, shown: JSON? = nil, isBuiltUpon: Bool = false) -> Loss {
            Loss(
                entry: StoredJournalEntry(
                    pk: stored.pk, reason: .serverWentBack, lost: .client, path: path.text, value: value,
                    stamp: stored.confirmed.stamp, shown: isLater ? nil : shown?.bytes),
                isBuiltUpon: isBuiltUpon)
        }
        guard let data = row?.data else {
            switch stored.phase {
            case .synced, .edited: return [loss(.root, former)]
            case .absent, .created, .deleted: return []
            }
        }
        let algebra = self.turn.algebra
        let machine = try self.turn.revive(stored).machine
        var content = try machine.view(algebra)
        // What an open question grew from is older than what was confirmed: what others changed since was not changed here.
        if machine.base != nil, let server = machine.confirmed.content, let client = content {
            content = try algebra.merge(base: machine.mergeBase, server: server, client: client).content
        }
        let view = try algebra.compared(content)
        let before: JSON = try algebra.compared(RecordPayload(bytes: former))
        let now: JSON = try algebra.compared(RecordPayload(bytes: data))
        let removals = try Removals(turn: self.turn).known(of: stored.pk)
        return JSONPatch.diff(from: now, to: before).operations.compactMap { operation in
            let value = before[pointer: operation.path]
            guard value != nil || removals[CodePointString(operation.path.text)] != nil else { return nil }
            // What is deleted here may come back, and then with the older values.
            guard let view, view[pointer: operation.path] != value else {
                return loss(operation.path, value?.bytes, shown: now[pointer: operation.path])
            }
            // A value that was replaced here takes the place of the lost one. What was added to it does not: of a counter,
            // or an array, only the difference is sent, so what it came to is kept.
            guard algebra.fields.buildsUpon(operation.path), value != nil else { return nil }
            let merged = algebra.fields.merge(base: before, server: now, client: view).merged
            return loss(
                operation.path, view[pointer: operation.path]?.bytes, shown: merged?[pointer: operation.path],
                isBuiltUpon: true)
        }
    }

    /// Whether the journal does not have a loss yet. What stays as it was confirmed is found again by each full resync.
    func isNew(_ loss: Loss) throws(TidemarkError) -> Bool {
        try !self.turn.store.journal(of: loss.entry.pk, in: self.turn.collection).contains { stored in
            stored.reason == .serverWentBack && stored.path == loss.entry.path && stored.stamp == loss.entry.stamp
        }
    }

    /// Journals what the server has lost, and sends it again where the policy says so.
    func journal(_ losses: [Loss]) throws(TidemarkError) {
        guard !losses.isEmpty else { return }
        let (journal, restorer) = (Journal(turn: self.turn), Restorer(turn: self.turn))
        var restored: [Int64] = []
        for loss in losses {
            let entry = loss.entry
            let number = try journal.append(entry)
            switch self.turn.configuration.serverWentBack {
            case .journal, .pause: break
            case .sendAgain:
                // What was changed here since is newer, and waits to be sent by itself. While the fate of an upload is unknown,
                // what the server has is not merged yet, and nothing can be changed about it.
                let machine = try self.turn.load(entry.pk).machine
                let isNewer = loss.isBuiltUpon ? true : try restorer.isOvertaken(entry)
                // What is made anew is sent whole.
                let isSent = entry.path.isEmpty && entry.value != nil && machine.phase == .created(.idle)
                if isSent {
                    restored.append(number)
                } else if !isNewer, machine.upload == nil, try restorer.flaw(ofPuttingBack: entry) == nil {
                    restored.append(number)
                }
            }
        }
        try self.turn.store.noteRestored(restored, in: self.turn.collection)
        try journal.trim()
        self.turn.gains.lostByServer = (self.turn.gains.lostByServer ?? 0) + losses.count
    }
}

extension StoredVersion {
    /// Whether it was written after another version, as far as that can be known: both are numbers, which grow with each write
    /// (W3), and it is the greater one.
    fileprivate func isLater(than other: String?) -> Bool {
        guard let stamp = self.stamp.flatMap({ JSONNumber($0) }), let other = other.flatMap({ JSONNumber($0) })
        else { return false }
        return stamp > other
    }
}
