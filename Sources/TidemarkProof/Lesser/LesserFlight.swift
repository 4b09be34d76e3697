import TidemarkAdapters
import TidemarkCore
import TidemarkHTTPClient
import TidemarkJSON
import TidemarkSimulation
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
final class LesserFlight {
    /// A request that waits, or the end of the exchange.
    private enum Event: Sendable {
        case request(LesserServer.Request, CheckedContinuation<[HTTPAnswer], any Error>)
        case end(Result<ExchangeAnswer, RemoteFailure>)
    }

    /// The exchange of the engine.
    let outgoing: Device.Outgoing

    /// The waiting request; nil after the end.
    private(set) var request: LesserServer.Request?

    /// The result of the exchange; nil before the end.
    private(set) var result: Result<ExchangeAnswer, RemoteFailure>?

    /// The server's rows when it answered the last request for changes.
    var rows: [SimulationStep.Place: StoredVersion] = [:]

    /// The words of the rows that it has read one by one.
    var read: [SimulationStep.Place: Set<Int>] = [:]

    private var continuation: CheckedContinuation<[HTTPAnswer], any Error>?
    private let events: AsyncStream<Event>

    /// Begins the exchange, up to its first request.
    init(_ outgoing: Device.Outgoing, _ form: LesserForm) async {
        self.outgoing = outgoing
        let (events, feed) = AsyncStream.makeStream(of: Event.self)
        self.events = events
        let functions = LesserFunctions(form: form) { request in
            try await withCheckedThrowingContinuation { _ = feed.yield(.request(request, $0)) }
        }
        // No request of a simulation takes that long.
        let remote = RowRemote(functions, deadline: .seconds(86_400))
        let request = outgoing.request
        Task {
            do throws(RemoteFailure) {
                feed.yield(.end(.success(try await remote.exchange(request))))
            } catch {
                feed.yield(.end(.failure(error)))
            }
        }
        await self.wait()
    }

    var isOver: Bool { self.result != nil }

    /// Answers the waiting request, and waits for the next one or for the end.
    func answer(_ answers: Result<[HTTPAnswer], RemoteFailure>) async {
        let continuation = self.continuation
        (self.request, self.continuation) = (nil, nil)
        switch answers {
        case .success(let answers): continuation?.resume(returning: answers)
        case .failure(let failure): continuation?.resume(throwing: failure)
        }
        await self.wait()
    }

    /// Ends the exchange, as when its process ends.
    func end() async {
        while !self.isOver { await self.answer(.failure(RemoteFailure(.cancelled, "The process has ended."))) }
    }

    private func wait() async {
        for await event in self.events {
            switch event {
            case .request(let request, let continuation): (self.request, self.continuation) = (request, continuation)
            case .end(let result): self.result = result
            }
            return
        }
    }
}
