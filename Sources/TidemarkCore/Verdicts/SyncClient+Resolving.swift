import TidemarkJSON
public import TidemarkRules

// Runs a resolver over the open conflicts. It decides nothing: what a decision is worth, the engine says.

extension SyncClient {
    /// Lets a resolver decide the open conflicts of a collection, one after the other, in the order in which the records
    /// were changed.
    ///
    /// A decision that is wrong is not carried out: it is in the report with its reason, its conflict stays open, and the
    /// others go on.
    ///
    /// - Parameter timeout: How long one decision may take on the client's clock; nil waits for ever.
    /// - Throws: ``TidemarkError/Code/cancelled``, and what the store throws. What was decided before stays decided.
    public func resolveConflicts(
        in collection: String, with resolver: some ConflictResolver, timeout: Duration? = nil
    ) async throws(TidemarkError) -> ResolutionReport {
        var report = ResolutionReport(collection: collection)
        for conflict in try self.conflicts(in: collection) {
            guard !Task.isCancelled else { throw Self.cancelled }
            switch await resolver.answer(to: conflict, until: timeout.map { self.time.now + $0 }, self.time) {
            case .decided(let decision): try self.carryOut(decision, about: conflict, &report)
            case .threw(let message): report.refuse(conflict.pk, .threw, "The resolver failed: \(message)")
            case .timedOut:
                report.refuse(conflict.pk, .timedOut, "The resolver did not decide within \(timeout ?? .zero).")
            }
        }
        guard !Task.isCancelled else { throw Self.cancelled }
        return report
    }

    private static var cancelled: TidemarkError { .cancelled("The deciding of conflicts") }

    private func carryOut(
        _ decision: ConflictDecision, about conflict: RecordConflict, _ report: inout ResolutionReport
    ) throws(TidemarkError) {
        let pk = conflict.pk
        guard CodePointString(decision.pk) == CodePointString(pk),
            CodePointString(decision.collection) == CodePointString(conflict.collection)
        else {
            let other = "“\(decision.pk)” in \(decision.collection)"
            return report.refuse(
                pk, .otherRecord, "The resolver was asked about “\(pk)” in \(conflict.collection) and named \(other)."
            )
        }
        let resolution: SyncEngine.Resolution
        do throws(TidemarkError) {
            resolution = try self.resolve(conflict, decision.verdict)
        } catch {
            switch error.code {
            case .nothingToDecide: return report.refuse(pk, .stale, error.message)
            case .invalidContent, .invalidName, .recordExists: return report.refuse(pk, .invalid, error.message)
            default: throw error
            }
        }
        switch (resolution, decision.verdict) {
        case (.stale, _):
            report.refuse(pk, .stale, "“\(pk)” has changed while the resolver decided, so it is asked about anew.")
        case (.settled, .ask): report.asked.append(pk)
        case (.settled, .clashes), (.settled, .takeServer), (.settled, .takeClient), (.settled, .merge),
            (.settled, .keepBoth):
            report.settled.append(pk)
        }
    }
}

/// How one question to a resolver ended.
private enum ResolverAnswer: Sendable {
    case decided(ConflictDecision)
    case threw(String)
    case timedOut
}

extension ConflictResolver {
    /// The first of both: an answer, or the time being over. The other is cancelled.
    ///
    /// Two tasks of their own, and not a group: a group ends with the last of its children, so a resolver that never
    /// returns, and does not heed that it was cancelled, would hold the app for ever. Such a one is left behind.
    fileprivate func answer(
        to conflict: RecordConflict, until end: Duration?, _ time: any TimeSource
    ) async -> ResolverAnswer {
        let (answers, continuation) = AsyncStream.makeStream(of: ResolverAnswer.self)
        let asking = Task {
            do {
                continuation.yield(.decided(try await self.resolve(conflict)))
            } catch {
                continuation.yield(.threw("\(error)"))
            }
        }
        let waiting = Task {
            guard let end, (try? await time.sleep(until: end)) != nil else { return }
            continuation.yield(.timedOut)
        }
        defer {
            asking.cancel()
            waiting.cancel()
        }
        for await answer in answers { return answer }
        return .timedOut
    }
}
