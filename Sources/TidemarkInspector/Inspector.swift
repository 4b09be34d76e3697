import Synchronization
public import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules

/// Shows a client of this process as a live page, in a debug build of an app.
///
/// ```swift
/// #if DEBUG
///     let inspector = try Inspector(client, trouble: remote)
///     print(inspector.makeLink())         // http://127.0.0.1:51234/#…: open it within a minute, once
/// #endif
/// ```
///
/// It listens on 127.0.0.1 alone, until it is deinitialized. Each other program of the device can reach that address; the token, which
/// the page gets for the code in the link, is what keeps it out. So make an inspector only in builds for developers. The page shows
/// all records; its buttons retry, discard, restore and decide, each only if the record is still as the page shows it.
public final class Inspector: Sendable {
    private let responder: LoopbackResponder
    private let service: InspectorService

    /// Listens.
    ///
    /// - Parameters:
    ///   - client: The client. With a ``SyncConfiguration/traceLimit`` the page has a timeline.
    ///   - title: The heading of the page.
    ///   - trouble: The client's remote, for buttons that make trouble; nil for none.
    ///   - port: The port; 0 for a free one.
    /// - Throws: An error whose description says why the port can't be listened on.
    public init(_ client: SyncClient, title: String = "app", trouble: TroubleRemote? = nil, port: UInt16 = 0) throws {
        let source = ClientSource(client, title: title, trouble)
        (self.responder, self.service) = try Self.listen(source, port: port)
    }

    /// The data and buttons of a client, for a test: each change is read at once.
    package static func source(of client: SyncClient, _ trouble: TroubleRemote? = nil) -> some InspectorSource {
        ClientSource(client, title: "app", trouble, restFactor: 0)
    }

    package init(_ source: some InspectorSource, port: UInt16 = 0) throws {
        (self.responder, self.service) = try Self.listen(source, port: port)
    }

    private static func listen(
        _ source: some InspectorSource, port: UInt16
    ) throws -> (LoopbackResponder, InspectorService) {
        let box = Mutex<InspectorService?>(nil)
        let responder = try LoopbackResponder(port: port) { port in
            let service = InspectorService(source, port: port)
            box.withLock { $0 = service }
            return { await service.answer($0) }
        }
        guard let service = box.withLock(\.self) else { preconditionFailure("a responder made no handler") }
        return (responder, service)
    }

    deinit { self.responder.stop() }

    /// The port on 127.0.0.1.
    public var port: UInt16 { self.responder.port }

    /// A link to the page that can be opened once, within a minute. The link before it is not valid any more; a page that is open
    /// stays open.
    public func makeLink() -> String { self.service.makeLink() }
}

/// The data of a client of this process.
final class ClientSource: InspectorSource {
    private let client: SyncClient
    private let title: String
    private let trouble: TroubleRemote?
    private let changes: ChangeCounter
    private let nextRead = Mutex(ContinuousClock.now)

    private let restFactor: Int

    /// How much longer the time between two readings is than a reading takes, so that a large store costs the app little.
    static let restFactor = 20

    init(_ client: SyncClient, title: String, _ trouble: TroubleRemote?, restFactor: Int = ClientSource.restFactor) {
        self.restFactor = restFactor
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

    func data(since revision: String?) async throws -> (bytes: [UInt8], revision: String)? {
        // Before the data: a change meanwhile is read again.
        let now = "\(self.changes.count).\(self.trouble?.changeCount ?? 0)"
        let begin = ContinuousClock.now
        guard now != revision, revision == nil || self.nextRead.withLock({ $0 <= begin }) else { return nil }
        let source = InspectorData.Source(title: self.title, note: "live", revision: now, trouble: self.trouble)
        let data = try await InspectorData.read(
            self.client, from: source, now: self.client.time.now, limits: Self.limits)
        self.nextRead.withLock { $0 = .now + (.now - begin) * self.restFactor }
        return (data, now)
    }

    func record(_ pk: String, in collection: String) async throws -> [UInt8]? {
        try await InspectorData.record(pk, of: self.client[collection], allowsActions: true)
    }

    func act(_ action: InspectorAction) async throws -> String {
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
        case .sync(let collection):
            // It can take as long as requests are held, and the page shows how it ends.
            Task { [client] in try await client.sync([collection]) }
            return "A sync has begun."
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
            return "The answer to the next request will be lost."
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

    /// Answers the question that was shown: the conflict is read after its record was compared with what was shown, and R22 compares it
    /// again when it is decided.
    private func resolve(
        _ shown: InspectorAction.Shown, _ verdict: @Sendable (RecordConflict) throws(TidemarkError) -> Verdict
    ) async throws -> String {
        let open = try await self.client[shown.collection].conflicts
        guard let conflict = open.first(where: { CodePointString($0.conflict.pk) == CodePointString(shown.pk) }),
            try await self.client.digest(of: shown.pk, in: shown.collection) == shown.digest
        else {
            throw InspectorRefusal("The conflict has changed since it was shown. Look at it again, and decide anew.")
        }
        try await conflict.resolve(try verdict(conflict.conflict))
        return "It is decided."
    }
}
