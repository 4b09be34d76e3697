public import TidemarkAdapters
public import TidemarkCore
import TidemarkHTTPClient
import TidemarkJSON

/// A plain REST server, such as many shops and teams have: one URL for each record, with PUT, PATCH and DELETE.
///
/// - A list with `updated_since` returns the rows from a time on, in the order of `updated_at`, with tombstones (`deleted`).
/// - A write has a condition (`If-Match` with the version, `If-None-Match: *` for a new record), and fails with 412.
/// - PATCH replaces whole members at the top of the record.
/// - The server does not recognize a request that comes twice, has no batch API, and does not report a lost history.
///
/// **Guarantees.** With conditions, all except these: a row that becomes visible more than 5 seconds after its version is not
/// read; a deletion is reported for 30 days; if an answer is lost and another client writes the same field, the two conflict; and
/// a late copy of a create is applied after a delete.
///
/// Without conditions (`checks: false`) the row is read first, and only the changed members are sent. If another device writes
/// between the read and the PATCH, both edits are kept if they change different members at the top of the record; of the same
/// member the last write wins silently, with all that is in it. An edit that removes a member is a PUT of the whole record: it
/// overwrites every edit in that time. A copy of a write that arrives late overwrites newer writes.
///
/// **Decisions.** The version is `updated_at`: the condition of a write, and the cursor. A deletion is a tombstone in the list.
public struct ShopServer: RowServer {
    private let send: Send
    private let checks: Bool
    private let rows = RowShape(pk: "id", version: "updated_at", deleted: "deleted", overlap: 5_000)

    /// Makes a server.
    ///
    /// - Parameter checks: Whether the server compares the version of a write. If not, the row is read before each write, and
    ///   only the changed members are sent.
    public init(checks: Bool = true, send: @escaping Send) {
        self.checks = checks
        self.send = send
    }

    /// Cautious properties; only the condition, the server's members and the feed are named.
    public var capabilities: RemoteCapabilities {
        .rows(
            condition: self.checks ? .atomic : .checkedFirst(watch: .zero),
            serverMembers: [JSONPointer(tokens: ["id"]), JSONPointer(tokens: ["updated_at"])], feed: .late(.seconds(5)))
    }

    /// Lists the rows since the cursor.
    public func changes(in collection: String, after cursor: String?, limit: Int) async throws -> RowChanges {
        let since = self.rows.since(cursor).map { "&updated_since=\($0.pathSegment)" } ?? ""
        let answer = try await self.send(HTTPRequest("GET", "/\(collection.pathSegment)?limit=\(limit)\(since)"))
        return try self.rows.changes(answer, in: "items", after: cursor, limit: limit)
    }

    /// Writes a new record, the changed members, or a deletion.
    public func write(_ edit: UploadRequest, in collection: String) async throws -> RowAnswer {
        let changed = try edit.changedMembers()
        let method = edit.intent == .delete ? "DELETE" : changed == nil ? "PUT" : "PATCH"
        var fields = [(name: "Content-Type", value: "application/json")]
        if self.checks {
            let match = edit.versionText.map { (name: "If-Match", value: "\"\($0)\"") }
            fields.append(match ?? (name: "If-None-Match", value: "*"))
        }
        let target = "/\(collection.pathSegment)/\(edit.pk.pathSegment)"
        let body = try changed ?? edit.record()
        let answer = try await self.send(HTTPRequest(method, target, fields: fields, body: body?.bytes))
        return try self.rows.answer(answer, to: edit)
    }

    /// Reads one row.
    public func row(_ pk: String, in collection: String) async throws -> ServerRow? {
        try self.rows.row(try await self.send(HTTPRequest("GET", "/\(collection.pathSegment)/\(pk.pathSegment)")))
    }
}
