import Tidemark

// The report of a sync, as JSON for programs and as text for the user.

extension SyncReport {
    /// `{"outcome","collections":{"notes":{"pushed","pulled","merged","conflicts","held","requests","cursor"}}}`; if
    /// the server was rolled back to an earlier state, also `"lost_by_server"`.
    ///
    /// - Parameter unknown: The collections that are neither in the store nor on the server. They are listed in `"unknown"`;
    ///   if all others are in sync, the outcome is `"unknown_collection"`, since the exit status is 1.
    func line(unknown: [String]) -> JSONLine {
        var collections = JSONLine()
        for report in self.collections { collections.add(report.collection, report.line) }
        var line = JSONLine()
        let isOnlyUnknown = [.inSync, .noCollections].contains(self.outcome) && !unknown.isEmpty
        line.add("outcome", isOnlyUnknown ? "unknown_collection" : self.outcome.rawValue)
        line.add("collections", collections)
        if !unknown.isEmpty { line.add("unknown", unknown) }
        return line
    }

    /// The messages of failures, each once.
    var failures: [String] {
        var seen: Set<String> = []
        return self.collections.compactMap(\.failure?.message).filter { seen.insert($0).inserted }
    }

    /// The advice for the user.
    ///
    /// - Parameters:
    ///   - path: The store.
    ///   - now: The time, from 1970-01-01T00:00:00Z.
    func advice(_ path: String, now: Duration) -> [String] {
        var seen: Set<String> = []
        let notices = self.collections.flatMap(\.notices).filter { seen.insert($0).inserted }
        var lines = notices.map { "The server reports: \($0)" } + self.failures
        if let next = self.collections.compactMap(\.nextTry).min() {
            lines.append(
                "No data is lost. Retry in \(max(next - now, .zero).inWords), or use --wait.")
        } else if self.outcome == .unauthorized {
            lines.append(
                "No data is lost. Set the right token: tidemark init --store \(ShellWords.quoted(path: path)) --token T"
            )
        }
        if self.outcome == .notFound {
            lines.append(
                "No data is lost. Set the right URL: tidemark init --store \(ShellWords.quoted(path: path)) --remote URL"
            )
        }
        let conflicts = self.collections.reduce(0) { $0 + $1.conflicts.count }
        if conflicts > 0 {
            lines.append(
                "\(conflicts == 1 ? "1 conflict" : "\(conflicts) conflicts") to decide: tidemark conflicts --store \(ShellWords.quoted(path: path)), then tidemark resolve"
            )
        }
        let held = self.collections.reduce(0) { $0 + $1.held.count }
        if held > 0 {
            lines.append("\(held) held; for the reason: tidemark status --store \(ShellWords.quoted(path: path))")
        }
        lines += self.collections.compactMap { $0.adviceAboutWaiting(path) }
        return lines + self.collections.flatMap { $0.adviceAfterRollback(path) }
    }

    /// Adds the report of a later round.
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
        line.add("cursor", self.cursor)
        if !self.waiting.isEmpty { line.add("waiting", self.waiting.map(\.pk)) }
        if self.watched > 0 { line.add("watched", self.watched) }
        if let lost = self.lostByServer { line.add("lost_by_server", lost) }
        return line
    }

    /// The line for the user.
    var sentence: String {
        var parts = ["sent \(self.pushed.count)", "received \(self.pulled)"]
        if !self.merged.isEmpty { parts.append("merged \(self.merged.count)") }
        if !self.conflicts.isEmpty { parts.append("conflicts \(self.conflicts.count)") }
        if !self.held.isEmpty { parts.append("held \(self.held.count)") }
        if !self.waiting.isEmpty { parts.append("waiting \(self.waiting.count)") }
        if let lost = self.lostByServer, lost > 0 { parts.append("lost by the server \(lost)") }
        return "\(self.collection): \(parts.joined(separator: ", ")); \(self.outcome.inWords)"
    }

    /// The message that changes wait for other records, and the command that explains the first.
    fileprivate func adviceAboutWaiting(_ path: String) -> String? {
        guard let first = self.waiting.first else { return nil }
        let count = self.waiting.count
        let more = count == Self.waitingLimit ? " or more" : ""
        let what =
            count == 1
            ? "1 change of \(self.collection) waits for another record"
            : "\(count)\(more) changes of \(self.collection) wait for other records, the first for this one"
        let names = ShellWords.names(self.collection, first.pk)
        let command = "tidemark explain --store \(ShellWords.quoted(path: path)) \(names)"
        return "\(what): \(first.collection)/\(first.awaited). For the reason: \(command)"
    }

    /// The message that a rolled-back server has lost confirmed values, and the command that restores them.
    fileprivate func adviceAfterRollback(_ path: String) -> [String] {
        guard let lost = self.lostByServer else { return [] }
        let what = "The server of \(self.collection) was rolled back to an earlier state, as after a restored backup."
        let deletions = "Records that other devices deleted after the backup can reappear until those devices sync."
        guard lost > 0 else { return ["\(what) It lost no value that this store has. \(deletions)"] }
        let restore =
            "tidemark restore --store \(ShellWords.quoted(path: path)) --all \(JournalEntry.Reason.serverRolledBack)"
        return [
            "\(what) It lost \(lost.values) that it had confirmed; the journal has them. \(deletions) To send them again, on one "
                + "of the devices: \(restore) \(ShellWords.names(self.collection)), then tidemark sync"
        ]
    }
}

extension SyncReport.Outcome {
    fileprivate var inWords: String {
        switch self {
        case .inSync: "in sync"
        case .held: "a record is held"
        case .waiting: "a change waits for another record"
        case .conflicts: "a conflict waits for your decision"
        case .unreachable: "the server could not be reached, or its answer was invalid"
        case .notFound: "wrong URL (404)"
        case .noCollections: "no collection"
        case .unauthorized: "the server rejected the token, or another account answered"
        }
    }
}
