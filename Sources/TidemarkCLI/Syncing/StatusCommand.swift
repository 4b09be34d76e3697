import Tidemark
import TidemarkSQLite

/// `tidemark status`: prints the sync status of each collection.
enum StatusCommand: Command {
    static let name = "status"
    static let summary = "print the sync status of each collection"
    static let options = [Option.store, Option.json]
    static let example = "tidemark status --store phone.db"

    static func run(_ input: Arguments, _ console: Console) async throws -> ExitStatus {
        let store = try await OpenStore(reading: input, console)
        let isJSON = input.has(Option.json)
        if !isJSON {
            try console.print(store.settings.remote.map { "syncs with \($0)" } ?? "no server yet: tidemark init")
            for line in store.client.guarantees.lines { try console.print(line) }
        }
        if store.copyTime != nil, let holder = StoreTurns.holder(of: store.path) {
            if isJSON { try console.print(bytes: holder.line.bytes) } else { try console.print(holder.text) }
        }
        for collection in try await store.collections(nil) {
            let (status, waiting) = (try await collection.status, try await collection.waiting)
            if isJSON {
                try console.print(bytes: status.line(waiting).bytes)
            } else {
                for line in status.lines(of: store.path, waiting) { try console.print(line) }
            }
        }
        return .success
    }
}

extension SyncClient.Holder {
    /// `{"holder":{"process","program","since"}}`, with the time since 1970-01-01T00:00:00Z in seconds.
    fileprivate var line: JSONLine {
        var holder = JSONLine()
        holder.add("process", Int(self.process))
        holder.add("program", self.program)
        holder.add("since", self.since.map { JSON.number(JSONNumber(Int($0.components.seconds))) })
        var line = JSONLine()
        line.add("holder", holder)
        return line
    }

    fileprivate var text: String {
        let since = self.since.map { ", since \(ClockTime($0))" } ?? ""
        return "open in \(self.program ?? "another program") (process \(self.process))\(since)"
    }
}

extension SyncStatus.Collection {
    /// `{"collection","counts":{"SYNCD",…},"conflicts":[pk…],"held":[{"pk","reason"}],"cursor"}`; if a server was
    /// rolled back, also `"lost_by_server"`; if changes wait for other records, also `"waiting":[{"pk","for"}]`.
    fileprivate func line(_ waiting: [CollectionReport.Waiting]) -> JSONLine {
        var counts = JSONLine()
        for state in SyncState.allCases { counts.add(state.rawValue, self.counts[state, default: 0]) }
        let held = self.held.map { item -> JSON in
            ["pk": .string(JSONString(item.pk)), "reason": .string(JSONString(item.reason))]
        }
        var line = JSONLine()
        line.add("collection", self.collection)
        line.add("counts", counts)
        line.add("conflicts", self.conflicts)
        line.add("held", JSON.array(held))
        line.add("cursor", self.cursor)
        if self.lostByServer > 0 { line.add("lost_by_server", self.lostByServer) }
        let named = waiting.map { item -> JSON in
            ["pk": .string(JSONString(item.pk)), "for": .string(JSONString("\(item.collection)/\(item.awaited)"))]
        }
        if !named.isEmpty { line.add("waiting", JSON.array(named)) }
        return line
    }

    /// How many changes that wait for another record are shown.
    private static let waitingLines = 10

    /// The lines for the user.
    fileprivate func lines(of path: String, _ waiting: [CollectionReport.Waiting]) -> [String] {
        let counts = SyncState.allCases.compactMap { state -> String? in
            let count = self.counts[state, default: 0]
            return count == 0 ? nil : "\(count) \(state.rawValue) (\(state.inWords))"
        }
        let rest = self.lastInSync == nil ? "not synced yet" : "in sync"
        let state = self.isInSync ? rest : counts.joined(separator: ", ")
        let head =
            "\(self.collection): \(self.isInSync && !counts.isEmpty ? "\(counts.joined(separator: ", ")), \(state)" : state)"
        return [head] + self.conflicts.map { "  \($0) waits for a decision" }
            + self.held.map { "  \($0.pk) is held: \($0.reason)" }
            + waiting.prefix(Self.waitingLines).map { "  \($0.pk) waits for \($0.collection)/\($0.awaited)" }
            + (waiting.count > Self.waitingLines ? ["  more changes wait for other records"] : [])
            + self.linesOfLosses(path)
    }

    /// The values that a server has lost, and the command that restores them.
    private func linesOfLosses(_ path: String) -> [String] {
        guard self.lostByServer > 0 else { return [] }
        return [
            "  the server was rolled back to an earlier state and lost \(self.lostByServer.values), now in the journal:",
            "    tidemark restore --store \(ShellWords.quoted(path: path)) --all \(JournalEntry.Reason.serverRolledBack) \(ShellWords.names(self.collection))",
        ]
    }
}

extension SyncState {
    /// The meaning for the user.
    var inWords: String {
        switch self {
        case .synced: "as on the server"
        case .edited: "changed here"
        case .created: "created here"
        case .deleted: "deleted here"
        }
    }
}

extension Int {
    /// `1 value`, `2 values`.
    var values: String { self == 1 ? "1 value" : "\(self) values" }
}
