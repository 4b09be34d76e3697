public import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules

/// A `Remote` over a ``RowServer``.
///
/// ```swift
/// func client(of server: some RowServer) throws -> SyncClient {
///     try SyncClient(store: .sqlite(at: path), remote: RowRemote(server, account: "anna"))
/// }
/// ```
///
/// An exchange writes the edits one after the other, or all at once if the server has a batch API, and then reads the changes. A
/// failure after the first result keeps the results (`ExchangeAnswer.failure`). `CollectionReport.requests` counts the calls of the
/// server's functions.
public struct RowRemote<Server: RowServer>: Remote {
    /// The server.
    public let server: Server

    /// The account of the data; nil if the server names it (``RowServer/identity(in:)``) or has no accounts.
    public let account: String?

    /// How long one call of the server may take.
    public let deadline: Duration

    private let clock: any Clock<Duration>

    /// The smallest limit of a page: a server that returns the row of the cursor again needs three rows to move on.
    private static var smallestPage: Int { 3 }

    /// Makes a remote.
    ///
    /// - Parameters:
    ///   - server: The server.
    ///   - account: The account that the server's credentials belong to. The data of another account is never mixed with it.
    ///   - deadline: How long one call may take; a write that takes longer has an unknown outcome.
    ///   - clock: Measures the deadline.
    public init(
        _ server: Server, account: String? = nil, deadline: Duration = .seconds(60),
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.server = server
        self.account = account
        self.deadline = deadline
        self.clock = clock
    }

    /// The properties of the server.
    public var capabilities: RemoteCapabilities { self.server.capabilities }

    /// Carries out one exchange.
    public func exchange(_ request: ExchangeRequest) async throws(RemoteFailure) -> ExchangeAnswer {
        var call = RowCalls(server: self.server, deadline: self.deadline, clock: self.clock)
        let identity = try await self.identity(for: request, &call)
        var request = request
        let place = try request.cursor.map { (text) throws(RemoteFailure) in try RowCursor(text: text) }
        request.cursor = place?.value
        if self.server.noticesRestore, let last = place?.last { try await call.check(last, in: request.collection) }
        request.seen = try request.seen.flatMap { (text) throws(RemoteFailure) in try RowCursor(text: text).value }
        var results: [UploadResult] = []
        do throws(RemoteFailure) {
            if let whole = try await call.whole(request) {
                try call.check(whole.answers.count, of: request.uploads)
                try await call.append(whole.answers, of: request.uploads, in: request.collection, to: &results)
                return self.answer(results, whole.changes, identity, call, after: place?.last)
            }
            try await call.write(request.uploads, in: request.collection, &results)
            let changes = try await call.changes(
                in: request.collection, after: request.cursor, limit: max(request.limit, Self.smallestPage),
                hasUploads: !request.uploads.isEmpty)
            return self.answer(results, changes, identity, call, after: place?.last)
        } catch {
            guard !results.isEmpty else { throw error }
            var answer = self.answer(results, RowChanges([], cursor: nil), identity, call)
            answer.failure = error
            return answer
        }
    }

    /// Compares the server's account and history with those of the store, before anything is written. A request from the start of
    /// the feed may have another history, so only its account is compared.
    private func identity(
        for request: ExchangeRequest, _ call: inout RowCalls<Server>
    ) async throws(RemoteFailure) -> ServerIdentity {
        var identity = try await call.identity(
            in: request.collection, hasUploads: !request.uploads.isEmpty)
        identity.account = self.account ?? identity.account ?? "-"
        identity.epoch = identity.epoch ?? "-"
        if let account = request.known.account, account != identity.account {
            throw RemoteFailure(.identityChanged, "The server's data belongs to another account than this store.")
        }
        let isFromStart = request.cursor == nil && request.uploads.isEmpty
        if let epoch = request.known.epoch, epoch != identity.epoch, !isFromStart {
            throw RemoteFailure(.historyLost, "The server's history is not that of this store.", serverRolledBack: true)
        }
        return identity
    }

    private func answer(
        _ results: [UploadResult], _ changes: RowChanges, _ identity: ServerIdentity, _ call: RowCalls<Server>,
        after former: LastRow? = nil
    ) -> ExchangeAnswer {
        let last = self.server.noticesRestore ? changes.lastRow(after: former) : nil
        var answer = ExchangeAnswer(
            results: results, page: FeedPage(changes), cursor: RowCursor(value: changes.cursor, last: last).text,
            hasMore: changes.hasMore, epoch: identity.epoch ?? "-", account: identity.account ?? "-")
        answer.beginsResync = changes.isWholeList
        answer.requests = call.count
        (answer.wait, answer.notices) = (changes.wait, changes.notices)
        return answer
    }
}
