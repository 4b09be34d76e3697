public import TidemarkCore
import TidemarkMachine
import TidemarkRules

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
    /// A record that is held, or that waits for a decision of the user or for another record, counts as settled. Changes of other devices that this
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
                for record in records where record.phase.isToBeSent {
                    // One that waits for a record which is to be sent is not alone.
                    let reason = try await self[collection.collection][record.pk].explain().reason
                    guard reason != .waiting else { continue }
                    unsettled.append("“\(record.pk)” in \(record.collection) is \(record.phase)")
                }
                last = records.last?.pk
            } while last != nil
        }
        return unsettled
    }
}

extension TestDeadlineError {
    /// The default limit of syncs of `settled(advancing:)`: far more than clients need behind a network that loses half of its messages.
    public static let usualSyncs = 1_000
}

extension SyncClient {
    /// Syncs until no record has to be sent and no sync has to be tried again, and moves the clock to the time of each next try.
    ///
    /// ```swift
    /// let network = PausedNetwork(InProcessRemote(server))
    /// let client = try SyncClient(
    ///     store: MemoryStore(), remote: network, configuration: SyncConfiguration(), time: server.clock, seed: 1)
    /// async let _ = network.deliverAll(losing: 0.25, doubling: 0.25, seed: 1)
    /// try await client["notes"].create(["title": "Milk"], pk: "42")
    /// try await client.settled(advancing: server.clock)
    /// #expect(try await client["notes"]["42"].snapshot()?.phase == .synced)
    /// ```
    ///
    /// A record that is held, or that waits for a decision of the user, counts as settled, as in `settled(within:)`. At the end the
    /// client has read the changes of other devices, too. While the client runs, the clock also moves to the times for which its run
    /// loop waits. A closed client is settled.
    ///
    /// - Parameters:
    ///   - clock: The clock of the client; nothing else should need it to stand still.
    ///   - syncs: The maximum number of syncs of all collections.
    ///   - limit: How long to wait, by the real clock, for example for a request that no test delivers.
    /// - Throws: ``TestDeadlineError`` after that number or time, which names the unsettled records, and the failures of the last sync;
    ///   `CancellationError`; and errors of the store.
    public func settled(
        advancing clock: ManualClock, syncs: Int = TestDeadlineError.usualSyncs,
        within limit: Duration = TestDeadlineError.usualLimit
    ) async throws {
        guard self.time as? ManualClock === clock else {
            throw TestDeadlineError(
                description: "The client has another clock than the one to move: make it with that clock as its time.")
        }
        try await withDeadline(limit, for: "The client was not settled", seen: self.describeUnsettled) {
            var last = SyncReport()
            for _ in 0..<syncs {
                do throws(TidemarkError) {
                    last = try await self.sync()
                } catch {
                    guard error.code == .clientClosed else { throw error }
                    return ()
                }
                let isOver = last.collections.allSatisfy { $0.nextTry == nil && $0.failure == nil }
                if isOver, try await self.unsettled(try await self.status).isEmpty { return () }
                Self.advance(clock, to: last)
            }
            throw TestDeadlineError(
                description: """
                    The client was not settled after \(syncs) syncs. \(Self.describe(last))\(await self.describeUnsettled())
                    """)
        }
    }

    /// Moves a clock to the next time for which a collection or the run loop waits.
    private static func advance(_ clock: ManualClock, to report: SyncReport) {
        let now = clock.now
        let times = report.collections.compactMap(\.nextTry) + clock.sleepers
        if let next = times.filter({ $0 > now }).min() { clock.set(to: next) }
    }

    /// The failures of a sync, for a message.
    private static func describe(_ report: SyncReport) -> String {
        let failures = report.collections.compactMap { part in
            part.failure.map { "“\(part.collection)”: \($0.message)" }
        }
        return failures.isEmpty ? "" : "Failures of the last sync: \(failures.joined(separator: " ")) "
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
