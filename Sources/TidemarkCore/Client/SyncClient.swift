public import TidemarkJSON
import TidemarkMachine
public import TidemarkRules

/// Keeps JSON records on a device in sync with a server, field by field.
///
/// The actor owns a `SyncEngine` and carries out the effects that the engine returns; it decides nothing. An edit does not fail
/// offline: it is durable when it returns, and is sent when there is a network. The actor has its own executor, so that a commit
/// blocks no thread of Swift's pool.
///
/// ```swift
/// let client = try await SyncClient.open(store: .sqlite(at: path), remote: .http(url, token: token))
/// let notes = client["notes"]                     // or client.collection("notes", of: Note.self)
/// try await notes.create(["title": "Milk"], pk: "42")
/// try await notes["42"].edit { $0.title = "Oat milk" }
/// let report = try await client.sync()
/// ```
public actor SyncClient {
    private let executor = ClientExecutor()

    /// The client's own executor, because a commit waits for the disk.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { self.executor.asUnownedSerialExecutor() }

    /// The client's turn with its store.
    var turn = TurnMachine(now: .zero)

    /// Nil while the client does not have its store open; see ``engine``.
    var openEngine: SyncEngine?

    /// How the store is opened again; nil while it is open, and if the client is closed.
    var absence: Absence?

    /// By which clients ask each other for the store; nil if it is not in a file.
    var turns: (any TurnTaking)?

    /// The tasks that hand the store over, and open it again.
    var handingOver: Task<Void, Never>?
    var comingBack: Task<Void, Never>?

    /// The reads of sequences that wait for the store.
    var waitingReaders = 0

    /// Resumes those that wait for the store.
    let waking = WakeSignal()

    /// The beginning of the turn's time.
    let beginning = ContinuousClock.now

    /// The requests to the server that are under way.
    private(set) var requests: [ExchangeToken: Task<Result<ExchangeAnswer, RemoteFailure>, Never>] = [:]

    private(set) var remote: any Remote
    let configuration: SyncConfiguration

    /// How far each guarantee of Contract §7 is kept over this server.
    ///
    /// ```swift
    /// for (guarantee, level) in client.guarantees where level != .kept { print(guarantee.rule, level) }
    /// ```
    public nonisolated let guarantees: [SyncGuarantee: SyncGuarantee.Level]

    package let time: any TimeSource
    let onEvent: (@Sendable (SyncConfiguration.Event) -> Void)?
    let hub: ChangeHub
    let outcomes = OutcomeHub()
    let progressHub = ProgressHub()
    let waiters = SyncWaiters()

    /// The result of the last sync of each collection.
    private(set) var lastReports: [CodePointString: CollectionReport] = [:]

    /// Receives the inputs of the run loop; nil while it does not run.
    var mailbox: RunMailbox?

    /// The status of the run loop; nil while it does not run.
    var runStatus: SyncStatus.Run?

    /// The collections that the client syncs in addition to those in the store.
    let collections: ClientCollections

    /// The seed of random numbers outside the engine.
    let seed: UInt64

    /// Whether the rows that a former client has left of forgotten collections were removed.
    private var hasRemovedErased = false

    /// The callers that are syncing a collection now, by its name: each has another number.
    private var leaders: [CodePointString: Int] = [:]
    private var lastLeader = 0

    /// The collections that a caller is syncing now.
    package var led: Set<CodePointString> { Set(self.leaders.keys) }

    /// Makes a client for a store that no other client uses. `init` does not wait for a busy store; `open` does.
    ///
    /// - Parameters:
    ///   - store: The store of the records.
    ///   - remote: The server; `.none` for a guest without one (``NoRemote``).
    ///   - configuration: The rules that decide conflicts, and all limits.
    ///   - collections: The only collections that may be used; nil for any.
    ///   - time: The clock.
    ///   - seed: The seed for jitter, so that the waits of a test are the same in each run. Request ids and pks do not depend
    ///     on it: two clients may have the same seed.
    /// - Throws: ``TidemarkError/Code/guaranteeNotAccepted``, ``TidemarkError/Code/unknownCollection`` if the configuration has
    ///   rules for a collection that is not in `collections`, and the errors of the store.
    public init(
        store: sending some RecordStore, remote: some Remote, configuration: SyncConfiguration,
        collections: [String]? = nil, time: some TimeSource, seed: UInt64
    ) throws(TidemarkError) {
        let hasRemote = !(remote is NoRemote)
        // The owner has accepted its server.
        if hasRemote { try remote.capabilities.checkAcceptance(by: configuration) }
        var configuration = configuration
        configuration.isGuest = configuration.isGuest || !hasRemote
        self.collections = try ClientCollections(collections, configuration)
        let hub = ChangeHub()
        self.turns = (store as? any TurnTakingStore)?.turnTaking
        let engine = try Self.makeEngine(over: store, configuration, remote, hub, seed: seed, after: nil)
        self.openEngine = engine
        self.hub = hub
        self.remote = remote
        self.configuration = configuration
        self.guarantees = engine.capabilities.guarantees
        self.time = time
        self.onEvent = configuration.onEvent
        self.seed = seed
        try self.turns?.listen { [weak self] in Task { await self?.handOver() } }
    }

    static func makeEngine(
        over store: any RecordStore, _ configuration: SyncConfiguration, _ remote: any Remote, _ hub: ChangeHub,
        seed: UInt64, after former: SyncEngine.Former?
    ) throws(TidemarkError) -> SyncEngine {
        let engine = try SyncEngine(
            store: store, configuration: configuration,
            capabilities: remote is NoRemote ? nil : remote.capabilities, seed: seed,
            idSeed: .random(in: .min ... .max), after: former)
        // The app is not notified of most transitions, but a view shows the phase of each record.
        engine.trace = { [hub] step in
            if case .record(let trace) = step { hub.touch(trace.pk, in: trace.collection) }
        }
        return engine
    }

    /// A collection; it need not exist. From its first use ``sync(_:)`` and ``run(_:connectivity:)`` sync it, unless the client
    /// was made for certain collections only: then the use of any other one throws ``TidemarkError/Code/unknownCollection``.
    public nonisolated subscript(name: String) -> SyncCollection<JSON> {
        self.collection(name, of: JSON.self)
    }

    /// A collection whose records are read and written as values of a type; see ``subscript(_:)``.
    ///
    /// ```swift
    /// let notes = client.collection("notes", of: Note.self)
    /// try await notes["42"].edit { $0.title = "Oat milk" }
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name of the collection.
    ///   - type: The type of its records; ``JSON/decode(_:dates:)`` describes how a type may change.
    ///   - dates: How a `Date` is read and written.
    public nonisolated func collection<Value: Decodable & Sendable>(
        _ name: String, of type: Value.Type, dates: JSONDates = .rfc3339
    ) -> SyncCollection<Value> {
        SyncCollection(client: self, name: name, dates: dates)
    }

    /// Waits for the outcome of a record's pending change; returns nil at once if no change is pending.
    func outcome(of pk: String, in collection: String) async throws(TidemarkError) -> WriteOutcome? {
        switch try self.engine(using: collection).awaitOutcome(of: pk, in: collection) {
        case .known(let outcome): return outcome
        case .awaited(let write):
            self.outcomes.expect(write)
            do throws(TidemarkError) {
                return try await self.outcomes.outcome(of: write)
            } catch {
                self.openEngine?.forget(write: write)
                self.absence?.former.watch.forget(write)
                throw error
            }
        }
    }

    /// Removes the last report of a collection that was forgotten, and tells the run loop.
    func forgetReport(of collection: String) {
        self.collections.forget(CodePointString(collection))
        self.lastReports[CodePointString(collection)] = nil
        self.mailbox?.put(.forgotten(CodePointString(collection)))
    }

    /// The number of writes whose outcome a caller awaits.
    package var openWriteCount: Int { self.openEngine?.openWriteCount ?? 0 }

    /// Carries out the effects that concern the app.
    func tell(_ effects: [SyncEffect]) {
        self.raiseEvents(effects)
        for effect in effects {
            switch effect {
            case .tell(let change): self.hub.tell(change)
            case .tellAll(let collection): self.hub.touchAll(of: collection)
            case .settle(let write, let outcome): self.outcomes.settle(write, outcome)
            case .progress(let progress):
                self.progressHub.tell(progress)
                self.hub.touch(CodePointString(progress.collection))
            case .finish(let report):
                let name = CodePointString(report.collection)
                self.lastReports[name] = report
                self.hub.touch(name)
            // Due at once, as an edit that has waited; in a back-off or a pause it waits as any edit does.
            case .released(let collection):
                self.mailbox?.put(.edited(CodePointString(collection), first: .zero, last: .zero))
            case .send, .wake, .leftToUser: continue
            }
        }
    }
}

// MARK: - Syncing

extension SyncClient {
    /// Syncs collections with the server: sends local changes, applies the server's changes, and lets the tactic decide if both
    /// sides changed the same field.
    ///
    /// The call returns when nothing more can be sent or received, or at the first failure that needs a later retry; it does not
    /// wait for that retry.
    ///
    /// If a sync of the collection is already running, this call joins it. Cancelling one caller does not stop the others: one
    /// of them continues the sync.
    ///
    /// - Parameter collections: Which collections; nil for all of ``collectionNames``.
    /// - Throws: ``TidemarkError/Code/unknownCollection``, ``TidemarkError/Code/noRemote``, the errors of the store, and
    ///   ``TidemarkError/Code/cancelled`` if the task was cancelled; the next sync sends the unconfirmed changes again. An
    ///   unreachable server is an outcome, not an error.
    public func sync(_ collections: [String]? = nil) async throws(TidemarkError) -> SyncReport {
        try self.requireRemote()
        let engine = try self.engine
        let names = engine.graph.parentsFirst(try self.names(collections))
        var report = SyncReport()
        for name in names { report.collections.append(try await self.sync(name)) }
        if !engine.graph.isEmpty { try await self.syncReleased(&report) }
        return report
    }

    /// Syncs those collections again of which a change waited for one that another sync of the call has decided, as long as one ends
    /// with nothing to send.
    private func syncReleased(_ report: inout SyncReport) async throws(TidemarkError) {
        var isProgress = true
        while isProgress {
            isProgress = false
            for (place, former) in report.collections.enumerated() where former.mayContinue {
                guard try self.engine.hasSomethingToSend(in: former.collection) else { continue }
                report.collections[place].add(try await self.sync(former.collection))
                // A damaged record counts as something to send, and no sync sends it.
                isProgress = try !self.engine.hasSomethingToSend(in: former.collection) || isProgress
            }
        }
        for (place, former) in report.collections.enumerated() where former.outcome == .waiting {
            let waiting = try self.engine.waiting(in: former.collection)
            report.collections[place].waiting = waiting
            if waiting.isEmpty { report.collections[place].outcome = .inSync }
        }
    }

    /// Syncs like ``sync(_:)``, and after a back-off syncs again, until no collection has to retry.
    public func syncWaiting(_ collections: [String]? = nil) async throws(TidemarkError) -> SyncReport {
        while true {
            let report = try await self.sync(collections)
            guard let next = report.collections.compactMap(\.nextTry).max() else { return report }
            do {
                try await self.time.sleep(until: next)
            } catch {
                throw .cancelled("The wait until the next try", cause: error)
            }
        }
    }

    /// Replaces the credentials, or the connection to the same server, and resumes paused collections.
    ///
    /// - Throws: ``TidemarkError/Code/guaranteeNotAccepted`` as when a client is made, ``TidemarkError/Code/noRemote`` if the client was
    ///   made without a remote or `remote` is `.none`, and the errors of the store.
    public func renew(remote: some Remote) throws(TidemarkError) {
        try self.requireRemote()
        guard !(remote is NoRemote) else { throw .noRemote }
        try remote.capabilities.checkAcceptance(by: try self.engine.configuration)
        self.remote = remote
        try self.resume()
    }

    /// Resumes the collections that a policy paused; see ``FailurePolicy``. The next sync sends requests again.
    public func resume() throws(TidemarkError) {
        var failure: TidemarkError?
        for name in try self.engine.collectionsToResume() {
            // If one collection can't be saved, the others are resumed nevertheless.
            do throws(TidemarkError) {
                self.tell(try self.engine.renew(name))
            } catch {
                failure = failure ?? error
            }
        }
        self.mailbox?.put(.renewed)
        if let failure { throw failure }
    }

    /// Syncs one of ``names(_:)``.
    func sync(_ collection: String) async throws(TidemarkError) -> CollectionReport {
        while true {
            switch try await self.runExchanges(collection) {
            case .ended(let report):
                // The sync has ended, whatever happens to an index: an incomplete one is built further by the next sync.
                if (try? self.engine.buildsIndexesAfterSync(of: collection)) == true {
                    try? await self.buildIndexes(of: collection)
                }
                if !self.hasRemovedErased {
                    self.hasRemovedErased = true
                    await self.removeErased()
                }
                return report
            case .joined(let place):
                switch try await self.waiters.news(at: place) {
                case .finished(let report): return report
                case .becomeLeader: continue
                }
            }
        }
    }

    /// The result of a call of `sync`.
    private enum SyncRole {
        case ended(CollectionReport)

        /// Another caller runs the sync, and reports its result at this place.
        case joined(SyncWaiters.Place)
    }

    /// Runs the exchanges of a sync until it ends; joins the sync if another caller runs it.
    private func runExchanges(_ collection: String) async throws(TidemarkError) -> SyncRole {
        let name = CodePointString(collection)
        let report: CollectionReport
        var leads = false
        self.lastLeader += 1
        let leader = self.lastLeader
        do throws(TidemarkError) {
            var effects = try await self.merging(in: collection) { (engine, large) throws(TidemarkError) in
                try engine.sync(collection, now: self.time.now, large)
            }
            if let input = RunInput.asked(for: name, effects) {
                self.mailbox?.put(input)
                self.raise(.syncStarted, of: collection)
            }
            self.tell(effects)
            while self.report(in: effects) == nil {
                guard let (request, token) = self.request(in: effects) else {
                    return .joined(self.waiters.join(collection))
                }
                leads = true
                self.leaders[name] = leader
                if try await self.mayBegin(ofEngine: token.engine) {
                    effects = try await self.exchange(request, token)
                }
                if self.openEngine?.number != token.engine {
                    // Another client had the store meanwhile: the sync begins again, and joins one that has begun since then.
                    effects = try await self.merging(in: collection) { (engine, large) throws(TidemarkError) in
                        try engine.sync(collection, now: self.time.now, large)
                    }
                }
                self.tell(effects)
            }
            guard let end = self.report(in: effects) else { return .joined(self.waiters.join(collection)) }
            report = end
        } catch {
            // This caller only wanted to join: no waiter depends on it, and the caller that runs the sync continues.
            if let other = self.leaders[name], other != leader { throw error }
            self.leaders[name] = nil
            self.progressHub.end(collection)
            // The records in flight are unconfirmed now, and no transition reports that.
            self.hub.touchAll(of: collection)
            self.mailbox?.put(.ended(name, error.code == .suspended ? .cancelled : .broken))
            self.waiters.tell(.failure(error), in: collection)
            if leads { self.raise(.syncEnded, of: collection) { $0.error = error.code } }
            throw error
        }
        if self.leaders[name] == leader { self.leaders[name] = nil }
        guard report.failure?.failureClass == .cancelled, Task.isCancelled else {
            self.mailbox?.put(.ended(name, RunEnd(report, hasUnsent: self.hasSomethingToSend(in: collection))))
            self.waiters.tell(.success(.finished(report)), in: collection)
            return .ended(report)
        }
        // The callers that joined did not cancel: one of them continues the sync.
        if !self.isJoined(in: collection) { self.mailbox?.put(.ended(name, .cancelled)) }
        self.waiters.handOver(collection)
        throw .cancelled("The sync")
    }

    private func exchange(_ request: ExchangeRequest, _ token: ExchangeToken) async throws(TidemarkError)
        -> [SyncEffect]
    {
        // A separate task, so that it can be ended when the store is closed.
        let task = Task {
            do throws(RemoteFailure) {
                guard !Task.isCancelled else { throw Self.cancelled }
                return Result<ExchangeAnswer, RemoteFailure>.success(try await self.remote.exchange(request))
            } catch {
                // A request that ends because its task is cancelled did not fail, whatever error the remote throws.
                return .failure(Task.isCancelled ? Self.cancelled : error)
            }
        }
        self.requests[token] = task
        let outcome = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        self.requests[token] = nil
        self.mailbox?.put(.spent(on: request, outcome))
        switch outcome {
        case .success(let answer):
            return try await self.merging(in: token.collection) { (engine, large) throws(TidemarkError) in
                try engine.receive(answer, for: token, now: self.time.now, large)
            }
        case .failure(let failure): return try self.engine.fail(failure, for: token, now: self.time.now)
        }
    }

    /// Carries out an input whose large merges are made on another thread, so that no other call waits for them.
    func merging<Value>(
        in collection: String, _ input: (SyncEngine, LargeMerges) throws(TidemarkError) -> Value
    ) async throws(TidemarkError) -> Value {
        let large = LargeMerges(try self.engine.rules(of: collection).fields)
        while true {
            do throws(TidemarkError) {
                return try input(try self.engine, large)
            } catch {
                guard error.code == .mergesMissing else { throw error }
                await self.executor.runBeside { large.makeMissing() }
            }
        }
    }

    /// Whether there is a change to send; false if the store can't be read, since then it can't be sent either.
    private func hasSomethingToSend(in collection: String) -> Bool {
        guard self.mailbox != nil, let engine = self.openEngine else { return false }
        return (try? engine.hasSomethingToSend(in: collection)) ?? false
    }

    private static let cancelled = RemoteFailure(.cancelled, "The sync was cancelled.")

    /// Whether a caller waits for a sync that another caller began.
    package func isJoined(in collection: String) -> Bool { self.joinedCount(in: collection) > 0 }

    /// The number of callers that wait for a sync that another caller began.
    package func joinedCount(in collection: String) -> Int { self.waiters.count(in: collection) }

    private func report(in effects: [SyncEffect]) -> CollectionReport? {
        for case .finish(let report) in effects { return report }
        return nil
    }

    private func request(in effects: [SyncEffect]) -> (ExchangeRequest, ExchangeToken)? {
        for case .send(let request, let token) in effects { return (request, token) }
        return nil
    }
}
