import Synchronization
package import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules

/// The data of a client of this process.
package final class ClientSource: InspectorSource {
    private let client: SyncClient
    private let title: String
    private let trouble: TroubleRemote?
    private let changes: ChangeCounter
    private let nextRead = Mutex(ContinuousClock.now)

    package init(_ client: SyncClient, title: String = "app", _ trouble: TroubleRemote? = nil) {
        self.client = client
        self.title = title
        self.trouble = trouble
        self.changes = ChangeCounter(client)
    }

    /// The contents of a record are read when it is selected.
    private static let limits: InspectorLimits = {
        var limits = InspectorLimits()
        limits.records = 0
        return limits
    }()

    package func data(since revision: String?) async throws -> (bytes: [UInt8], revision: String)? {
        // Before the data: a change meanwhile is read again.
        let now = "\(self.changes.count).\(self.trouble?.changeCount ?? 0)"
        let begin = ContinuousClock.now
        guard now != revision, revision == nil || self.nextRead.withLock({ $0 <= begin }) else { return nil }
        let source = InspectorData.Source(title: self.title, origin: "live", revision: now, trouble: self.trouble)
        let data = try await InspectorData.read(
            self.client, from: source, now: self.client.time.now, limits: Self.limits)
        if data.count > InspectorLimits.smallSize {
            self.nextRead.withLock { $0 = .now + (.now - begin) * InspectorLimits.restFactor }
        }
        return (data, now)
    }

    package func record(_ pk: String, in collection: String) async throws -> [UInt8]? {
        try await InspectorData.record(pk, of: self.client[collection], allowsActions: true)
    }

    package func act(_ action: InspectorAction) async throws -> String {
        // A user who acts wants to see the effect at once.
        defer { self.nextRead.withLock { $0 = .now } }
        return try await self.carryOut(action)
    }

    private func carryOut(_ action: InspectorAction) async throws -> String {
        switch action {
        case .retry(let shown): return try await self.act(.retry, shown, "It is sent again.")
        case .resign(let shown): return try await self.act(.resign, shown, "The local change is discarded.")
        case .restore(let shown, let entry): return try await self.act(.restore(entry), shown, "It is restored.")
        case .resolve(let shown, let answers): return try await self.resolve(shown, answers)
        case .keepBoth(let shown):
            return try await self.resolve(shown) { _ in .keepBoth(newPK: nil) }
        case .resume:
            try await self.client.resume()
            return "The next sync sends requests again."
        case .offline(let isOn):
            try self.requireTrouble().isOffline = isOn
            return isOn ? "Requests fail now, as without a network." : "Requests are sent again."
        case .hold(let isOn):
            try self.requireTrouble().isHolding = isOn
            return isOn ? "Requests wait now." : "Requests are sent again."
        case .deliver:
            try self.requireTrouble().deliver()
            return "The requests that waited are sent."
        case .loseNextAnswer:
            try self.requireTrouble().loseNextAnswer()
            return "The next answer will be lost."
        }
    }

    private func requireTrouble() throws(InspectorRefusal) -> TroubleRemote {
        guard let trouble else { throw InspectorRefusal("The app's inspector has no TroubleRemote.") }
        return trouble
    }

    private func act(
        _ action: SyncClient.ShownAction, _ shown: InspectorAction.Shown, _ done: String
    ) async throws(TidemarkError) -> String {
        try await self.client.act(action, on: shown.pk, in: shown.collection, ifStill: shown.digest)
        return done
    }

    private func resolve(
        _ shown: InspectorAction.Shown, _ answers: [JSONPointer: InspectorAction.Answer]
    ) async throws -> String {
        try await self.resolve(shown) { (conflict) throws(TidemarkError) in
            var choices = RecordConflict.Choices(conflict)
            for (path, answer) in answers.sorted(by: { $0.key.text < $1.key.text }) {
                switch answer {
                case .server: try choices.set(.server, for: path)
                case .client: try choices.set(.client, for: path)
                case .value(let value): try choices.set(.value(value), for: path)
                }
            }
            guard let verdict = choices.verdict else {
                throw TidemarkError(.invalidAnswers, "Each field of the conflict needs an answer.")
            }
            return verdict
        }
    }

    /// Resolves the conflict that was shown. The conflict is read first, and then its record is compared with the one that was shown; a
    /// later change is refused when the conflict is resolved (R22).
    private func resolve(
        _ shown: InspectorAction.Shown, _ verdict: @Sendable (RecordConflict) throws(TidemarkError) -> Verdict
    ) async throws -> String {
        let open = try await self.client[shown.collection].conflicts
        guard let conflict = open.first(where: { CodePointString($0.conflict.pk) == CodePointString(shown.pk) }),
            try await self.client.digest(of: shown.pk, in: shown.collection) == shown.digest
        else {
            throw InspectorRefusal("The conflict has changed since it was shown. Read it again, and decide again.")
        }
        try await conflict.resolve(try verdict(conflict.conflict))
        return "It is decided."
    }
}
