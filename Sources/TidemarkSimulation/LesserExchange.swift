import Dispatch
import Synchronization
import TidemarkAdapters
import TidemarkCore
import TidemarkHTTPClient
import TidemarkJSON
import TidemarkTesting

/// The functions of a remote over a simulated server, as an author writes them.
struct LesserFunctions: RowServer {
    let form: LesserForm
    let send: @Sendable (LesserServer.Request) async throws -> [HTTPAnswer]

    private var rows: RowShape {
        RowShape(
            pk: "id", version: "updated_at", deleted: "deleted",
            overlap: self.form.feed == .late ? LesserForm.overlap : 0)
    }

    var capabilities: RemoteCapabilities { self.form.capabilities }

    func changes(in collection: String, after cursor: String?, limit: Int) async throws -> RowChanges {
        let since = self.rows.since(cursor).flatMap { Int($0) }
        let answer = try await self.send(.changes(collection: collection, since: since, limit: limit))[0]
        if self.form.feed == .list { return try self.rows.list(answer, in: "items") }
        return try self.rows.changes(answer, in: "items", after: cursor, limit: limit)
    }

    func write(_ edit: UploadRequest, in collection: String) async throws -> RowAnswer {
        try self.rows.answer(try await self.send(.write([self.write(edit, collection)]))[0], to: edit)
    }

    func write(_ edits: [UploadRequest], in collection: String) async throws -> [RowAnswer]? {
        guard self.form.isBatch else { return nil }
        let answers = try await self.send(.write(try edits.map { try self.write($0, collection) }))
        return try zip(answers, edits).map { try self.rows.answer($0, to: $1) }
    }

    private func write(_ edit: UploadRequest, _ collection: String) throws -> LesserServer.Write {
        let changed = self.form.isPatching ? try edit.changedMembers() : nil
        return LesserServer.Write(
            place: .init(collection: collection, pk: edit.pk), requestID: edit.requestID,
            body: try changed ?? edit.record(), isPatch: changed != nil, base: edit.versionText)
    }

    func row(_ pk: String, in collection: String) async throws -> ServerRow? {
        try self.rows.row(try await self.send(.row(.init(collection: collection, pk: pk)))[0])
    }
}

/// An exchange in progress. Each of its requests to the server waits until the simulation answers it.
///
/// The remote runs in tasks. The simulation blocks its thread until the next request or the end, so that a run has one order of
/// events: such a run needs a separate thread (``Simulation/onThread(_:)``).
final class LesserExchange {
    /// A request that waits, or the end of the exchange.
    private enum Event: Sendable {
        case request(LesserServer.Request, CheckedContinuation<[HTTPAnswer], any Error>)
        case end(Result<ExchangeAnswer, RemoteFailure>)
    }

    /// Passes the next event from a task to the simulation.
    private final class Passage: Sendable {
        private let event = Mutex<Event?>(nil)
        private let isThere = DispatchSemaphore(value: 0)

        func put(_ event: Event) {
            self.event.withLock { $0 = event }
            self.isThere.signal()
        }

        func wait() -> Event? {
            self.isThere.wait()
            return self.event.withLock(\.self)
        }
    }

    /// The waiting request; nil after the end.
    private(set) var request: LesserServer.Request?

    /// The result of the exchange; nil before the end.
    private(set) var result: Result<ExchangeAnswer, RemoteFailure>?

    /// The server's rows when it answered the last request for changes.
    var ledger: ServerLedger?

    /// The words of the rows that it has read one by one.
    var read: [SimulationStep.Place: Set<Int>] = [:]

    private var continuation: CheckedContinuation<[HTTPAnswer], any Error>?
    private let passage = Passage()

    /// Begins the exchange, up to its first request.
    init(_ request: ExchangeRequest, _ form: LesserForm) {
        let passage = self.passage
        let functions = LesserFunctions(form: form) { request in
            try await withCheckedThrowingContinuation { passage.put(.request(request, $0)) }
        }
        // No request of a simulation takes that long.
        let remote = RowRemote(functions, deadline: .seconds(86_400))
        Task {
            do throws(RemoteFailure) {
                passage.put(.end(.success(try await remote.exchange(request))))
            } catch {
                passage.put(.end(.failure(error)))
            }
        }
        self.wait()
    }

    /// Answers the waiting request, and waits for the next one or for the end.
    func answer(_ answers: Result<[HTTPAnswer], RemoteFailure>) {
        let continuation = self.continuation
        (self.request, self.continuation) = (nil, nil)
        switch answers {
        case .success(let answers): continuation?.resume(returning: answers)
        case .failure(let failure): continuation?.resume(throwing: failure)
        }
        self.wait()
    }

    /// Ends the exchange, as when its process ends.
    func end() {
        while self.result == nil { self.answer(.failure(RemoteFailure(.cancelled, "The process has ended."))) }
    }

    private func wait() {
        switch self.passage.wait() {
        case .request(let request, let continuation): (self.request, self.continuation) = (request, continuation)
        case .end(let result): self.result = result
        case nil: break
        }
    }
}
