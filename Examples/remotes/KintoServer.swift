// A remote for Kinto (https://docs.kinto-storage.org), a server of JSON records over HTTP.
//
// - The server has versions (`last_modified`), `If-Match`, tombstones, a list of changes (`_since`) and batches.
// - It lacks request ids; its PostgreSQL backend checks `If-Match` before its transaction, and shows rows out of order.
// - Condition: `If-Match`, or `If-None-Match: *` for a create, even over a tombstone. A lost update is found by the watch.
// - Cursor: the version of the last row. Each sync reads the last 5 seconds again, because a row may become visible late. If the
//   list's ETag is older than the cursor, or Kinto refuses the cursor, the remote begins a full resync.
// - Deletions: `deleted` in the list. Kinto may purge tombstones without a signal, so a full resync is due after 30 days.
// - Guarantees: I1 and I6 within a bound (the watch, 5 seconds), I2 and I9 reported, I3 within 30 days, not I11, the others kept.
//
// The bucket and the collections must exist; in the bucket “default” Kinto makes them.

import Synchronization
public import TidemarkAdapters
public import TidemarkCore
import TidemarkHTTPClient
import TidemarkJSON

/// The functions over the collections of Kinto.
///
/// ```swift
/// let http = try HTTPClient(url: "https://kinto.example/v1", auth: .basic("anna", "secret"))
/// let remote = RowRemote(KintoServer { try await http.send($0) })
/// let client = try SyncClient(store: .sqlite(at: path), remote: remote)
/// ```
public final class KintoServer: RowServer {
    /// The properties of the server.
    public let capabilities: RemoteCapabilities

    /// Kinto compares the version itself.
    public let readsBeforeWrite = false

    private let bucket: String
    private let send: Send
    private let rows = RowShape(pk: "id", version: "last_modified", deleted: "deleted", overlap: 5_000)

    /// The wait and the messages in the answers since the last page of changes.
    private let seen = Mutex((wait: Duration?.none, alerts: [String]()))

    /// Makes a server.
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

    private func path(of collection: String) -> String {
        "/buckets/\(self.bucket.pathSegment)/collections/\(collection.pathSegment)"
    }

    /// The account is the user's id; the history is the collection's version, which changes when it is made again.
    public func identity(in collection: String) async throws -> ServerIdentity {
        let answers = try await self.batch([["path": "/"], ["path": .string(self.path(of: collection))]])
        for answer in answers { if let failure = RemoteFailure(answer) { throw failure } }
        let (root, present) = (try JSON(parsing: answers[0].body), try JSON(parsing: answers[1].body))
        return ServerIdentity(
            account: root["user"]?["id"]?.string, epoch: present["data"]?["last_modified"]?.number?.text)
    }

    /// Reads the rows since the cursor.
    public func changes(in collection: String, after cursor: String?, limit: Int) async throws -> RowChanges {
        let since = self.rows.since(cursor).map { "&_since=\($0.pathSegment)" } ?? ""
        let records = "\(self.path(of: collection))/records"
        let answer = try await self.request("GET", "\(records)?_sort=last_modified&_limit=\(limit)\(since)")
        // A version that a client has set to a time in the future is refused as a cursor.
        if answer.status == 400, cursor != nil {
            throw RemoteFailure(.historyLost, "Kinto refused the cursor “\(cursor ?? "")”.")
        }
        // `Next-Page` decides: the server may have a smaller limit.
        let hasMore = answer.field("Next-Page") != nil
        var changes = try self.rows.changes(answer, in: "data", after: cursor, limit: limit, hasMore: hasMore)
        if let read = cursor.flatMap({ Int($0.prefix(while: \.isNumber)) }),
            let newest = answer.field("ETag").flatMap({ Int($0.filter(\.isNumber)) }), newest < read
        {
            let message = "Kinto's newest version, \(newest), is older than one that was read."
            throw RemoteFailure(.historyLost, message, serverRolledBack: true)
        }
        (changes.wait, changes.notices) = self.seen.withLock { seen in
            defer { seen = (nil, []) }
            return seen
        }
        return changes
    }

    /// Reads one row.
    public func row(_ pk: String, in collection: String) async throws -> ServerRow? {
        let answer = try await self.request("GET", "\(self.path(of: collection))/records/\(pk.pathSegment)")
        if answer.status != 404, let failure = RemoteFailure(answer) { throw failure }
        return try JSON(parsing: answer.body)["data"].flatMap { self.rows.row($0) }
    }

    /// Writes one edit.
    public func write(_ edit: UploadRequest, in collection: String) async throws -> RowAnswer {
        try await self.writeBatch([edit], in: collection)[0]
    }

    /// Writes several edits, 25 with each request.
    public func write(_ edits: [UploadRequest], in collection: String) async throws -> [RowAnswer]? {
        var answers: [RowAnswer] = []
        while answers.count < edits.count {
            do {
                // 25 is Kinto's limit of a batch.
                answers += try await self.writeBatch(Array(edits[answers.count...].prefix(25)), in: collection)
            } catch {
                guard !answers.isEmpty else { throw error }
                answers += edits[answers.count...].map { _ in .unknown }
            }
        }
        return answers
    }

    private func writeBatch(_ edits: [UploadRequest], in collection: String) async throws -> [RowAnswer] {
        let answers = try await self.batch(try edits.map { try self.request(for: $0, in: collection) })
        // A 409 means that two writers met. It rolls back the edits before it, although their answers report success.
        let undone = answers.lastIndex { $0.status == 409 } ?? -1
        return try zip(edits, answers).enumerated().map { place, pair in
            place <= undone ? .unknown : try self.answer(pair.1, to: pair.0)
        }
    }

    private func request(for edit: UploadRequest, in collection: String) throws -> JSON {
        let condition: JSON =
            edit.intent == .create ? ["If-None-Match": "*"] : ["If-Match": .string("\"\(edit.versionText ?? "0")\"")]
        let path = JSON.string("\(self.path(of: collection))/records/\(edit.pk.pathSegment)")
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
        // The failure of a busy server has the wait itself.
        guard answer.meaning != .busy else { return }
        let wait = [answer.field("Backoff"), answer.field("Retry-After")].compactMap { $0.flatMap { Int($0) } }.max()
        let alert = answer.field("Alert").flatMap { try? JSON(parsing: $0)["message"]?.string }
        self.seen.withLock { seen in
            if let wait { seen.wait = max(seen.wait ?? .zero, .seconds(wait)) }
            if let alert, !seen.alerts.contains(alert) { seen.alerts.append(alert) }
        }
    }
}
