import Synchronization

/// The reference server without its socket: one request in, one answer out, synchronously (SPEC §5).
///
/// The listener and an in-process remote both call this. Calls may come from any thread: what writes is carried out one after
/// the other, what only reads goes beside it where the storage can do that. Nothing here reads a clock, or random numbers.
///
/// ```swift
/// let storage = try SQLiteServerStorage(.memory)
/// let core = ServerCore(storage: storage, now: { 1_763_000_000_000_000 })
/// let answer = core.handle(ServerRequest(method: "GET", target: "/v1/notes"))
/// ```
public final class ServerCore: Sendable {
    /// The limits it keeps.
    public let limits: ServerLimits

    let accounts: ServerAccounts
    private let now: @Sendable () -> Int64
    private let report: @Sendable (ServerStorageError) -> Void
    let storage: Mutex<any ServerStorage>
    private let readers: ReaderPool

    /// A server over a storage.
    ///
    /// - Parameters:
    ///   - storage: Where the rows are; nobody else may use it.
    ///   - accounts: Who may come.
    ///   - limits: How much of everything is allowed.
    ///   - now: The server's clock, in microseconds since 1970.
    ///   - report: Hears why the storage failed; the client only hears that it did.
    public init(
        storage: sending any ServerStorage, accounts: ServerAccounts = .open, limits: ServerLimits = ServerLimits(),
        now: @escaping @Sendable () -> Int64, report: @escaping @Sendable (ServerStorageError) -> Void = { _ in }
    ) {
        self.limits = limits
        self.accounts = accounts
        self.now = now
        self.report = report
        self.readers = ReaderPool(of: storage, count: limits.readers, report: report)
        self.storage = Mutex(storage)
    }

    /// Answers one request; every failure is an answer too.
    public func handle(_ request: ServerRequest) -> ServerResponse {
        do throws(ServerRefusal) {
            let (account, route) = try self.route(of: request)
            switch route {
            case .list(let collection):
                return try self.list(collection, account: account, request: request)
            case .post(let collection):
                let post = try Post(to: collection, account: account, request: request, limits: self.limits)
                return self.response(to: self.commit([post])[0])
            case .item(let collection, let pk):
                return try self.item(pk, collection: collection, account: account)
            }
        } catch {
            return error.response
        }
    }

    /// Whose request it is, and what it asks for.
    func route(of request: ServerRequest) throws(ServerRefusal) -> (account: String, route: ServerRoute) {
        let account = try self.accounts.account(of: request)
        let route = try ServerRoute(request, limits: self.limits)
        guard request.body.count <= self.limits.body else {
            throw ServerRefusal(.bodyTooLarge(limit: self.limits.body))
        }
        return (account, route)
    }

    /// The answer to a request that its first lines already refuse, so that nobody need read its body (SPEC W10).
    ///
    /// Nil means that the body decides; `request.body` is not looked at.
    public func refusalBeforeBody(of request: ServerRequest) -> ServerResponse? {
        do throws(ServerRefusal) {
            _ = try self.accounts.account(of: request)
            _ = try ServerRoute(request, limits: self.limits)
            return nil
        } catch {
            return error.response
        }
    }

    /// Forgets tombstones and remembered answers that are older than `age`, and moves the horizon (SPEC W7).
    ///
    /// Nothing is purged by itself: whoever runs the server calls this now and then.
    ///
    /// - Parameter age: `limits.horizon` when it is left out.
    public func purge(olderThan age: Duration? = nil) throws(ServerStorageError) -> ServerPurge {
        let (seconds, attoseconds) = (age ?? self.limits.horizon).components
        let time = self.now() - (seconds * 1_000_000 + attoseconds / 1_000_000_000_000)
        let result = self.storage.withLock { storage in
            Result { () throws(ServerStorageError) in try storage.purge(before: time) }
        }
        return try result.get()
    }

    /// Runs `work` beside whoever writes, or alone on the storage where that can't be.
    func withReader<Outcome: Sendable>(
        _ work: (any ServerReader) throws(ServerStorageError) -> Outcome
    ) throws(ServerRefusal) -> Outcome {
        switch self.readers.read(work) ?? self.withStorage(work) {
        case .success(let outcome):
            return outcome
        case .failure(let error):
            self.report(error)
            throw Self.refusal(of: error)
        }
    }

    /// Carries out the first of `posts`, and as many behind it as share its transaction.
    func commit(_ posts: ArraySlice<Post>) -> [PostGroup.Outcome] {
        self.storage.withLock { storage in
            PostGroup(in: storage, limits: self.limits, now: self.now).commit(posts, report: self.report)
        }
    }

    /// The answer to a POST.
    func response(to outcome: PostGroup.Outcome) -> ServerResponse {
        switch outcome {
        case .success(.success(let body)): .json(body)
        case .success(.failure(let refusal)): refusal.response
        case .failure(let error): Self.refusal(of: error).response
        }
    }

    /// Runs `work` alone on the storage.
    private func withStorage<Outcome: Sendable>(
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

    /// What the storage says when it fails is for who runs the server, not the client.
    private static func refusal(of error: ServerStorageError) -> ServerRefusal {
        let why =
            error.code == .fileReplaced
            ? "the server's database was moved or overwritten while it runs; tell who runs the server"
            : "the server's storage failed; try again later"
        return ServerRefusal(500, .serverFailed, "\(why); nothing of the request was done")
    }
}
