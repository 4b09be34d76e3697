import TidemarkJSON
import TidemarkMachine
public import TidemarkRules

/// Keeps JSON records on a device in step with a server, field by field.
///
/// The actor owns a `SyncEngine` and carries out its effects; it decides nothing. Offline is not an error of an edit:
/// an edit is durable when it returns, and is sent when there is a network. It runs on an executor of its own, so that a commit
/// blocks no thread of Swift's pool.
///
/// ```swift
/// let client = try await SyncClient.open(store: .sqlite(at: path), remote: .http(url, token: token))
/// let notes = client["notes"]
/// try await notes.create(["title": "Milk"], pk: "42")
/// try await notes["42"].edit { $0.title = "Oat milk" }
/// let report = try await client.sync()
/// ```
public actor SyncClient {
    private let executor = ClientExecutor()

    /// The thread of the client is one of its own: a commit waits for the disk.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { self.executor.asUnownedSerialExecutor() }

    /// Nil once the client is closed; see ``close()``.
    var openEngine: SyncEngine?
    private(set) var remote: any Remote

    /// What is promised over the server, and how far, by the names of SPEC §7.
    ///
    /// ```swift
    /// for (promise, standing) in client.promises where standing != .kept { print(promise.name, standing) }
    /// ```
    public nonisolated let promises: [SyncPromise: SyncPromise.Standing]

    let time: any TimeSource
    let hub: ChangeHub
    let outcomes = OutcomeHub()
    let progressHub = ProgressHub()
    let waiters = SyncWaiters()

    /// How the last sync of each collection ended.
    private(set) var lastReports: [CodePointString: CollectionReport] = [:]

    /// What the run loop is told; nil while none runs.
    var mailbox: RunMailbox?

    /// How the run loop stands; nil while none runs.
    var runStatus: RunStatus?

    /// The collections that it is for, beside those in the store.
    let collections: ClientCollections

    /// Where chance comes from that is not the engine's.
    let seed: UInt64

    /// The collections whose sync a caller carries.
    private(set) var carried: Set<CodePointString> = []

    /// Makes a client over a store that belongs to it alone. It does not wait for a store that is busy; `open` does.
    ///
    /// - Parameters:
    ///   - store: Where the records are.
    ///   - remote: The server.
    ///   - configuration: What decides conflicts, and all limits.
    ///   - collections: The only collections that may be used; nil for any.
    ///   - time: What time it is.
    ///   - seed: Where jitter comes from, so that the waits of a test are the same in each run. Request ids and pks do not come
    ///     from it: two clients may have one seed.
    /// - Throws: ``TidemarkError/Code/promiseNotAccepted``, ``TidemarkError/Code/unknownCollection`` where the configuration has
    ///   rules for a collection that is not among them, and what the store throws.
    public init(
        store: sending some RecordStore, remote: some Remote, configuration: SyncConfiguration,
        collections: [String]? = nil, time: some TimeSource, seed: UInt64
    ) throws(TidemarkError) {
        try remote.capabilities.checkAcceptance(by: configuration)
        self.collections = try ClientCollections(collections, configuration)
        let engine = try SyncEngine(
            store: store, configuration: configuration, capabilities: remote.capabilities, seed: seed,
            idSeed: .random(in: .min ... .max))
        let hub = ChangeHub()
        // The app is not told of every step, and a screen shows where a record stands.
        engine.trace = { [hub] step in
            if case .record(let trace) = step { hub.touch(trace.pk, in: trace.collection) }
        }
        self.hub = hub
        self.openEngine = engine
        self.remote = remote
        self.promises = remote.capabilities.promises
        self.time = time
        self.seed = seed
    }

    /// A collection; it need not exist. With its first use it is one that ``sync(_:)`` and ``run(_:connectivity:)`` sync, unless
    /// the client was made for some collections only: then the use of any other one throws
    /// ``TidemarkError/Code/unknownCollection``.
    public nonisolated subscript(name: String) -> SyncCollection {
        SyncCollection(client: self, name: name)
    }

    /// Waits for what becomes of what is pending of a record now; nil at once when nothing is.
    func outcome(of pk: String, in collection: String) async throws(TidemarkError) -> WriteOutcome? {
        switch try self.engine(using: collection).awaitOutcome(of: pk, in: collection) {
        case .known(let outcome): return outcome
        case .awaited(let write):
            self.outcomes.expect(write)
            do throws(TidemarkError) {
                return try await self.outcomes.outcome(of: write)
            } catch {
                self.openEngine?.forget(write: write)
                throw error
            }
        }
    }

    /// How the last sync of a collection ended says nothing of it any more.
    func forgetReport(of collection: String) {
        self.collections.forget(CodePointString(collection))
        self.lastReports[CodePointString(collection)] = nil
        self.mailbox?.put(.forgotten(CodePointString(collection)))
    }

    /// How many wait for the outcome of a write.
    package var openWriteCount: Int { self.openEngine?.openWriteCount ?? 0 }

    /// Carries out what concerns the app.
    func tell(_ effects: [SyncEffect]) {
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
            case .send, .wake: continue
            }
        }
    }
}

// MARK: - Syncing

extension SyncClient {
    /// Brings collections in step with the server: sends what was changed here, takes in what was changed there, and
    /// lets the tactic decide where both changed the same.
    ///
    /// It ends when there is nothing left to do or when a failure has to be waited out; it does not wait.
    ///
    /// A sync that is going on already is joined. Whoever is cancelled leaves it, and those who joined carry it on.
    ///
    /// - Parameter collections: Which collections; nil for all of ``collectionNames``.
    /// - Throws: ``TidemarkError/Code/unknownCollection``, what the store throws, and ``TidemarkError/Code/cancelled`` to a task that
    ///   was cancelled; what it had sent goes out again with the next sync. A server that can't be reached is an outcome, not an
    ///   error.
    public func sync(_ collections: [String]? = nil) async throws(TidemarkError) -> SyncReport {
        let names = try self.names(collections)
        var report = SyncReport()
        for name in names { report.collections.append(try await self.sync(name)) }
        return report
    }

    /// Like ``sync(_:)``, and waits out back-offs until the server has answered.
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

    /// Goes on with other credentials, or with another way to the same server. What was paused may go on.
    ///
    /// - Throws: ``TidemarkError/Code/promiseNotAccepted`` as when a client is made, and what the store throws.
    public func renew(remote: some Remote) throws(TidemarkError) {
        try remote.capabilities.checkAcceptance(by: try self.engine.configuration)
        self.remote = remote
        try self.resume()
    }

    /// Lets go on what a policy paused; see ``FailurePolicy``. The next sync asks the server again.
    public func resume() throws(TidemarkError) {
        var failure: TidemarkError?
        for name in try self.engine.collectionsToResume() {
            // What one collection can't save leaves no other paused.
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
            switch try await self.carry(collection) {
            case .ended(let report): return report
            case .joined(let place):
                switch try await self.waiters.news(at: place) {
                case .finished(let report): return report
                case .takeOver: continue
                }
            }
        }
    }

    /// What became of a call of `sync`.
    private enum Carriage {
        case ended(CollectionReport)

        /// Another caller carries the sync, and tells at this place how it ended.
        case joined(SyncWaiters.Place)
    }

    /// Carries the exchanges of a sync to its end; joins it at once where another caller does that.
    private func carry(_ collection: String) async throws(TidemarkError) -> Carriage {
        let name = CodePointString(collection)
        let report: CollectionReport
        var carries = false
        do throws(TidemarkError) {
            var effects = try self.engine.sync(collection, now: self.time.now)
            if let input = RunInput.asked(for: name, effects) { self.mailbox?.put(input) }
            self.tell(effects)
            while self.report(in: effects) == nil {
                guard let (request, token) = self.request(in: effects) else {
                    return .joined(self.waiters.join(collection))
                }
                carries = true
                self.carried.insert(name)
                effects = try await self.exchange(request, token)
                self.tell(effects)
            }
            guard let end = self.report(in: effects) else { return .joined(self.waiters.join(collection)) }
            report = end
        } catch {
            // One who only wanted to join has no one to tell: whoever carries the sync goes on.
            guard carries || !self.carried.contains(name) else { throw error }
            self.carried.remove(name)
            self.progressHub.end(collection)
            // What was on its way is in doubt now, without a transition that says so.
            self.hub.touchAll(of: collection)
            self.mailbox?.put(.ended(name, .broken))
            self.waiters.tell(.failure(error), in: collection)
            throw error
        }
        self.carried.remove(name)
        guard report.failure?.failureClass == .cancelled, Task.isCancelled else {
            self.mailbox?.put(.ended(name, RunEnd(report, hasUnsent: self.hasSomethingToSend(in: collection))))
            self.waiters.tell(.success(.finished(report)), in: collection)
            return .ended(report)
        }
        // The others have not cancelled anything.
        if !self.isJoined(in: collection) { self.mailbox?.put(.ended(name, .cancelled)) }
        self.waiters.handOver(collection)
        throw .cancelled("The sync")
    }

    private func exchange(_ request: ExchangeRequest, _ token: ExchangeToken) async throws(TidemarkError)
        -> [SyncEffect]
    {
        let outcome: Result<ExchangeAnswer, RemoteFailure>
        do throws(RemoteFailure) {
            guard !Task.isCancelled else { throw Self.cancelled }
            outcome = .success(try await self.remote.exchange(request))
        } catch {
            // What ends because its task is cancelled has not failed, whatever the remote calls it.
            outcome = .failure(Task.isCancelled ? Self.cancelled : error)
        }
        self.mailbox?.put(.spent(on: request, outcome))
        switch outcome {
        case .success(let answer): return try self.engine.receive(answer, for: token, now: self.time.now)
        case .failure(let failure): return try self.engine.fail(failure, for: token, now: self.time.now)
        }
    }

    /// What can't be read is not sent either.
    private func hasSomethingToSend(in collection: String) -> Bool {
        guard self.mailbox != nil, let engine = self.openEngine else { return false }
        return (try? engine.hasSomethingToSend(in: collection)) ?? false
    }

    private static let cancelled = RemoteFailure(.cancelled, "The sync was cancelled.")

    /// Whether someone waits for a sync that another caller began.
    package func isJoined(in collection: String) -> Bool { self.joinedCount(in: collection) > 0 }

    /// How many wait for a sync that another caller began.
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
