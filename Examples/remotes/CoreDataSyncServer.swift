public import TidemarkAdapters
public import TidemarkCore
import TidemarkHTTPClient
import TidemarkJSON
import TidemarkMachine
import TidemarkRules

/// The server of `coredata_sync`, a library for iOS of 2012, used as it is.
///
/// ```
/// GET  /notes?max_updated_at=…      all rows with a newer updated_at, deleted ones (is_active: false) too
/// GET  /notes/42                    one row
/// POST /notes                       {"max_updated_at": …, "items": [{"pk": "42", "is_active": true, "title": "Milk"}]}
/// ```
///
/// A POST sets the given members of each item unless the row is newer than `max_updated_at`; then it changes nothing, and
/// says `is_conflicted`. The answer has all rows with a newer `updated_at`. The client of 2012 sent the newest `updated_at`
/// of the whole collection for all its edits, and an edit that was made on an older row overwrote the newer one without a
/// word.
///
/// **Decisions.**
/// - Condition: one edit in a request, with its own version as `max_updated_at`. So the same test of the same server compares
///   the version of one record. The server compares and then writes, so acknowledged writes are watched for 2 seconds.
/// - Cursor: the greatest `updated_at` that was read. A GET reads 2 seconds before it again, because a row becomes visible
///   after its `updated_at`, and because the server compares with `<` and would skip a second row of one millisecond.
/// - Deletions: rows with `is_active: false`, which the server keeps indefinitely.
///
/// **What the server lacks.** It has no batch, no pages and no request ids. It can't remove a member at the top of a record:
/// it becomes null, and the journal has an entry `altered`. A record that is created again after its deletion has the former
/// members, too, unless the new content has them. A create is compared with 0, so that its answer has the whole collection.
/// Two writes of a record in the same millisecond have the same version, and a client that has read the first does not apply
/// the second. A restore from a backup is noticed only if it has lost all rows of the last 2 seconds, and before the next
/// write.
///
/// **Guarantees** (`RemoteCapabilities.guarantees`). No lost updates: within 2 seconds; a write that overwrites a later one
/// by more is not found. No skipped rows and convergence: within 2 seconds. Lost messages: reported, for a repeated edit is
/// recognized by its content. No orphans: not kept, because a late copy of a create is applied after the delete. The others
/// are kept.
public struct CoreDataSyncServer: RowServer {
    private let send: Send
    private let rows = RowShape(pk: "pk", version: "updated_at", overlap: 2_000)

    /// Makes a server.
    public init(send: @escaping Send) {
        self.send = send
    }

    /// The server compares the version and then writes, and keeps deletions indefinitely.
    public var capabilities: RemoteCapabilities {
        .rows(
            condition: .checkedFirst(watch: .seconds(2)),
            serverMembers: ["pk", "updated_at", "is_active"].map { JSONPointer(tokens: [$0]) },
            feed: .late(.seconds(2)), tombstones: .forever)
    }

    /// Reads all rows that are newer than the cursor less 2 seconds. The server has no pages.
    public func changes(in collection: String, after cursor: String?, limit: Int) async throws -> RowChanges {
        let since = self.rows.since(cursor) ?? "0"
        let answer = try await self.send(HTTPRequest("GET", "/\(collection.pathSegment)?max_updated_at=\(since)"))
        var page = try self.rows.changes(answer, in: "items", after: cursor, limit: .max, hasMore: false)
        guard cursor == nil || !page.rows.isEmpty || !page.malformed.isEmpty else {
            // The server keeps each row, and a late write makes it 2 seconds older at most.
            throw RemoteFailure(
                .historyLost, "The server has lost rows; it was probably restored from a backup.",
                serverRolledBack: true)
        }
        // The rows are in no order.
        let times = page.rows.compactMap(\.version.number) + [cursor.flatMap { JSONNumber($0) }].compactMap { $0 }
        page.rows = page.rows.map { self.marked($0) }
        page.cursor = times.max()?.text
        return page
    }

    /// Posts one edit, with its version as the `max_updated_at` of the request.
    public func write(_ edit: UploadRequest, in collection: String) async throws -> RowAnswer {
        var item = try edit.changedMembers()?.object ?? edit.recordWithNulls()
        item["pk"] = .string(edit.pk)
        item["is_active"] = .bool(edit.intent != .delete)
        let version = try edit.version.map { try JSON(parsing: $0) } ?? 0
        let body: JSON = ["max_updated_at": version, "items": [.object(item)]]
        let answer = try await self.send(
            HTTPRequest(
                "POST", "/\(collection.pathSegment)", fields: [("Content-Type", "application/json")], body: body.bytes))
        guard answer.meaning == .done else { return try self.rows.answer(answer, to: edit) }
        // The answer has other rows, too.
        let page = try self.rows.changes(answer, in: "items", after: nil, limit: .max, hasMore: false)
        guard let row = page.rows.first(where: { CodePointString($0.pk) == CodePointString(edit.pk) }) else {
            return .unknown
        }
        // The member is false, and not missing, in a row without a conflict.
        return row.content?["is_conflicted"]?.bool == true ? .conflicted(self.marked(row)) : .accepted(self.marked(row))
    }

    /// Reads one row.
    public func row(_ pk: String, in collection: String) async throws -> ServerRow? {
        let answer = try await self.send(HTTPRequest("GET", "/\(collection.pathSegment)/\(pk.pathSegment)"))
        return try self.rows.row(answer).map { self.marked($0) }
    }

    /// The row as a record, or as a deletion if it is not active. The decision about an edit is no part of the record.
    private func marked(_ row: ServerRow) -> ServerRow {
        var content = row.content?.object
        content?["is_conflicted"] = nil
        let isActive = content?["is_active"]?.bool ?? true
        return ServerRow(pk: row.pk, version: row.version, content: isActive ? content.map { .object($0) } : nil)
    }
}
