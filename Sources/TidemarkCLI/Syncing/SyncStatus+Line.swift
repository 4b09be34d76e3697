import Tidemark

// The status of a client, as text for the user and as JSON for programs.

extension SyncStatus {
    /// The line for the user; nil if there is nothing to report, as while the first sync has not ended.
    var sentence: String? {
        switch self.summary {
        case .inSync: return "in sync"
        case .checking: return nil
        case .pending: return self.counts
        case .syncing: return "syncing"
        // The time of day, since a duration would be wrong a moment later.
        case .waiting(let until, let why): return self.with("\(why.message) The next attempt is at \(until.clockTime).")
        case .paused(let why): return self.with(why.message)
        case .offline: return self.with("offline")
        }
    }

    private func with(_ sentence: String) -> String {
        self.isInSync ? sentence : "\(sentence) (\(self.counts))"
    }

    private var counts: String {
        var parts: [String] = []
        let toSend = self.unsentCount - self.conflictCount - self.heldCount
        if toSend > 0 { parts.append("to send \(toSend)") }
        if self.conflictCount > 0 { parts.append("conflicts \(self.conflictCount)") }
        if self.heldCount > 0 { parts.append("held \(self.heldCount)") }
        return parts.isEmpty ? "in sync" : parts.joined(separator: ", ")
    }

    /// Whether `--json` prints this status after the status `last`.
    func isNews(after last: SyncStatus?) -> Bool {
        guard let last else { return true }
        // The first confirmation that everything is in sync is shown, although the status said so before the first
        // request.
        return self.words != last.words || self.isHintedTo != last.isHintedTo
            || (self.lastInSync == nil) != (last.lastInSync == nil)
    }

    private var words: [JSONLine] {
        [self.summaryLine] + self.collections.map { self.line(of: $0) }
    }

    /// Whether the server sends change notifications.
    var isHintedTo: Bool { self.run?.hints == .heard }

    /// Why the client gets no change notifications and polls instead; nil if there is nothing to report.
    var sentenceAboutHints: String? {
        guard case .none(let why?, _)? = self.run?.hints else { return nil }
        switch self.summary {
        case .inSync, .checking, .pending: return "no change notifications, so the server is polled. \(why)"
        // The cause that delays a sync also prevents change notifications.
        case .syncing, .waiting, .paused, .offline: return nil
        }
    }

    /// `{"status":"inSync|checking|pending|syncing|waiting|paused|offline","unsent","conflicts","held","last_in_sync","requests","bytes",
    /// "hints":true|false,"collections":{"notes":{"status",…}}}`; with `"done"` and `"of"`, `"until"` and `"why"` if the status has them. Times
    /// are whole seconds from 1970-01-01T00:00:00Z; requests and bytes are those of the last hour.
    var line: JSONLine {
        var line = self.summaryLine
        line.add("last_in_sync", raw: self.lastInSync.map { $0.jsonSeconds })
        line.add("requests", self.run?.requests ?? 0)
        line.add("bytes", self.run?.bytes ?? 0)
        line.add("hints", raw: Array("\(self.isHintedTo)".utf8))
        var collections = JSONLine()
        for status in self.collections {
            var part = self.line(of: status)
            part.add("last_in_sync", raw: self.lastInSync(of: status.collection).map { $0.jsonSeconds })
            collections.add(status.collection, part)
        }
        line.add("collections", collections)
        return line
    }

    private var summaryLine: JSONLine {
        var line = JSONLine()
        line.add(self.summary)
        line.add("unsent", self.unsentCount)
        line.add("conflicts", self.conflictCount)
        line.add("held", self.heldCount)
        return line
    }

    private func line(of status: SyncStatus.Collection) -> JSONLine {
        var line = JSONLine()
        line.add(self.summary(of: status.collection) ?? .inSync)
        line.add("unsent", status.counts.reduce(0) { $0 + ($1.key == .synced ? 0 : $1.value) })
        line.add("conflicts", status.conflicts.count)
        line.add("held", status.held.count)
        return line
    }
}

extension JSONLine {
    fileprivate mutating func add(_ summary: SyncStatus.Summary) {
        switch summary {
        case .inSync: self.add("status", "inSync")
        case .checking: self.add("status", "checking")
        case .pending: self.add("status", "pending")
        case .syncing(let done, let all):
            self.add("status", "syncing")
            self.add("done", done)
            self.add("of", raw: all.map { Array("\($0)".utf8) })
        case .waiting(let until, let why):
            self.add("status", "waiting")
            self.add("until", raw: until.jsonSeconds)
            self.add("why", why.message)
        case .paused(let why):
            self.add("status", "paused")
            self.add("why", why.message)
        case .offline: self.add("status", "offline")
        }
    }
}

extension JSONLine: Equatable {
    static func == (left: JSONLine, right: JSONLine) -> Bool { left.bytes == right.bytes }
}

extension Duration {
    /// In whole seconds, as JSON.
    fileprivate var jsonSeconds: [UInt8] { Array("\(self.components.seconds)".utf8) }

    /// The hour, the minute and the second of a time from 1970-01-01T00:00:00Z, rounded up, in UTC.
    var clockTime: String {
        let (whole, attoseconds) = self.components
        let seconds = (whole + (attoseconds > 0 ? 1 : 0)) % 86_400
        let parts = [seconds / 3_600, seconds / 60 % 60, seconds % 60]
        return parts.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":") + " UTC"
    }
}
