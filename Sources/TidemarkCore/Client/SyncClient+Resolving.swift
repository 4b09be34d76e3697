import TidemarkJSON
public import TidemarkRules

// Runs a resolver for the open conflicts. It decides nothing: the engine checks each decision.

extension SyncClient {
    /// Runs a resolver for each open conflict of a collection, one after the other, in the order in which the records were
    /// changed.
    ///
    /// An invalid decision is not carried out: it is in the report with its reason, its conflict stays open, and the others
    /// continue.
    ///
    /// - Parameter timeout: How long one decision may take on the client's clock; nil waits indefinitely.
    /// - Throws: ``TidemarkError/Code/cancelled``, and the errors of the store. Earlier decisions are kept.
    public func resolveConflicts(
        in collection: String, with resolver: some ConflictResolver, timeout: Duration? = nil
    ) async throws(TidemarkError) -> ConflictDecision.Report {
        var report = ConflictDecision.Report(collection: collection)
        for conflict in try await self.conflicts(in: collection) {
            guard !Task.isCancelled else { throw Self.cancelled }
            switch await resolver.answer(to: conflict, until: timeout.map { self.time.now + $0 }, self.time) {
            case .decided(let decision): try await self.carryOut(decision, about: conflict, &report)
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
        _ decision: ConflictDecision, about conflict: RecordConflict, _ report: inout ConflictDecision.Report
    ) async throws(TidemarkError) {
        let pk = conflict.pk
        guard CodePointString(decision.pk) == CodePointString(pk),
            CodePointString(decision.collection) == CodePointString(conflict.collection)
        else {
            let other = "“\(decision.pk)” in \(decision.collection)"
            return report.refuse(
                pk, .otherRecord, "The resolver was called for “\(pk)” in \(conflict.collection) and named \(other)."
            )
        }
        let resolution: SyncEngine.Resolution
        do throws(TidemarkError) {
            resolution = try await self.resolve(conflict, decision.verdict)
        } catch {
            switch error.code {
            case .nothingToDecide: return report.refuse(pk, .stale, error.message)
            case .invalidContent, .invalidName, .recordExists, .invalidAnswers:
                return report.refuse(pk, .invalid, error.message)
            default: throw error
            }
        }
        switch (resolution, decision.verdict) {
        case (.stale, _):
            report.refuse(pk, .stale, "“\(pk)” has changed while the resolver decided, so its conflict is still open.")
        case (.settled, .ask): report.asked.append(pk)
        case (.settled, .clashes), (.settled, .takeServer), (.settled, .takeClient), (.settled, .merge),
            (.settled, .keepBoth), (.settled, .fields):
            report.settled.append(pk)
        }
    }
}

/// The end of one call of a resolver.
private enum ResolverAnswer: Sendable {
    case decided(ConflictDecision)
    case threw(String)
    case timedOut
}

extension ConflictResolver {
    /// Returns the first of the resolver's answer and the timeout. The other one is cancelled.
    ///
    /// It uses two unstructured tasks, and not a group: a group ends with the last of its children, so a resolver that never
    /// returns, and ignores its cancellation, would block the app indefinitely. The task of such a resolver is abandoned.
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
