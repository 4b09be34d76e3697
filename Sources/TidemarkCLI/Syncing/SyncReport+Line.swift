import Tidemark

// What a sync did, for programs and for people.

extension SyncReport {
    /// `{"outcome","collections":{"notes":{"pushed","pulled","merged","conflicts","held","requests","watermark"}}}`; where
    /// the server went back to an earlier state, `"lost_by_server"` as well.
    ///
    /// - Parameter unknown: The collections that neither the store nor the server knows: they are named in `"unknown"`, and
    ///   where all else is in step the outcome is `"unknown_collection"`, as the exit status is 1.
    func line(unknown: [String]) -> JSONLine {
        var collections = JSONLine()
        for report in self.collections { collections.add(report.collection, report.line) }
        var line = JSONLine()
        let isOnlyUnknown = [.inStep, .noCollections].contains(self.outcome) && !unknown.isEmpty
        line.add("outcome", isOnlyUnknown ? "unknown_collection" : self.outcome.rawValue)
        line.add("collections", collections)
        if !unknown.isEmpty { line.add("unknown", unknown) }
        return line
    }

    /// What went wrong, each thing once.
    var failures: [String] {
        var seen: Set<String> = []
        return self.collections.compactMap(\.failure?.message).filter { seen.insert($0).inserted }
    }

    /// What a person should know and do.
    ///
    /// - Parameters:
    ///   - path: The store.
    ///   - now: The time, from 1970-01-01T00:00:00Z.
    func advice(_ path: String, now: Duration) -> [String] {
        var seen: Set<String> = []
        let notices = self.collections.flatMap(\.notices).filter { seen.insert($0).inserted }
        var lines = notices.map { "The server says: \($0)" } + self.failures
        if let next = self.collections.compactMap(\.nextTry).min() {
            lines.append(
                "Nothing is lost. Another try is worthwhile in \(max(next - now, .zero).inWords); --wait does that.")
        } else if self.outcome == .unauthorised {
            lines.append(
                "Nothing is lost. With the right token: tidemark init --store \(ShellWords.quoted(path: path)) --token T"
            )
        }
        if self.outcome == .notFound {
            lines.append(
                "Nothing is lost. With the right URL: tidemark init --store \(ShellWords.quoted(path: path)) --remote URL"
            )
        }
        let conflicts = self.collections.reduce(0) { $0 + $1.conflicts.count }
        if conflicts > 0 {
            lines.append(
                "\(conflicts) to decide: tidemark conflicts --store \(ShellWords.quoted(path: path)), then tidemark resolve"
            )
        }
        let held = self.collections.reduce(0) { $0 + $1.held.count }
        if held > 0 { lines.append("\(held) held: tidemark status --store \(ShellWords.quoted(path: path)) says why") }
        return lines + self.collections.flatMap { $0.adviceAfterWentBack(path) }
    }

    /// Adds what a later round did.
    mutating func add(_ later: SyncReport) {
        for report in later.collections {
            let name = CodePointString(report.collection)
            guard let index = self.collections.firstIndex(where: { CodePointString($0.collection) == name }) else {
                self.collections.append(report)
                continue
            }
            self.collections[index].add(report)
        }
    }
}

extension CollectionReport {
    fileprivate var line: JSONLine {
        var line = JSONLine()
        line.add("pushed", self.pushed)
        line.add("pulled", self.pulled)
        line.add("merged", self.merged)
        line.add("conflicts", self.conflicts)
        line.add("held", self.held)
        line.add("requests", self.requests)
        line.add("watermark", self.watermark)
        if self.watched > 0 { line.add("watched", self.watched) }
        if let lost = self.lostByServer { line.add("lost_by_server", lost) }
        return line
    }

    /// One line for a person.
    var sentence: String {
        var parts = ["sent \(self.pushed.count)", "received \(self.pulled)"]
        if !self.merged.isEmpty { parts.append("merged \(self.merged.count)") }
        if !self.conflicts.isEmpty { parts.append("to decide \(self.conflicts.count)") }
        if !self.held.isEmpty { parts.append("held \(self.held.count)") }
        if let lost = self.lostByServer, lost > 0 { parts.append("lost by the server \(lost)") }
        return "\(self.collection): \(parts.joined(separator: ", ")); \(self.outcome.inWords)"
    }

    /// That the server has lost what it had confirmed, and what can be done.
    fileprivate func adviceAfterWentBack(_ path: String) -> [String] {
        guard let lost = self.lostByServer else { return [] }
        let what = "The server of \(self.collection) went back to an earlier state, as after a restored backup."
        let deletions = "What other devices have deleted since the backup may be back until they sync."
        guard lost > 0 else { return ["\(what) Nothing of what is here was lost by it. \(deletions)"] }
        let restore =
            "tidemark restore --store \(ShellWords.quoted(path: path)) --all \(JournalEntry.Reason.serverWentBack)"
        return [
            "\(what) What it had confirmed is in the journal: \(lost.values). \(deletions) To send that again, from one of the "
                + "devices: \(restore) \(ShellWords.names(self.collection)), then tidemark sync"
        ]
    }

    /// What was done is added up; how things stand is what the later round says.
    fileprivate mutating func add(_ later: CollectionReport) {
        var sum = later
        sum.pushed = Self.union(self.pushed, later.pushed)
        sum.merged = Self.union(self.merged, later.merged)
        sum.notices = Self.union(self.notices, later.notices)
        sum.pulled += self.pulled
        sum.requests += self.requests
        if let lost = self.lostByServer { sum.lostByServer = lost + (later.lostByServer ?? 0) }
        self = sum
    }

    private static func union(_ first: [String], _ second: [String]) -> [String] {
        let known = Set(first.map { CodePointString($0) })
        return first + second.filter { !known.contains(CodePointString($0)) }
    }
}

extension SyncReport.Outcome {
    fileprivate var inWords: String {
        switch self {
        case .inStep: "in step"
        case .held: "something is held"
        case .conflicts: "a conflict waits for you"
        case .unreachable: "the server was not reached, or not understood"
        case .notFound: "wrong URL (404)"
        case .noCollections: "no collection is known"
        case .unauthorised: "not authorised"
        }
    }
}

extension Duration {
    /// In whole seconds, minutes or hours, rounded up.
    var inWords: String {
        let (whole, attoseconds) = self.components
        let seconds = whole + (attoseconds > 0 ? 1 : 0)
        switch seconds {
        case ..<120: return seconds == 1 ? "1 second" : "\(seconds) seconds"
        case ..<7_200: return "\((seconds + 59) / 60) minutes"
        default: return "\((seconds + 3_599) / 3_600) hours"
        }
    }
}
