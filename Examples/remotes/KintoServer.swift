// A remote for Kinto (https://docs.kinto-storage.org), a server of JSON records over HTTP.
//
// - The server has versions (`last_modified`), `If-Match`, tombstones, a list of changes (`_since`) and batches.
// - It lacks request ids; its PostgreSQL backend checks `If-Match` before its transaction, and shows rows out of order.
// - Condition: `If-Match`, or `If-None-Match: *` for a create, even over a tombstone. A lost update is found by the watch.
// - Cursor: the version of the last row. Each sync reads the last 5 seconds again, because a row may become visible late. If the
//   list's ETag is older than the cursor, or Kinto refuses the cursor, the remote asks for a full resync.
// - Deletions: `deleted` in the list. Kinto may purge tombstones without a signal, so a full resync is due after 30 days.
// - Guarantees: I1 and I6 within a bound (the watch, 5 seconds), I2 and I9 reported, I3 within 30 days, not I11, the others kept.
//
// The bucket and the collections must exist; in the bucket “default” Kinto makes them.

import Synchronization
import TidemarkAdapters
public import TidemarkCore
import TidemarkHTTPClient
import TidemarkJSON

/// A remote for Kinto.
///
/// ```swift
/// let http = try HTTPClient(url: "https://kinto.example/v1", auth: .basic("anna", "secret"))
/// let client = try SyncClient(store: .sqlite(at: path), remote: KintoRemote { try await http.send($0) })
/// ```
public struct KintoRemote: Remote {
    /// The properties of the server.
    public let capabilities: RemoteCapabilities

    private let bucket: String
    private let send: Send

    /// Makes a remote.
    ///
    /// - Parameters:
    ///   - bucket: The bucket; “default” is each account's own.
    ///   - hasSchema: Whether the collections have a JSON schema: then Kinto adds a member “schema”.
    ///   - watch: How long a late write may overwrite an acknowledged one.
    ///   - send: Sends a request to a target below the URL of the API, such as `https://kinto.example/v1`.
    public init(
        bucket: String = "default", hasSchema: Bool = false, watch: Duration = .seconds(2), send: @escaping Send
    ) {
        self.bucket = bucket
        self.send = send
        let members = ["id", "last_modified", "deleted"] + (hasSchema ? ["schema"] : [])
        var capabilities = RemoteCapabilities.rows(
            condition: .checkedFirst(watch: watch), serverMembers: members.map { JSONPointer(tokens: [$0]) },
            feed: .late(.seconds(5)), batchSize: 100)
        // An integer of more than 64 bits, and a long fraction, become a double.
        capabilities.values = .rounded
        self.capabilities = capabilities
    }

    /// Carries out one exchange.
    public func exchange(_ request: ExchangeRequest) async throws(RemoteFailure) -> ExchangeAnswer {
        let server = KintoServer(
            path: "/buckets/\(self.bucket.pathSegment)/collections/\(request.collection.pathSegment)", send: self.send)
        var answer = try await RowRemote(server).exchange(request)
        server.seen.withLock { seen in
            (answer.requests, answer.wait, answer.notices) = (seen.requests, seen.wait, seen.alerts)
        }
        return answer
    }
}

/// The functions over one collection of Kinto, for one exchange.
final class KintoServer: RowServer {
    /// What the answers of the exchange contain besides the rows.
    let seen = Mutex((requests: 0, wait: Duration?.none, alerts: [String]()))
    private let path: String
    private let send: Send
    private let rows = RowShape(pk: "id", version: "last_modified", deleted: "deleted", overlap: 5_000)

    /// With `.checkedFirst` the remote would read each row before it is written; Kinto compares the version itself.
    var capabilities: RemoteCapabilities { .rows(condition: .atomic, feed: .late(.seconds(5))) }

    init(path: String, send: @escaping Send) {
        self.path = path
        self.send = send
    }

    /// The account is the user's id; the history is the collection's version, which changes when it is made again.
    func identity() async throws -> ServerIdentity {
        let answers = try await self.batch([["path": "/"], ["path": .string(self.path)]])
        for answer in answers { if let failure = RemoteFailure(answer) { throw failure } }
        let (root, collection) = (try JSON(parsing: answers[0].body), try JSON(parsing: answers[1].body))
        return ServerIdentity(
            account: root["user"]?["id"]?.string, epoch: collection["data"]?["last_modified"]?.number?.text)
    }

    func changes(in collection: String, after cursor: String?, limit: Int) async throws -> RowChanges {
        let since = self.rows.since(cursor).map { "&_since=\($0.pathSegment)" } ?? ""
        let answer = try await self.request("GET", "\(self.path)/records?_sort=last_modified&_limit=\(limit)\(since)")
        // A version that a client has set to a time in the future is refused as a cursor.
        if answer.status == 400, cursor != nil {
            throw RemoteFailure(.historyLost, "Kinto refused the cursor “\(cursor ?? "")”.")
        }
        // `Next-Page` decides: the server may have a smaller limit.
        let hasMore = answer.field("Next-Page") != nil
        let changes = try self.rows.changes(answer, in: "data", after: cursor, limit: limit, hasMore: hasMore)
        if let read = cursor.flatMap({ Int($0.prefix(while: \.isNumber)) }),
            let newest = answer.field("ETag").flatMap({ Int($0.filter(\.isNumber)) }), newest < read
        {
            let message = "Kinto's newest version, \(newest), is older than one that was read."
            throw RemoteFailure(.historyLost, message, serverRolledBack: true)
        }
        return changes
    }

    func row(_ pk: String, in collection: String) async throws -> ServerRow? {
        let answer = try await self.request("GET", "\(self.path)/records/\(pk.pathSegment)")
        if answer.status != 404, let failure = RemoteFailure(answer) { throw failure }
        return try JSON(parsing: answer.body)["data"].flatMap { self.rows.row($0) }
    }

    func write(_ edit: UploadRequest, in collection: String) async throws -> RowAnswer {
        try await self.writeBatch([edit])[0]
    }

    func write(_ edits: [UploadRequest], in collection: String) async throws -> [RowAnswer]? {
        var answers: [RowAnswer] = []
        while answers.count < edits.count {
            do {
                // 25 is Kinto's limit of a batch.
                answers += try await self.writeBatch(Array(edits[answers.count...].prefix(25)))
            } catch {
                guard !answers.isEmpty else { throw error }
                answers += edits[answers.count...].map { _ in .unknown }
            }
        }
        return answers
    }

    private func writeBatch(_ edits: [UploadRequest]) async throws -> [RowAnswer] {
        let answers = try await self.batch(try edits.map { try self.request(for: $0) })
        // A 409 means that two writers met. It rolls back the edits before it, although their answers report success.
        let undone = answers.lastIndex { $0.status == 409 } ?? -1
        return try zip(edits, answers).enumerated().map { place, pair in
            place <= undone ? .unknown : try self.answer(pair.1, to: pair.0)
        }
    }

    private func request(for edit: UploadRequest) throws -> JSON {
        let condition: JSON =
            edit.intent == .create ? ["If-None-Match": "*"] : ["If-Match": .string("\"\(edit.versionText ?? "0")\"")]
        let path = JSON.string("\(self.path)/records/\(edit.pk.pathSegment)")
        guard let record = try edit.record() else { return ["method": "DELETE", "path": path, "headers": condition] }
        return ["method": "PUT", "path": path, "headers": condition, "body": ["data": record]]
    }

    private func answer(_ answer: HTTPAnswer, to edit: UploadRequest) throws -> RowAnswer {
        let body = try JSON(parsing: answer.body)
        switch answer.status {
        // Without a row the record is missing.
        case 412: return .conflicted(body["details"]?["existing"].flatMap { self.rows.row($0) })
        case 200, 201: return .accepted(body["data"].flatMap { self.rows.row($0) })
        default: return try self.rows.answer(answer, to: edit)
        }
    }

    // MARK: Requests

    private func batch(_ requests: [JSON]) async throws -> [HTTPAnswer] {
        let answer = try await self.request("POST", "/batch", ["requests": .array(requests)])
        if let failure = RemoteFailure(answer) { throw failure }
        let responses = try JSON(parsing: answer.body)["responses"]?.array ?? []
        guard responses.count == requests.count else {
            throw RemoteFailure(.invalidAnswer, "Kinto answered \(responses.count) of \(requests.count) requests.")
        }
        return responses.map { response in
            let fields = (response["headers"]?.object ?? [:]).map { (name: $0, value: $1.string ?? "") }
            let part = HTTPAnswer(
                status: response["status"]?.int ?? 0, fields: fields, body: response["body"]?.bytes ?? [])
            self.note(part)
            return part
        }
    }

    private func request(_ method: String, _ target: String, _ body: JSON? = nil) async throws -> HTTPAnswer {
        self.seen.withLock { $0.requests += 1 }
        do {
            let answer = try await self.send(
                HTTPRequest(
                    method, target, fields: [(name: "Content-Type", value: "application/json")], body: body?.bytes))
            self.note(answer)
            return answer
        } catch let failure as HTTPFailure {
            throw RemoteFailure(failure)
        }
    }

    private func note(_ answer: HTTPAnswer) {
        let wait = [answer.field("Backoff"), answer.field("Retry-After")].compactMap { $0.flatMap { Int($0) } }.max()
        let alert = answer.field("Alert").flatMap { try? JSON(parsing: $0)["message"]?.string }
        self.seen.withLock { seen in
            if let wait { seen.wait = max(seen.wait ?? .zero, .seconds(wait)) }
            if let alert, !seen.alerts.contains(alert) { seen.alerts.append(alert) }
        }
    }
}
