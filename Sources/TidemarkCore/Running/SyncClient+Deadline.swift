import TidemarkJSON
import TidemarkMachine
public import TidemarkRules

// A sync within the time that a system gives an app in the background.

extension SyncClient {
    /// Syncs collections with the server, and ends in time: for the seconds that a system gives an app in the background.
    ///
    /// It waits for back-offs that end before the deadline. At the deadline the running requests are cancelled. No data is
    /// lost: the next sync sends the changes again, in the same bytes (R17).
    ///
    /// ```swift
    /// let report = try await client.sync(within: .seconds(25))
    /// ```
    ///
    /// - Parameters:
    ///   - collections: Which collections; nil for all of ``collectionNames``. Up to four sync at the same time.
    ///   - time: How long the sync may take, by the client's clock.
    /// - Returns: The report. A collection that was cut off has a failure of the class `cancelled`.
    /// - Throws: ``TidemarkError/Code/noRemote``, the errors of the store, and ``TidemarkError/Code/cancelled`` if the task was cancelled.
    public func sync(
        _ collections: [String]? = nil, within time: Duration
    ) async throws(TidemarkError) -> SyncReport {
        try self.requireRemote()
        let (clock, deadline) = (self.time, self.time.now + time)
        let names = try self.engine.graph.parentsFirst(try self.names(collections))
        let limit = RunPlan().collectionsAtOnce
        let ends = await withTaskGroup(of: DeadlineNews.self) { group in
            group.addTask { (try? await clock.sleep(until: deadline)) == nil ? .noTimer : .timeOver }
            var (rest, running) = (names[...], Set<CodePointString>())
            var ends: [CodePointString: Result<CollectionReport, TidemarkError>] = [:]
            while true {
                while running.count < limit, let next = rest.popFirst() {
                    guard running.insert(CodePointString(next)).inserted else { continue }
                    group.addTask { await self.syncWaiting(next, until: deadline) }
                }
                guard !running.isEmpty, let news = await group.next() else { break }
                switch news {
                case .ended(let name, let result):
                    running.remove(CodePointString(name))
                    ends[CodePointString(name)] = ends[CodePointString(name)].joined(with: result)
                    if !group.isCancelled, result.hasSent { rest += self.released(ends, unless: running) }
                case .timeOver:
                    rest = []
                    group.cancelAll()
                case .noTimer: continue
                }
            }
            group.cancelAll()
            return ends
        }
        guard !Task.isCancelled else { throw .cancelled("The sync") }
        var report = SyncReport()
        for name in names { report.collections.append(try Self.report(of: name, ends[CodePointString(name)])) }
        return report
    }

    /// The collections whose sync has ended well, and of which a change has waited for another collection.
    private func released(
        _ ends: [CodePointString: Result<CollectionReport, TidemarkError>], unless running: Set<CodePointString>
    ) -> [String] {
        guard let engine = self.openEngine, !engine.graph.isEmpty else { return [] }
        return ends.keys.sorted().filter { name in
            guard !running.contains(name), case .success(let report) = ends[name], report.mayContinue else {
                return false
            }
            return (try? engine.hasSomethingToSend(in: name.value)) == true
        }.map(\.value)
    }

    /// Syncs a collection, and syncs again after each back-off that ends before the deadline.
    private func syncWaiting(_ name: String, until deadline: Duration) async -> DeadlineNews {
        do throws(TidemarkError) {
            while true {
                let report = try await self.sync(name)
                guard let next = report.nextTry, next < deadline, (try? await self.time.sleep(until: next)) != nil
                else { return .ended(name, .success(report)) }
            }
        } catch {
            return .ended(name, .failure(error))
        }
    }

    private static func report(
        of name: String, _ end: Result<CollectionReport, TidemarkError>?
    ) throws(TidemarkError) -> CollectionReport {
        do throws(TidemarkError) {
            if let end { return try end.get() }
        } catch {
            guard error.code == .cancelled else { throw error }
        }
        var report = CollectionReport(collection: name)
        report.outcome = .unreachable
        report.failure = RemoteFailure(
            .cancelled, "The time limit ended before \(name) was in sync; the next sync continues.")
        return report
    }
}

/// An event of a sync with a deadline.
private enum DeadlineNews: Sendable {
    case ended(String, Result<CollectionReport, TidemarkError>)
    case timeOver

    /// The wait for the deadline was cancelled.
    case noTimer
}

extension Result<CollectionReport, TidemarkError> {
    fileprivate var hasSent: Bool {
        guard case .success(let report) = self else { return false }
        return !report.pushed.isEmpty
    }
}

extension Result<CollectionReport, TidemarkError>? {
    /// The result of two syncs of a collection.
    fileprivate func joined(
        with later: Result<CollectionReport, TidemarkError>
    ) -> Result<CollectionReport, TidemarkError> {
        guard case .success(var sum) = self, case .success(let report) = later else { return later }
        sum.add(report)
        return .success(sum)
    }
}
