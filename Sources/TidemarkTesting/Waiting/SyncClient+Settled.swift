public import TidemarkCore
import TidemarkMachine

extension SyncClient {
    /// Waits until no sync is in progress and no record has to be sent, by `sync()` or by `run()`.
    ///
    /// ```swift
    /// let network = PausedNetwork(InProcessRemote(server))
    /// let client = try SyncClient(store: MemoryStore(), remote: network)
    /// async let _ = network.deliverAll()
    /// try await client["notes"].create(["title": "Milk"], pk: "42")
    /// Task { try await client.sync() }
    /// try await client.settled()
    /// #expect(try await client["notes"]["42"].snapshot()?.phase == .synced)
    /// ```
    ///
    /// A record that is held, or that waits for a decision of the user, counts as settled. Changes of other devices that this
    /// client has not read yet do not matter. A closed client is settled.
    ///
    /// - Parameter limit: How long to wait, by the real clock.
    /// - Throws: ``TestDeadlineError`` after that time, which names the unsettled records; `CancellationError`; and errors of
    ///   the store.
    public func settled(within limit: Duration = TestDeadlineError.usualLimit) async throws {
        try await withDeadline(limit, for: "The client was not settled", seen: self.describeUnsettled) {
            for try await status in self.statuses {
                if try await self.unsettled(status).isEmpty { return }
            }
            // A cancelled task also sees the end of the statuses.
            return Task.isCancelled ? nil : ()
        }
    }

    private nonisolated func describeUnsettled() async -> String {
        do {
            let unsettled = try await self.unsettled(try await self.status)
            return unsettled.isEmpty ? "It is settled now." : "Unsettled: \(unsettled.joined(separator: "; "))."
        } catch {
            return "Its status can't be read: \(error)."
        }
    }

    /// The unsettled parts, for a message.
    private nonisolated func unsettled(_ status: SyncStatus) async throws -> [String] {
        var unsettled = status.progress.collections.filter { !$0.isOver }.map { "“\($0.collection)” syncs" }
        for run in status.run?.collections ?? [] where [.due, .syncing, .waiting].contains(run.phase) {
            unsettled.append("run() has “\(run.collection)” \(run.phase)")
        }
        for collection in status.collections {
            var last: String?
            repeat {
                let records = try await self[collection.collection].list(
                    states: [.edited, .created, .deleted], after: last)
                unsettled += records.filter(\.phase.isToBeSent).map { "“\($0.pk)” in \($0.collection) is \($0.phase)" }
                last = records.last?.pk
            } while last != nil
        }
        return unsettled
    }
}

extension RecordPhase {
    /// Whether a sync sends the record, without a decision or an edit of the app.
    fileprivate var isToBeSent: Bool {
        switch self {
        case .absent, .synced: false
        case .edited(let activity), .created(let activity), .deleted(let activity):
            switch activity {
            case .idle, .uploading, .unconfirmed: true
            case .deciding, .held: false
            }
        }
    }
}
