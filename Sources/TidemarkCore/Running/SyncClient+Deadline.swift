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
    /// - Throws: The errors of the store, and ``TidemarkError/Code/cancelled`` if the task was cancelled.
    public func sync(
        _ collections: [String]? = nil, within time: Duration
    ) async throws(TidemarkError) -> SyncReport {
        let names = try self.names(collections)
        let limit = RunPlan().collectionsAtOnce
        let (clock, deadline) = (self.time, self.time.now + time)
        let ends = await withTaskGroup(of: DeadlineNews.self) { group in
            group.addTask { (try? await clock.sleep(until: deadline)) == nil ? .noTimer : .timeOver }
            var rest = names[...]
            for name in rest.prefix(limit) {
                group.addTask { await self.syncWaiting(name, until: deadline) }
            }
            rest = rest.dropFirst(limit)
            var ends: [CodePointString: Result<CollectionReport, TidemarkError>] = [:]
            while ends.count < Set(names.map { CodePointString($0) }).count, let news = await group.next() {
                switch news {
                case .ended(let name, let result):
                    ends[CodePointString(name)] = result
                    if let next = rest.popFirst() {
                        group.addTask { await self.syncWaiting(next, until: deadline) }
                    }
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
