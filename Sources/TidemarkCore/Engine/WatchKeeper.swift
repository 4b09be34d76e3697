import TidemarkJSON
import TidemarkMachine
import TidemarkRules

/// Keeps what a server acknowledged in view, where it checks a version and then writes (SPEC §12): an edit that was overwritten
/// is put back, and all of it is journalled. What was overwritten, ``AcknowledgedWatch`` says.
struct WatchKeeper {
    let turn: Turn

    /// For how long; nil where the server needs no watching.
    ///
    /// A row that comes late shows late what it overwrote.
    private var window: Duration? {
        guard case .checkedFirst(let window) = self.turn.capabilities.condition else { return nil }
        guard case .late(let time) = self.turn.capabilities.feed else { return min(window, Self.longest) }
        return min(window, Self.longest) + min(time, Self.longest)
    }

    /// The longest window.
    private static let longest = Duration.seconds(365 * 86_400)

    var isWatching: Bool { self.window != nil }
}

// MARK: - One record

extension WatchKeeper {
    /// The server took what was sent of a record, and has this now. Whoever deleted it since may not have seen what was sent.
    ///
    /// - Parameter before: The record when it was still on its way.
    func acknowledge(_ record: inout Record, upload before: Record.Machine) throws(TidemarkError) {
        guard let window, let change = before.upload?.change else { return }
        let algebra = self.turn.algebra
        let base = before.confirmed.content
        let taken = try algebra.apply(change, to: base)
        guard let row = record.machine.confirmed.content else {
            if record.machine.phase == .absent { try self.noteGone(record.pk, taken.bytes, before.confirmed.stamp) }
            return
        }
        var watch = record.watch ?? AcknowledgedWatch()
        let sent: JSON = try algebra.compared(taken)
        // Where the server alters nothing, a row that shows something else has been written by someone else since.
        let shown: JSON = self.turn.capabilities.values == .exact ? sent : try algebra.compared(row)
        watch.acknowledge(
            change, from: try algebra.compared(base), to: sent, row: shown, until: self.turn.now + window)
        record.watch = watch
    }

    /// What the server has of a record may have changed.
    ///
    /// - Returns: What to make of what the app sees; nil where nothing has to be put back.
    func review(_ record: inout Record) throws(TidemarkError) -> RecordPayload? {
        guard self.isWatching, var watch = record.watch else { return nil }
        guard let content = record.machine.confirmed.content else {
            record.watch = nil
            return nil
        }
        let findings = watch.review(
            try self.turn.algebra.compared(content) as JSON, limit: self.turn.limits.rounds)
        guard !findings.isEmpty else { return nil }
        record.watch = watch.entries.isEmpty ? nil : watch
        return try self.settle(findings, of: record)
    }

    private func settle(
        _ findings: [AcknowledgedWatch.Finding], of record: Record
    ) throws(TidemarkError) -> RecordPayload? {
        let view = record.machine.isVisible ? try record.machine.view(self.turn.algebra)?.json() : nil
        var content = view
        for finding in findings {
            switch finding {
            case .replaced(let entry, _): try self.journal(entry.value, of: .client, at: entry.path, record)
            case .overwritten(let entry, let shown):
                // What was changed here since stands where it is.
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
        try Journal(turn: self.turn).trim()
        return content == view ? nil : content.map { RecordPayload($0) }
    }

    /// A record with a value in its place again. An object that it was in may be gone with it.
    private func placing(_ value: JSON?, at path: JSONPointer, in record: JSON) -> JSON? {
        if let changed = self.turn.rules.fields.setting(path, to: value, in: record) { return changed }
        guard let value, let key = path.lastToken, let parent = path.parent, record[pointer: parent] == nil else {
            return nil
        }
        return self.placing(.object(JSONObject([(key, value)])), at: parent, in: record)
    }

    /// A record that was watched is gone: someone's answer to what was acknowledged.
    func noteGone(_ stored: StoredRecord) throws(TidemarkError) {
        guard self.isWatching, stored.watched != nil, let data = stored.confirmed.data else { return }
        try self.noteGone(stored.pk, data, stored.confirmed.stamp)
    }

    private func noteGone(_ pk: String, _ value: [UInt8]?, _ stamp: String?) throws(TidemarkError) {
        let entry = StoredJournalEntry(
            pk: pk, reason: .overwritten, lost: .client, path: "", value: value, stamp: stamp)
        _ = try Journal(turn: self.turn).append(entry)
        try Journal(turn: self.turn).trim()
    }

    private func journal(
        _ value: JSON?, of side: JournalEntry.Side, at path: JSONPointer, _ record: Record
    ) throws(TidemarkError) {
        let entry = StoredJournalEntry(
            pk: record.pk, reason: .overwritten, lost: side, path: path.text, value: value?.bytes,
            stamp: record.machine.confirmed.stamp)
        _ = try Journal(turn: self.turn).append(entry)
    }
}

// MARK: - A page, and the end of a pull

extension WatchKeeper {
    /// The records of a page that are watched, as they are stored before it is taken in.
    func watched(in page: FeedPage) throws(TidemarkError) -> [StoredRecord] {
        guard self.isWatching, try !self.records(after: nil, limit: 1).isEmpty else { return [] }
        var found: [StoredRecord] = []
        for row in page.rows {
            if let stored = try self.turn.stored(row, of: page), stored.watched != nil { found.append(stored) }
        }
        return found
    }

    /// Looks at what a page has made of records that are watched.
    func review(_ former: [StoredRecord]) throws(TidemarkError) {
        for stored in former {
            guard let present = try self.turn.store.record(stored.pk, in: self.turn.collection) else {
                if stored.phase == .synced { try self.noteGone(stored) }
                continue
            }
            // What has local changes was looked at as it was taken in.
            guard stored.phase == .synced, present.confirmed != stored.confirmed else { continue }
            _ = try self.turn.damage { () throws(TidemarkError) in
                var record = try self.turn.revive(present)
                // A tombstone and a row of one page: the record is there again, without what was known of it.
                if present.watched == nil { record.watch = stored.watched.flatMap { AcknowledgedWatch(bytes: $0) } }
                try RecordDriver(turn: self.turn).look(at: &record)
            }
        }
    }

    /// Ends the watches that the pull has outlived.
    ///
    /// - Parameter beginning: When the last pull began that came to its end; nil where none did.
    /// - Returns: How many records are watched still.
    func end(by beginning: Duration?) throws(TidemarkError) -> Int {
        guard let window else { return 0 }
        var (count, after) = (0, String?.none)
        while true {
            let page = try self.records(after: after, limit: self.turn.limits.pageSize)
            guard let last = page.last else { return count }
            after = last.pk
            for index in page.indices {
                var stored = page[index]
                var watch = stored.watched.flatMap { AcknowledgedWatch(bytes: $0) }
                // A clock that was ahead has set an end that is far away.
                if watch?.shorten(to: self.turn.now + window) == true { stored.watched = watch?.json.bytes }
                if let watch, !(beginning.map(watch.isOver) ?? false) {
                    count += 1
                    if stored.watched != page[index].watched {
                        try self.turn.store.save(stored, in: self.turn.collection)
                    }
                } else {
                    stored.watched = nil
                    try self.turn.store.save(stored, in: self.turn.collection)
                }
            }
        }
    }

    private func records(after pk: String?, limit: Int) throws(TidemarkError) -> [StoredRecord] {
        try self.turn.store.watchedRecords(in: self.turn.collection, after: pk, limit: limit)
    }
}
