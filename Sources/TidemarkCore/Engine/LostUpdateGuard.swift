import TidemarkJSON
import TidemarkMachine
import TidemarkRules

/// Watches acknowledged writes, for one of two purposes. ``AcknowledgedWrite`` decides which values have changed.
///
/// A server that checks a version and then writes (Contract §12) may lose an update: an overwritten edit is sent again, and both
/// values are journalled. On any other server a value changes only because another client replaced it. If the app wants to know
/// about that (``SyncConfiguration/journalsReplacedFor``), the replaced value is journalled (Contract §4).
struct LostUpdateGuard {
    let transaction: EngineTransaction

    /// What happens to a watched value that the server shows otherwise.
    private enum Purpose {
        /// It is sent again if the value from before it returned.
        case lostUpdates

        /// It is journalled.
        case replacedValues
    }

    /// What values are watched for, and how long; nil if none is watched.
    ///
    /// If rows become visible late, an overwrite becomes visible late, too.
    private var watch: (purpose: Purpose, window: Duration)? {
        guard case .checkedFirst(let window) = self.transaction.capabilities.condition, window > .zero else {
            // A guest reviews what the owner watches, however long, and watches nothing more.
            guard !self.transaction.configuration.isGuest else { return (.replacedValues, .zero) }
            let window = self.transaction.configuration.journalsReplacedFor.map { min($0, Self.longest) }
            return window.map { (.replacedValues, $0) }
        }
        guard case .late(let time) = self.transaction.capabilities.feed else {
            return (.lostUpdates, min(window, Self.longest))
        }
        return (.lostUpdates, min(window, Self.longest) + min(time, Self.longest))
    }

    /// The longest window.
    private static let longest = Duration.seconds(365 * 86_400)

    /// Whether values are watched at all.
    var isWatching: Bool { self.watch != nil }

    /// Whether an overwritten value is sent again.
    var returnsValues: Bool { self.watch?.purpose == .lostUpdates }
}

// MARK: - One record

extension LostUpdateGuard {
    /// The server accepted an upload, and returned its present row. A client that deleted the record since may not have seen
    /// the upload.
    ///
    /// - Parameters:
    ///   - before: The record while the upload was in flight.
    ///   - isReadBack: Whether the row was read after the write.
    func acknowledge(
        _ record: inout Record, upload before: Record.Machine, isReadBack: Bool
    ) throws(TidemarkError) {
        guard let (purpose, window) = self.watch, let change = before.upload?.change else { return }
        guard purpose == .lostUpdates || !self.transaction.configuration.isGuest else { return }
        let algebra = self.transaction.algebra
        let base = before.confirmed.content
        let taken = try algebra.apply(change, to: base)
        guard let row = record.machine.confirmed.content else {
            if record.machine.phase == .absent { try self.noteGone(record.pk, taken.bytes, before.confirmed.version) }
            return
        }
        var watch = record.watch ?? AcknowledgedWrite()
        let sent: JSON = try algebra.compared(taken)
        let isAnothers = self.showsOthers(record, upload: before, isReadBack: isReadBack)
        let shown: JSON = isAnothers ? sent : try algebra.compared(row)
        watch.acknowledge(
            change, from: try algebra.compared(base), to: sent, row: shown, by: algebra.fields,
            mayBeLater: Self.mayBeLater(record, upload: before), until: self.transaction.now + window)
        switch purpose {
        case .lostUpdates: record.watch = watch
        case .replacedValues:
            // Such a field keeps what both clients did.
            watch.limit(to: self.transaction.limits.watchedValues, preferring: change) {
                !algebra.fields.isIncremental($0)
            }
            record.watch = watch.entries.isEmpty ? nil : watch
        }
    }

    /// Whether the row of an accepted upload may be a later one than the upload wrote, as an answer that is repeated may have it
    /// (W4).
    static func mayBeLater(_ record: Record, upload before: Record.Machine) -> Bool {
        before.upload?.wasResent == true && record.machine.confirmed.version != before.confirmed.version
    }

    /// Whether a value that differs in the row of an accepted upload is another writer's, and not one that the server altered.
    func showsOthers(_ record: Record, upload before: Record.Machine, isReadBack: Bool) -> Bool {
        switch self.transaction.capabilities.values {
        case .exact: true
        case .byValue: isReadBack || Self.mayBeLater(record, upload: before)
        case .rounded: false
        }
    }

    /// Compares a watched record with the server's row, which may have changed.
    ///
    /// - Parameters:
    ///   - former: The server's row that was reviewed before; nil if none was.
    ///   - view: The record as the app saw it before the row; nil if it saw none.
    ///   - isAccepted: Whether a change of it was accepted now: then no tactic has decided, nor journalled, that a deletion wins.
    /// - Returns: The new content of the app's view; nil if no value has to be sent again.
    func review(
        _ record: inout Record, after former: Record.Machine.ServerState?, seenAs view: RecordPayload?,
        isAccepted: Bool = false
    ) throws(TidemarkError) -> RecordPayload? {
        guard let (purpose, _) = self.watch, var watch = record.watch else { return nil }
        guard let content = record.machine.confirmed.content else {
            if purpose == .replacedValues, isAccepted {
                try self.journalGone(record, watch, after: former, seenAs: view)
            }
            record.watch = nil
            return nil
        }
        let algebra = self.transaction.algebra
        if purpose == .replacedValues {
            let (row, view): (JSON, JSON?) = (try algebra.compared(content), try algebra.compared(view))
            return try self.journalReplaced(in: &record, watch, by: row, seenAs: view)
        }
        var known: JSON?
        if let former, former.version == record.machine.confirmed.version {
            known = try algebra.compared(former.content)
        }
        let findings = watch.review(
            try algebra.compared(content) as JSON, sameVersionAs: known, limit: self.transaction.limits.rounds)
        guard !findings.isEmpty else { return nil }
        record.watch = watch.entries.isEmpty ? nil : watch
        return try self.settle(findings, of: record)
    }

    /// Journals the values that another client replaced.
    private func journalReplaced(
        in record: inout Record, _ watch: AcknowledgedWrite, by row: JSON, seenAs view: JSON?
    ) throws(TidemarkError) -> RecordPayload? {
        var watch = watch
        let findings = watch.review(row, limit: 0)
        let isOver = watch.isOver(by: self.transaction.now)
        record.watch = watch.entries.isEmpty || isOver ? nil : watch
        guard try self.journalsReplaced(of: watch) else { return nil }
        for case .replaced(let entry, _) in findings {
            // The user has replaced it here, too, and the tactic decides about that.
            guard let view, view[pointer: entry.path] == entry.value else { continue }
            try self.journal(entry.value, of: .client, at: entry.path, record, .replaced)
        }
        if !findings.isEmpty { try self.trim() }
        return nil
    }

    /// Journals the values of a record that another client deleted after the server had accepted them, without an answer here.
    private func journalGone(
        _ record: Record, _ watch: AcknowledgedWrite, after former: Record.Machine.ServerState?,
        seenAs view: RecordPayload?
    ) throws(TidemarkError) {
        // A record that stays here is sent again with the values.
        guard record.machine.phase == .absent, former?.content != nil, let view, try self.journalsReplaced(of: watch)
        else { return }
        let content: JSON = try self.transaction.algebra.compared(view)
        guard watch.entries.contains(where: { content[pointer: $0.path] == $0.value }) else { return }
        try self.noteGone(record.pk, view.bytes, former?.version)
    }

    /// Whether replaced values of a watch are journalled: its time is not over, and the server is not rolled back. The losses of
    /// a rolled-back server are journalled under their own reason (Contract §6).
    private func journalsReplaced(of watch: AcknowledgedWrite) throws(TidemarkError) -> Bool {
        guard !watch.isOver(by: self.transaction.now) else { return false }
        return try !ServerRollback(transaction: self.transaction).isUnderWay()
    }

    private func trim() throws(TidemarkError) {
        let journal = Journal(transaction: self.transaction)
        if !self.returnsValues { try journal.trimReplaced() }
        try journal.trim()
    }

    private func settle(
        _ findings: [AcknowledgedWrite.Finding], of record: Record
    ) throws(TidemarkError) -> RecordPayload? {
        let view = record.machine.isVisible ? try record.machine.view(self.transaction.algebra)?.json() : nil
        var content = view
        for finding in findings {
            switch finding {
            case .replaced(let entry, _): try self.journal(entry.value, of: .client, at: entry.path, record)
            case .altered(let entry): try self.journal(entry.value, of: .client, at: entry.path, record, .altered)
            case .overwritten(let entry, let shown):
                // A local change since then is kept.
                guard let present = content, present[pointer: entry.path] == shown,
                    let changed = self.placing(entry.value, at: entry.path, in: present)
                else {
                    try self.journal(entry.value, of: .client, at: entry.path, record)
                    continue
                }
                content = changed
                try self.journal(shown, of: .server, at: entry.path, record)
            }
        }
        try Journal(transaction: self.transaction).trim()
        return content == view ? nil : content.map { RecordPayload($0) }
    }

    /// Returns a record with a restored value. The objects that contained it are created if they no longer exist.
    private func placing(_ value: JSON?, at path: JSONPointer, in record: JSON) -> JSON? {
        if let changed = self.transaction.rules.fields.setting(path, to: value, in: record) { return changed }
        guard let value, let key = path.lastToken, let parent = path.parent, record[pointer: parent] == nil else {
            return nil
        }
        return self.placing(.object(JSONObject([(key, value)])), at: parent, in: record)
    }

    /// Journals a watched record that was deleted: another client's edit after the acknowledged one.
    func noteGone(_ stored: StoredRecord) throws(TidemarkError) {
        guard let (purpose, _) = self.watch, let bytes = stored.watched, let data = stored.confirmed.data else {
            return
        }
        if purpose == .replacedValues {
            guard let watch = AcknowledgedWrite(bytes: bytes), try self.journalsReplaced(of: watch) else { return }
        }
        try self.noteGone(stored.pk, data, stored.confirmed.version)
    }

    private func noteGone(_ pk: String, _ value: [UInt8]?, _ version: String?) throws(TidemarkError) {
        let entry = StoredJournalEntry(
            pk: pk, reason: self.returnsValues ? .overwritten : .replaced, lost: .client, path: "", value: value,
            version: version)
        _ = try Journal(transaction: self.transaction).append(entry)
        try self.trim()
    }

    private func journal(
        _ value: JSON?, of side: JournalEntry.Side, at path: JSONPointer, _ record: Record,
        _ reason: JournalEntry.Reason = .overwritten
    ) throws(TidemarkError) {
        let entry = StoredJournalEntry(
            pk: record.pk, reason: reason, lost: side, path: path.text, value: value?.bytes,
            version: record.machine.confirmed.version)
        _ = try Journal(transaction: self.transaction).append(entry)
    }
}

// MARK: - A page, and the end of a pull

extension LostUpdateGuard {
    /// Returns the stored records of a page that are watched, before the page is applied.
    func watched(in page: FeedPage) throws(TidemarkError) -> [StoredRecord] {
        guard self.isWatching, try !self.records(after: nil, limit: 1).isEmpty else { return [] }
        var found: [StoredRecord] = []
        for row in page.rows {
            if let stored = try self.transaction.stored(row, of: page), stored.watched != nil { found.append(stored) }
        }
        return found
    }

    /// Reviews watched records after a page was applied.
    func review(_ former: [StoredRecord]) throws(TidemarkError) {
        for stored in former {
            guard let present = try self.transaction.store.record(stored.pk, in: self.transaction.collection) else {
                if stored.phase == .synced { try self.noteGone(stored) }
                continue
            }
            // A record with local changes was reviewed when its row was applied.
            guard stored.phase == .synced, present.confirmed != stored.confirmed else { continue }
            _ = try self.transaction.damage { () throws(TidemarkError) in
                var record = try self.transaction.revive(present)
                // The page has a tombstone and a row of the record: it exists again, but has lost its watch.
                if present.watched == nil { record.watch = stored.watched.flatMap { AcknowledgedWrite(bytes: $0) } }
                try RecordDriver(transaction: self.transaction).look(
                    at: &record, after: stored.confirmed.state, seenAs: stored.confirmed.state.content)
            }
        }
    }

    /// Ends the watches whose time was over before the last pull began.
    ///
    /// - Parameter beginning: When the last completed pull began; nil if there was none.
    /// - Returns: The number of records that are still watched for lost updates.
    func end(by beginning: Duration?) throws(TidemarkError) -> Int {
        guard let (purpose, window) = self.watch else { return 0 }
        guard purpose == .lostUpdates else {
            if !self.transaction.configuration.isGuest { try self.forgetOld(window) }
            return 0
        }
        var (count, after) = (0, String?.none)
        while true {
            let page = try self.records(after: after, limit: self.transaction.limits.pageSize)
            guard let last = page.last else { return count }
            after = last.pk
            for index in page.indices {
                var stored = page[index]
                var watch = stored.watched.flatMap { AcknowledgedWrite(bytes: $0) }
                // If the clock was ahead, the stored end is too far in the future.
                if watch?.shorten(to: self.transaction.now + window) == true { stored.watched = watch?.json.bytes }
                if let watch, !(beginning.map(watch.isOver) ?? false) {
                    count += 1
                    if stored.watched != page[index].watched {
                        try self.transaction.store.save(stored, in: self.transaction.collection)
                    }
                } else {
                    stored.watched = nil
                    try self.transaction.store.save(stored, in: self.transaction.collection)
                }
            }
        }
    }

    /// Ends the watches for replaced values whose time is over, of one page of records: the next sync continues behind it.
    private func forgetOld(_ window: Duration) throws(TidemarkError) {
        let name = CodePointString(self.transaction.collection)
        let page = try self.records(
            after: self.transaction.memory.watchSweeps[name], limit: self.transaction.limits.pageSize)
        self.transaction.memory.watchSweeps[name] = page.count < self.transaction.limits.pageSize ? nil : page.last?.pk
        for var stored in page {
            var watch = stored.watched.flatMap { AcknowledgedWrite(bytes: $0) }
            // If the clock was ahead, the stored end is too far in the future.
            let isMoved = watch?.shorten(to: self.transaction.now + window) == true
            let isOver = watch?.isOver(by: self.transaction.now) ?? true
            guard isMoved || isOver else { continue }
            stored.watched = isOver ? nil : watch?.json.bytes
            try self.transaction.store.save(stored, in: self.transaction.collection)
        }
    }

    private func records(after pk: String?, limit: Int) throws(TidemarkError) -> [StoredRecord] {
        try self.transaction.store.watchedRecords(in: self.transaction.collection, after: pk, limit: limit)
    }
}
