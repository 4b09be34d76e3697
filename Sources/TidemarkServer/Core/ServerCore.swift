import Synchronization

/// The reference server without its socket: one request in, one answer out, synchronously (Contract §5).
///
/// The listener and an in-process remote both call this. Calls may come from any thread: writes are carried out one after
/// the other, reads run at the same time if the storage can do that. No answer depends on a clock other than the given one,
/// or on random numbers; durations are measured for metrics only.
///
/// ```swift
/// let storage = try SQLiteServerStorage(.memory)
/// let core = ServerCore(storage: storage, now: { 1_763_000_000_000_000 })
/// let answer = core.handle(ServerRequest(method: "GET", target: "/v1/notes"))
/// ```
public final class ServerCore: Sendable {
    /// The limits that the server enforces.
    public let limits: ServerLimits

    private let tokens: Mutex<ServerAccounts>
    let tokenMemory: TokenMemory
    /// The server's counters.
    public let metrics = ServerMetrics()
    let draining = Atomic(false)
    /// Why the last POST that the storage should have written was not written; nil if it was.
    let writeFailure = Mutex<ServerStorageError?>(nil)
    private let rateLimit: RateLimit?
    let now: @Sendable () -> Int64
    private let report: @Sendable (ServerStorageError) -> Void
    let storage: Mutex<any ServerStorage>
    private let readers: ReaderPool
    let board: HintBoard
    /// Whether a token can be looked up in the storage while other requests wait.
    let isStorageNear: Bool

    /// A server over a storage.
    ///
    /// - Parameters:
    ///   - storage: The rows; no other code may use it.
    ///   - accounts: The tokens that have access besides those that the storage keeps.
    ///   - limits: The limits of sizes and counts.
    ///   - now: The server's clock, in microseconds since 1970.
    ///   - report: Gets the reason of each failure of the storage; clients only learn that it failed.
    public init(
        storage: sending any ServerStorage, accounts: ServerAccounts = .open, limits: ServerLimits = ServerLimits(),
        now: @escaping @Sendable () -> Int64, report: @escaping @Sendable (ServerStorageError) -> Void = { _ in }
    ) {
        self.limits = limits
        self.tokens = Mutex(accounts)
        self.rateLimit = limits.requestsPerSecond.map {
            RateLimit(rate: $0, burst: limits.requestBurst, accounts: limits.accountsRemembered)
        }
        self.tokenMemory = TokenMemory(
            span: limits.tokenMemory, count: limits.tokensRemembered, unknownCount: limits.unknownTokensRemembered)
        self.now = now
        self.report = report
        self.board = HintBoard(limits)
        self.isStorageNear = storage.isNear
        self.readers = ReaderPool(of: storage, count: limits.readers, report: report)
        self.storage = Mutex(storage)
    }

    /// The tokens that have access besides those that the storage keeps.
    var accounts: ServerAccounts { self.tokens.withLock(\.self) }

    /// Replaces the tokens that are accounts, from the next request on. Watches with a removed token are closed. An empty list
    /// changes nothing: it must not open a server that had tokens to all.
    public func replaceAccounts(_ accounts: ServerAccounts) {
        guard !accounts.isEmpty else { return }
        let gone = self.tokens.withLock { tokens in
            defer { tokens = accounts }
            return tokens.missing(from: accounts)
        }
        self.tokenMemory.forget()
        for account in gone { self.endWatches(of: account) }
    }

    /// Answers one request; every failure is an answer too. A request for events gets the current state only; see
    /// ``answer(_:)``.
    public func handle(_ request: ServerRequest) -> ServerResponse {
        if let response = self.operate(request) { return response }
        var account: String?
        var response: ServerResponse
        do throws(ServerRefusal) {
            let (name, route) = try self.route(of: request)
            account = name
            try self.admit(name)
            response = try self.respond(to: request, route, of: name)
        } catch {
            response = error.response
        }
        response.account = account
        return response
    }

    private func respond(
        to request: ServerRequest, _ route: ServerRoute, of account: String
    ) throws(ServerRefusal) -> ServerResponse {
        switch route {
        case .list(let collection):
            return try self.list(collection, account: account, request: request)
        case .post(let collection):
            let post = try Post(to: collection, account: account, request: request, limits: self.limits)
            return self.response(to: self.commit([post])[0])
        case .item(let collection, let pk):
            return try self.item(pk, collection: collection, account: account)
        case .collections:
            return try self.listCollections(account: account)
        case .events:
            return try self.hintOnce(account: account, request: request)
        }
    }

    /// Counts a request against the account's rate limit, or refuses it with the time of a retry (RFC 6585 §4).
    func admit(_ account: String) throws(ServerRefusal) {
        guard let wait = self.rateLimit?.wait(of: account, at: self.now()) else { return }
        throw ServerRefusal(
            Problem(
                429, .tooManyRequests, "the account sends more requests a second than it may; wait, and send it again"),
            headers: [("Retry-After", String(wait))])
    }

    func route(of request: ServerRequest) throws(ServerRefusal) -> (account: String, route: ServerRoute) {
        let account = try self.account(of: request)
        return (account, try self.checkedRoute(of: request))
    }

    /// The route of a request whose body is not too large.
    func checkedRoute(of request: ServerRequest) throws(ServerRefusal) -> ServerRoute {
        let route = try ServerRoute(request, limits: self.limits)
        guard request.body.count <= self.limits.body else {
            throw ServerRefusal(.bodyTooLarge(limit: self.limits.body))
        }
        return route
    }

    /// The answer to a request that is refused because of its head, so that its body need not be read (W10).
    ///
    /// Nil means that the body decides; `request.body` is not used. A remote storage is not queried: then the token is checked
    /// once the whole request has arrived.
    public func refusalBeforeBody(of request: ServerRequest) -> ServerResponse? {
        if let response = self.answerAtOnce(request) { return response }
        do throws(ServerRefusal) {
            if self.isStorageNear { _ = try self.account(of: request) }
            _ = try ServerRoute(request, limits: self.limits)
            return nil
        } catch {
            return error.response
        }
    }

    /// Deletes tombstones and remembered answers that are older than `age`, and moves the horizon (W7).
    ///
    /// The server does not purge automatically: the program that runs it calls this periodically. The purge works in portions,
    /// and requests are answered between them; it stops after a portion if its task is cancelled. It also erases the data of
    /// accounts whose removal was interrupted.
    ///
    /// - Parameter age: `limits.horizon` by default.
    public func purge(olderThan age: Duration? = nil) throws(ServerStorageError) -> ServerPurge {
        try self.eraseRemoved()
        let time = self.now() - (age ?? self.limits.horizon).microseconds
        var purge = ServerPurge(tombstones: 0, answers: 0)
        var portion: ServerPurge
        repeat {
            portion = try self.withStorage { (storage) throws(ServerStorageError) in
                try storage.purge(before: time, limit: self.limits.erasedAtOnce)
            }.get()
            purge += portion
        } while !portion.isEmpty && !Task.isCancelled
        self.metrics.note(purge)
        return purge
    }

    /// Erases the data of removed accounts in portions, between which requests are answered.
    func eraseRemoved() throws(ServerStorageError) {
        var isMore: Bool
        repeat {
            isMore = try self.withStorage { (storage) throws(ServerStorageError) in
                try storage.eraseRemoved(limit: self.limits.erasedAtOnce)
            }.get()
        } while isMore && !Task.isCancelled
    }

    /// Runs `work` on a reader, or on the storage itself if there is no reader.
    func withReader<Outcome: Sendable>(
        _ work: (any ServerReader) throws(ServerStorageError) -> Outcome
    ) throws(ServerRefusal) -> Outcome {
        let began = ContinuousClock.now
        defer { self.metrics.noteRead(time: .now - began) }
        var result = self.readers.read(work) ?? self.withStorage(work)
        if case .failure(let error) = result, error.code == .interrupted {
            result = self.readers.read(work) ?? self.withStorage(work)
        }
        switch result {
        case .success(let outcome):
            return outcome
        case .failure(let error):
            self.metrics.noteFailure()
            self.report(error)
            throw Self.refusal(of: error)
        }
    }

    /// Carries out the first of `posts`, and as many following ones as share its transaction, and announces the changes.
    func commit(_ posts: ArraySlice<Post>) -> [PostGroup.Outcome] {
        let (outcomes, time) = self.storage.withLock { storage in
            let began = ContinuousClock.now
            let outcomes = PostGroup(in: storage, limits: self.limits, now: self.now).commit(posts, report: self.report)
            return (outcomes, ContinuousClock.now - began)
        }
        self.count(outcomes, time: time)
        self.tell(of: outcomes)
        return outcomes
    }

    private func count(_ outcomes: [PostGroup.Outcome], time: Duration) {
        var edits = EditTally()
        var hasFailed = false
        for outcome in outcomes {
            switch outcome {
            case .success(.success(let done)):
                edits.add(done.tally)
                if done.moved != nil { self.writeFailure.withLock { $0 = nil } }
            case .success(.failure): break
            case .failure(let error):
                hasFailed = true
                if error.code.isLasting { self.writeFailure.withLock { $0 = error } }
            }
        }
        if hasFailed { self.metrics.noteFailure() }
        self.metrics.noteGroup(of: outcomes.count, edits, time: time)
    }

    /// Announces each feed once, even if several POSTs changed it: the last one has its newest state.
    private func tell(of outcomes: [PostGroup.Outcome]) {
        var seen: Set<Int64> = []
        for case .success(.success(let done)) in outcomes.reversed() {
            guard let moved = done.moved, seen.insert(moved.feed.id).inserted else { continue }
            self.announce(
                moved.feed, account: moved.account, collection: moved.collection, epoch: moved.epoch)
        }
    }

    /// The answer to a POST.
    func response(to outcome: PostGroup.Outcome) -> ServerResponse {
        switch outcome {
        case .success(.success(let done)): .json(done.answer)
        case .success(.failure(let refusal)): refusal.response
        case .failure(let error): Self.refusal(of: error).response
        }
    }

    /// Runs `work` alone on the storage.
    func withStorage<Outcome: Sendable>(
        _ work: (any ServerStorage) throws(ServerStorageError) -> Outcome
    ) -> Result<Outcome, ServerStorageError> {
        self.storage.withLock { storage in
            do throws(ServerStorageError) {
                return .success(try work(storage))
            } catch {
                return .failure(error)
            }
        }
    }

    /// The storage's error message is for the server's operator, not the client.
    private static func refusal(of error: ServerStorageError) -> ServerRefusal {
        switch error.code {
        case .unknownOutcome:
            // An edit that was carried out gets its earlier answer on a repetition (W4).
            ServerRefusal(
                503, .outcomeUnknown,
                "the server's storage failed, and the outcome is unknown; send the same request again, which is safe"
            )
        case .interrupted, .busy:
            ServerRefusal(
                503, .serverFailed,
                "the server's storage is busy or restarting; nothing of the request was done; try again")
        case .fileReplaced:
            Self.failed("the server's database was moved or overwritten while it runs; tell the server's operator")
        default:
            Self.failed("the server's storage failed; try again later")
        }
    }

    private static func failed(_ why: String) -> ServerRefusal {
        ServerRefusal(500, .serverFailed, "\(why); nothing of the request was done")
    }
}
