public import TidemarkAdapters
public import TidemarkCore
import TidemarkHTTPClient
import TidemarkJSON

/// A REST server that names its rows with integer ids, and that has a text member for the client's pk.
///
/// - A list with `updated_since` returns the rows after a time, sorted by `updated_at`, with tombstones (`deleted`); with `ref` it
///   returns the rows with a pk. GET with an id returns a tombstone, too.
/// - POST makes a row and gives it an id; PATCH replaces whole members and DELETE deletes, both with `If-Match` and the version.
///
/// **Guarantees.** As those of a server with conditions. A row is read before each write, because a server that was restored from
/// a backup gives its ids again; the restore itself is noticed by the row that was read last. A create whose answer was lost is
/// found by its `ref`.
///
/// **Decisions.** `version` is the condition of a write, `updated_at` the order of the feed. A row that another program made has no
/// `ref`: its id is the pk.
public struct JobsServer: RowServer {
    private let send: Send
    private let rows = RowShape(name: "id", pk: "ref", version: "version", order: "updated_at", deleted: "deleted")

    /// Makes a server.
    public init(send: @escaping Send) { self.send = send }

    /// The condition, the server's members, and the member with the pk.
    public var capabilities: RemoteCapabilities {
        .rows(
            condition: .atomic,
            serverMembers: ["id", "version", "updated_at", "deleted"].map { JSONPointer(tokens: [$0]) }, feed: .ordered,
            names: .member(JSONPointer(tokens: ["ref"])))
    }

    /// The server has no history with an id.
    public var noticesRestore: Bool { true }

    /// Lists the rows after the cursor.
    public func changes(in collection: String, after cursor: String?, limit: Int) async throws -> RowChanges {
        let since = self.rows.since(cursor).map { "&updated_since=\($0.pathSegment)" } ?? ""
        let answer = try await self.send(HTTPRequest("GET", "/\(collection.pathSegment)?limit=\(limit)\(since)"))
        return try self.rows.changes(answer, in: "items", after: cursor, limit: limit)
    }

    /// Writes a new row, the changed members, or a deletion.
    public func write(_ edit: UploadRequest, in collection: String) async throws -> RowAnswer {
        var fields = [(name: "Content-Type", value: "application/json")]
        if let version = edit.versionText, edit.name != nil { fields.append(("If-Match", "\"\(version)\"")) }
        let method = edit.intent == .delete ? "DELETE" : edit.name == nil ? "POST" : "PATCH"
        let target = "/\(collection.pathSegment)" + (edit.name.map { "/\($0.pathSegment)" } ?? "")
        let body = try edit.changedMembers() ?? edit.record()
        let answer = try await self.send(HTTPRequest(method, target, fields: fields, body: body?.bytes))
        return try self.rows.answer(answer, to: edit)
    }

    /// Reads the row with an id.
    public func row(_ name: String, in collection: String) async throws -> ServerRow? {
        try self.rows.row(try await self.send(HTTPRequest("GET", "/\(collection.pathSegment)/\(name.pathSegment)")))
    }

    /// Looks for the row with a pk.
    public func find(_ pk: String, in collection: String) async throws -> ServerRow? {
        let query = HTTPRequest("GET", "/\(collection.pathSegment)?ref=\(pk.pathSegment)")
        return try self.rows.row(of: pk, among: try await self.send(query), in: "items")
    }
}
