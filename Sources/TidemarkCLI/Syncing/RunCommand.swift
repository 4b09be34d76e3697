import Tidemark

/// `tidemark run`: syncs every collection continuously.
enum RunCommand: Command {
    static let name = "run"
    static let summary = "sync continuously until Ctrl-C, also collections that you name"
    static let parameters = [Parameter.repeated("COLLECTION", .collection)]
    static let options = [
        Option.store, Option(name: "--json", summary: "print each change of status as one JSON object"),
    ]
    static let example = "tidemark run --store phone.db"

    static func run(_ input: Arguments, _ console: Console) async throws -> ExitStatus {
        let store = try await OpenStore(input, asks: false)
        guard store.settings.remote != nil else {
            throw CommandFailure(
                "\(store.path) has no server yet. Run: tidemark init --store \(ShellWords.quoted(path: store.path)) --remote URL"
            )
        }
        // A collection that is named is synced from now on.
        for name in input.positions { _ = try await store.collection(name).status }
        guard try await !store.client.collectionNames.isEmpty else {
            throw CommandFailure(
                """
                This store has no collection yet. Name one of the server: tidemark sync --store \
                \(ShellWords.quoted(path: store.path)) COLLECTION; or create a record: tidemark create --store \
                \(ShellWords.quoted(path: store.path)) COLLECTION PK JSON
                """)
        }
        let isJSON = input.has(Option.json)
        // From here on a signal shuts the command down cleanly.
        let signals = StopSignals(hangUp: .stops)
        let lines = RunLines(time: SystemTime())
        let outcome = try await Self.follow(store.client, until: signals) { status, last in
            guard isJSON else { return lines.after(status).forEach(console.sayWrapped) }
            guard status.isNews(after: last) else { return }
            try console.print(bytes: status.line.bytes)
            try console.flush()
        }
        await store.client.close()
        // Without an outcome the command was stopped before the end of the first sync, and its state is unknown.
        return ExitStatus(outcome ?? .unreachable)
    }

    /// Runs a client until a signal comes.
    ///
    /// - Parameter show: Is called with each status that has a sentence, and the previous status.
    /// - Returns: How the last syncs ended.
    private static func follow(
        _ client: SyncClient, until signals: StopSignals,
        show: @escaping @Sendable (SyncStatus, _ last: SyncStatus?) throws -> Void
    ) async throws -> SyncReport.Outcome? {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await signals.first() }
            group.addTask { try await client.run() }
            group.addTask {
                var last: SyncStatus?
                for try await status in client.statuses where status.sentence != nil {
                    try show(status, last)
                    last = status
                }
            }
            try await group.next()
            // A sync that is in progress has no outcome.
            let outcome = try await client.status.outcome
            group.cancelAll()
            try await group.waitForAll()
            return outcome
        }
    }
}
