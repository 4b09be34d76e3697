import TidemarkJSON
import TidemarkMachine

// A server that went back to an earlier state has lost what it acknowledged (SPEC §6, I1), and what a device had confirmed
// may be the last copy. It is journalled before the listing replaces it.
//
// A horizon that moved on (W7) loses a history, too, but no value: what such a server does not list was deleted. To bring
// that back would undo deletions, so only a server that says that it went back, or that shows another epoch, is taken to
// have.

extension SyncEngine {
    private static let wentBackKey = "went-back"
    private static let lostKey = "lost-by-server"

    /// How many values the server lost and nobody has sent again.
    func valuesLost(in collection: String) throws(TidemarkError) -> Int {
        try self.store.setting("\(Self.lostKey)/\(collection)").flatMap { Int($0) } ?? 0
    }

    /// One value was sent again by itself.
    func noteValueRestored(in collection: String) throws(TidemarkError) {
        let open = try self.valuesLost(in: collection)
        guard open > 0 else { return }
        try self.store.set("\(Self.lostKey)/\(collection)", to: open == 1 ? nil : String(open - 1))
    }

    /// The values were sent again.
    func forgetValuesLost(in collection: String) throws(TidemarkError) {
        try self.store.set("\(Self.lostKey)/\(collection)", to: nil)
    }

    /// Nothing is left of what the server's history of a collection was.
    func forgetHistory(of collection: String) throws(TidemarkError) {
        for key in [Self.wentBackKey, Self.lostKey, Self.epochKey] {
            try self.store.set("\(key)/\(collection)", to: nil)
        }
    }

    /// The listing that begins is one after the server went back.
    func noteServerWentBack(in collection: String) throws(TidemarkError) {
        try self.store.set("\(Self.wentBackKey)/\(collection)", to: "listing")
        self.report(0, lostByServerIn: collection)
    }

    /// The listing is over.
    func noteListingEnded(in collection: String) throws(TidemarkError) {
        guard try self.isAfterWentBack(in: collection) else { return }
        try self.store.set("\(Self.wentBackKey)/\(collection)", to: nil)
        var exchange = self.exchange(of: collection)
        exchange.maySyncAfterWentBack = false
        self.keep(exchange, of: collection)
    }

    /// Whether the listing that is under way is one after the server went back.
    func isAfterWentBack(in collection: String) throws(TidemarkError) -> Bool {
        try self.store.setting("\(Self.wentBackKey)/\(collection)") != nil
    }

    /// What the server had confirmed and shows otherwise in a page of the listing.
    func valuesLost(
        by page: FeedPage, _ state: CollectionState, in collection: String
    ) throws(TidemarkError) -> [StoredJournalEntry] {
        guard state.isListing, try self.isAfterWentBack(in: collection) else { return [] }
        var losses: [StoredJournalEntry] = []
        for row in page.rows {
            // A row that this listing named before is of the new history.
            guard let stored = try self.store.record(page.pk(of: row), in: collection), stored.listing < state.listing
            else { continue }
            // What can't be read can't be journalled, either.
            _ = try self.damage { () throws(TidemarkError) in
                losses += try self.valuesLost(of: stored, to: page.version(of: row).data, in: collection)
            }
        }
        return losses
    }

    /// What the server had confirmed of a record, and has no more.
    ///
    /// What was changed here since is left out: it waits to be sent, and the tactic decides about it.
    func valuesLost(
        of stored: StoredRecord, to data: [UInt8]?, in collection: String
    ) throws(TidemarkError) -> [StoredJournalEntry] {
        guard let former = stored.confirmed.data, former != data else { return [] }
        func entry(_ path: JSONPointer, _ value: [UInt8]?) -> StoredJournalEntry {
            StoredJournalEntry(
                pk: stored.pk, reason: .serverWentBack, lost: .client, path: path.text, value: value,
                stamp: stored.confirmed.stamp)
        }
        guard let data else { return stored.phase == .synced ? [entry(.root, former)] : [] }
        let algebra = self.algebra(of: collection)
        let view = try self.revive(stored, in: collection).machine.view(algebra)?.json()
        let (before, now) = (try Payload(bytes: former).json(), try Payload(bytes: data).json())
        return JSONPatch.diff(from: now, to: before).operations.compactMap { operation in
            let value = before[pointer: operation.path]
            // What is deleted here may come back, and then with the older values.
            guard let view, view[pointer: operation.path] != value else { return entry(operation.path, value?.bytes) }
            // A value that was replaced here takes the place of the lost one. What was added to it does not: of a counter,
            // or an array, only the difference is sent, so what it came to is kept.
            guard algebra.fields.buildsUpon(operation.path) else { return nil }
            return entry(operation.path, view[pointer: operation.path]?.bytes)
        }
    }

    /// Journals what the server has lost, and sends it again where the policy says so.
    func journal(
        lostByServer losses: [StoredJournalEntry], in collection: String, _ effects: inout [Effect]
    ) throws(TidemarkError) {
        guard !losses.isEmpty else { return }
        var open = try self.valuesLost(in: collection)
        let wasOpen = open > 0
        var last: Int64 = 0
        var restored: [Int64] = []
        for loss in losses {
            last = try self.store.append(loss, in: collection)
            switch self.configuration.serverWentBack {
            case .journal, .pause: open += 1
            case .sendAgain:
                if try self.flaw(ofPuttingBack: loss, in: collection, &effects) == nil {
                    restored.append(last)
                } else {
                    open += 1
                }
            }
        }
        if open > 0 {
            try self.store.set("\(Self.lostKey)/\(collection)", to: String(open))
            try self.noteRestored(restored, .serverWentBack, in: collection)
        } else if !wasOpen {
            try self.noteRestored(to: last, .serverWentBack, in: collection)
        }
        try self.trimJournal(of: collection)
        self.report(losses.count, lostByServerIn: collection)
    }

    private func report(_ count: Int, lostByServerIn collection: String) {
        var exchange = self.exchange(of: collection)
        let sum = (exchange.report?.lostByServer ?? 0) + count
        exchange.report?.lostByServer = sum
        self.keep(exchange, of: collection)
    }
}
