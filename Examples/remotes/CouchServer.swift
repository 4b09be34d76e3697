// A remote for CouchDB (https://docs.couchdb.org), a server of JSON documents over HTTP.
//
// - The server has versions (`_rev`), a check of the version in each write, tombstones, a list of changes and batches.
// - It lacks request ids; a batch does not return rows, so they are read afterwards, all with one request.
// - A collection is a database, which must exist. A member of a record that begins with “_” is the server's.
// - Condition: `_rev` in `_bulk_docs`; a create has none, which is also accepted over a tombstone.
// - Cursor: `last_seq`, opaque. The history is the time at which the database was made (`instance_start_time`); some versions
//   always return “0”: over these a database that was deleted and made again is not noticed.
// - Deletions: `_deleted`, kept indefinitely. After `_purge` a record stays on the devices until a full resync.
// - Guarantees: I2 and I9 reported, not I11, the others kept. With several nodes, or with a replication into the database, two
//   writes may both be accepted: CouchDB then shows one of them, and I1 is not kept.

public import TidemarkCore
public import TidemarkAdapters
import TidemarkHTTPClient
import TidemarkJSON

/// The functions over the databases of CouchDB.
///
/// ```swift
/// let http = try HTTPClient(url: "https://couch.example", auth: .basic("anna", "secret"))
/// let remote = RowRemote(CouchServer { try await http.send($0) }, account: "anna")
/// let client = try SyncClient(store: .sqlite(at: path), remote: remote)
/// ```
public struct CouchServer: RowServer {
    /// The properties of the server.
    public let capabilities: RemoteCapabilities = {
        let members = ["_id", "_rev"].map { JSONPointer(tokens: [$0]) }
        var capabilities = RemoteCapabilities.rows(
            condition: .atomic, serverMembers: members, feed: .ordered, tombstones: .forever, batchSize: 100)
        // A write without them would delete the attachments.
        capabilities.carriedMembers = [JSONPointer(tokens: ["_attachments"])]
        // A number that is not an integer becomes a double.
        capabilities.values = .rounded
        return capabilities
    }()

    private let send: Send

    /// Makes a server.
    ///
    /// - Parameter send: Sends a request to a target below the server's URL.
    public init(send: @escaping Send) {
        self.send = send
    }

    private func path(of collection: String) -> String { "/\(collection.pathSegment)" }

    /// The history is the time at which the database was made.
    public func identity(in collection: String) async throws -> ServerIdentity {
        let database = try await self.json("GET", self.path(of: collection))
        return ServerIdentity(epoch: database["instance_start_time"]?.text)
    }

    /// Reads the rows since the cursor.
    public func changes(in collection: String, after cursor: String?, limit: Int) async throws -> RowChanges {
        let since = cursor.map { "&since=\($0.pathSegment)" } ?? ""
        let path = "\(self.path(of: collection))/_changes"
        let page = try await self.json("GET", "\(path)?include_docs=true&limit=\(limit)\(since)")
        guard let results = page["results"]?.array, let next = page["last_seq"] else {
            throw RemoteFailure(.invalidAnswer, "CouchDB's list of changes has no “results”, or no “last_seq”.")
        }
        let rows = results.compactMap { change -> ServerRow? in
            // A design document is no record.
            guard let pk = change["id"]?.string, !pk.hasPrefix("_design/") else { return nil }
            let isDeleted = change["deleted"]?.bool ?? false
            return ServerRow(
                pk: pk, version: change["changes"]?[0]?["rev"] ?? .null, content: isDeleted ? nil : change["doc"])
        }
        return RowChanges(rows, cursor: next.string ?? next.text, hasMore: (page["pending"]?.int ?? 0) > 0)
    }

    /// Reads one row.
    public func row(_ pk: String, in collection: String) async throws -> ServerRow? {
        try await self.rows(of: [pk], in: collection)[CodePointString(pk)]
    }

    /// Writes one edit.
    public func write(_ edit: UploadRequest, in collection: String) async throws -> RowAnswer {
        try await self.write([edit], in: collection)?.first ?? .unknown
    }

    /// Writes several edits with one request.
    public func write(_ edits: [UploadRequest], in collection: String) async throws -> [RowAnswer]? {
        var answers = try edits.map { try self.refusal(of: $0) }
        let places = answers.indices.filter { answers[$0] == nil }
        guard !places.isEmpty else { return answers.compactMap { $0 } }
        let documents = try places.map { try self.document(of: edits[$0]) }
        let path = "\(self.path(of: collection))/_bulk_docs"
        let results = try await self.json("POST", path, ["docs": .array(documents)]).array ?? []
        guard results.count == places.count else {
            throw RemoteFailure(.invalidAnswer, "CouchDB answered \(results.count) of \(places.count) edits.")
        }
        let rows = try await self.rows(of: places.map { edits[$0].pk }, in: collection)
        for (number, place) in places.enumerated() {
            let row = rows[CodePointString(edits[place].pk)]
            answers[place] = self.answer(results[number], to: edits[place], documents[number], row)
        }
        return answers.compactMap { $0 }
    }

    /// Reads the answer to one edit of a batch.
    ///
    /// - Parameter row: The present row, or its tombstone: another client may have written it after the edit.
    private func answer(_ result: JSON, to edit: UploadRequest, _ document: JSON, _ row: ServerRow?) -> RowAnswer {
        switch result["error"]?.string {
        case nil:
            guard let version = result["rev"], version != row?.version else { return .accepted(row) }
            var written = document
            written["_rev"] = version
            return .accepted(ServerRow(pk: edit.pk, version: version, content: edit.intent == .delete ? nil : written))
        case "conflict": return edit.intent == .delete && row?.content == nil ? .accepted(row) : .conflicted(row)
        case "forbidden", "unauthorized":
            return .refused(status: 403, result["reason"]?.string ?? "CouchDB refused the document.")
        default: return .unknown
        }
    }

    private func document(of edit: UploadRequest) throws -> JSON {
        var document: JSONObject = ["_id": .string(edit.pk)]
        if edit.intent != .create, let version = edit.versionText { document["_rev"] = .string(version) }
        guard let record = try edit.record()?.object else {
            document["_deleted"] = true
            return .object(document)
        }
        for (name, value) in record { document[name] = value }
        return .object(document)
    }

    /// Refuses what would make CouchDB refuse the whole batch.
    private func refusal(of edit: UploadRequest) throws -> RowAnswer? {
        guard !edit.pk.isEmpty, !edit.pk.hasPrefix("_") else {
            return .refused(status: 400, "An id of CouchDB is not empty, and does not begin with “_”.")
        }
        guard let record = try edit.record() else { return nil }
        guard let names = record.object?.keys else { return .refused(status: 422, "The record is not an object.") }
        guard let name = names.first(where: { $0.hasPrefix("_") && $0 != "_attachments" }) else { return nil }
        return .refused(status: 422, "The member “\(name)” begins with “_”, which CouchDB reserves.")
    }

    /// Reads the present rows and tombstones of some pks.
    private func rows(of pks: [String], in collection: String) async throws -> [CodePointString: ServerRow] {
        let keys: JSON = ["keys": .array(pks.map { .string($0) })]
        let found = try await self.json("POST", "\(self.path(of: collection))/_all_docs?include_docs=true", keys)
        var rows: [CodePointString: ServerRow] = [:]
        for item in found["rows"]?.array ?? [] {
            guard let pk = item["id"]?.string, let version = item["value"]?["rev"] else { continue }
            let isDeleted = item["value"]?["deleted"]?.bool ?? false
            rows[CodePointString(pk)] = ServerRow(pk: pk, version: version, content: isDeleted ? nil : item["doc"])
        }
        return rows
    }

    private func json(_ method: String, _ target: String, _ body: JSON? = nil) async throws -> JSON {
        do {
            let answer = try await self.send(
                HTTPRequest(
                    method, target, fields: [(name: "Content-Type", value: "application/json")], body: body?.bytes))
            // An invalid cursor is the one cause of a refused GET.
            if answer.status == 400, method == "GET" {
                throw RemoteFailure(.historyLost, "CouchDB does not know the cursor.")
            }
            if let failure = RemoteFailure(answer) { throw failure }
            return try JSON(parsing: answer.body)
        } catch let failure as HTTPFailure {
            throw RemoteFailure(failure)
        }
    }
}
