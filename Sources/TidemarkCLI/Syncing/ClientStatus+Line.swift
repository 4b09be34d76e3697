import Tidemark

// How a client stands, for people and for programs.

extension ClientStatus {
    /// One line for a person; nil where there is nothing to say, as while the server is asked and has not answered.
    var sentence: String? {
        switch self.standing {
        case .inStep: return "in step"
        case .pending: return self.isInStep ? "to ask the server" : self.counts
        case .syncing(done: 0, _): return nil
        case .syncing: return "syncing"
        // The time itself, since a span would be wrong a moment later.
        case .waiting(let until, let why): return self.with("\(why) The next try is at \(until.clockTime).")
        case .paused(let why): return self.with("\(why)")
        case .offline: return self.with("offline")
        }
    }

    private func with(_ sentence: String) -> String {
        self.isInStep ? sentence : "\(sentence) (\(self.counts))"
    }

    private var counts: String {
        var parts: [String] = []
        let toSend = self.unsentCount - self.conflictCount - self.heldCount
        if toSend > 0 { parts.append("to send \(toSend)") }
        if self.conflictCount > 0 { parts.append("to decide \(self.conflictCount)") }
        if self.heldCount > 0 { parts.append("held \(self.heldCount)") }
        return parts.isEmpty ? "in step" : parts.joined(separator: ", ")
    }

    /// Whether a program should hear of it.
    func isNews(after last: ClientStatus?) -> Bool {
        guard let last else { return true }
        // That it was in step for the first time is news, though it looked like that before anyone had asked.
        return self.words != last.words || self.isHintedTo != last.isHintedTo
            || (self.lastInStep == nil) != (last.lastInStep == nil)
    }

    private var words: [JSONLine] {
        [self.summary] + self.collections.map { self.line(of: $0) }
    }

    /// Whether someone hints when the server is to be asked.
    private var isHintedTo: Bool { self.run?.hints == .heard }

    /// Why nobody hints, as far as that is to be said to a person: the server is asked from time to time then.
    var sentenceAboutHints: String? {
        guard case .none(let why?, _)? = self.run?.hints else { return nil }
        switch self.standing {
        case .inStep, .pending: return "nobody hints, so the server is asked from time to time. \(why)"
        // What is in the way of a sync is in the way of hints.
        case .syncing, .waiting, .paused, .offline: return nil
        }
    }

    /// `{"status":"in_step|pending|syncing|waiting|paused|offline","unsent","conflicts","held","last_in_step","requests","bytes",
    /// "hints":true|false,"collections":{"notes":{"status",…}}}`; with `"done"` and `"of"`, `"until"` and `"why"` where the status has them. Times
    /// are whole seconds from 1970-01-01T00:00:00Z; requests and bytes are those of the last hour.
    var line: JSONLine {
        var line = self.summary
        line.add("last_in_step", raw: self.lastInStep.map { $0.jsonSeconds })
        line.add("requests", self.run?.requests ?? 0)
        line.add("bytes", self.run?.bytes ?? 0)
        line.add("hints", raw: Array("\(self.isHintedTo)".utf8))
        var collections = JSONLine()
        for status in self.collections {
            var part = self.line(of: status)
            part.add("last_in_step", raw: self.lastInStep(of: status.collection).map { $0.jsonSeconds })
            collections.add(status.collection, part)
        }
        line.add("collections", collections)
        return line
    }

    private var summary: JSONLine {
        var line = JSONLine()
        line.add(self.standing)
        line.add("unsent", self.unsentCount)
        line.add("conflicts", self.conflictCount)
        line.add("held", self.heldCount)
        return line
    }

    private func line(of status: CollectionStatus) -> JSONLine {
        var line = JSONLine()
        line.add(self.standing(of: status.collection) ?? .inStep)
        line.add("unsent", status.counts.reduce(0) { $0 + ($1.key == .synced ? 0 : $1.value) })
        line.add("conflicts", status.conflicts.count)
        line.add("held", status.held.count)
        return line
    }
}

extension JSONLine {
    fileprivate mutating func add(_ standing: SyncStanding) {
        switch standing {
        case .inStep: self.add("status", "in_step")
        case .pending: self.add("status", "pending")
        case .syncing(let done, let all):
            self.add("status", "syncing")
            self.add("done", done)
            self.add("of", raw: all.map { Array("\($0)".utf8) })
        case .waiting(let until, let why):
            self.add("status", "waiting")
            self.add("until", raw: until.jsonSeconds)
            self.add("why", why)
        case .paused(let why):
            self.add("status", "paused")
            self.add("why", why)
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
    fileprivate var clockTime: String {
        let (whole, attoseconds) = self.components
        let seconds = (whole + (attoseconds > 0 ? 1 : 0)) % 86_400
        let parts = [seconds / 3_600, seconds / 60 % 60, seconds % 60]
        return parts.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":") + " UTC"
    }
}
