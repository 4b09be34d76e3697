public import TidemarkAdapters
public import TidemarkCore
import TidemarkHTTPClient
import TidemarkJSON
import TidemarkMachine
import TidemarkRules

/// The server of `offline_sync`, a library for iOS and Rails of 2013, used as it is.
///
/// ```
/// POST /sync
/// {"last_sync_time": 1357804710.251, "modified_entities": [
///     {"classname": "notes", "guid": "42", "last_modified": 1357804709.5, "is_deleted": false, "title": "Milk"}]}
///
/// {"modified_entities": […], "conflicted_entities": […]}
/// ```
///
/// One request does everything. The server saves each entity that it does not have, or that has the `last_modified` of its
/// row. Otherwise it changes nothing and returns its row in `conflicted_entities`. Then it returns all rows of all classes
/// that were modified after `last_sync_time`, those of the request too.
///
/// **Decisions.**
/// - Form: ``exchange(_:)``. The class of an entity is the collection, and the rows of other classes are dropped: each
///   collection has separate requests.
/// - Condition: `last_modified` is the version that the edit was made on. The server compares it, and then writes the whole
///   record, so acknowledged writes are watched for 2 seconds.
/// - Cursor: the greatest `last_modified` that was read, in seconds with a fraction. Each request reads 2 seconds before it
///   again, because a row becomes visible after its time.
/// - Deletions: rows with `is_deleted`, which the server keeps indefinitely.
/// - Refusals: a record that the server can't save is in neither array, or is there with the version that the edit was made
///   on.
///
/// **What the server lacks.** It has no pages, and no reason for a refusal. If it fails within a request, the entities before
/// are saved, and the outcome of all is unknown. It can't remove a member at the top of a record: it becomes null, and the
/// journal has an entry `altered`. A record that is created again after its deletion has the former members, too, unless the
/// new content has them. Two writes of a record at the same time have the same version, and a client that has read the first
/// does not apply the second: the times of the database need at least milliseconds. A restore from a backup is noticed only
/// if it has lost all rows of the last 2 seconds, and before the next write.
///
/// **Guarantees** (`RemoteCapabilities.guarantees`). No lost updates: within 2 seconds; a write that overwrites a later one
/// by more is not found. No skipped rows and convergence: within 2 seconds. Lost messages: reported, for a repeated edit is
/// recognized by its content. No orphans: not kept, because a late copy of a create is applied after the delete. The others
/// are kept.
public struct OfflineSyncServer: RowServer {
    private let send: Send
    private let shape = RowShape(pk: "guid", version: "last_modified", deleted: "is_deleted")

    /// Makes a server.
    public init(send: @escaping Send) {
        self.send = send
    }

    /// The server compares the version and then writes, and keeps deletions indefinitely.
    public var capabilities: RemoteCapabilities {
        .rows(
            condition: .checkedFirst(watch: .seconds(2)),
            serverMembers: ["guid", "last_modified", "is_deleted", "classname"].map { JSONPointer(tokens: [$0]) },
            feed: .late(.seconds(2)), tombstones: .forever)
    }

    /// Sends all edits, and receives all changes.
    public func exchange(_ request: ExchangeRequest) async throws -> RowExchange? {
        let read = request.cursor.flatMap { JSONNumber($0) }
        let body: JSON = [
            "last_sync_time": .number(read?.subtracting(JSONNumber(2)) ?? JSONNumber(0)),
            "modified_entities": .array(try request.uploads.map { try self.entity(of: $0, in: request.collection) }),
        ]
        let answer = try await self.send(
            HTTPRequest("POST", "/sync", fields: [("Content-Type", "application/json")], body: body.bytes))
        if let failure = RemoteFailure(answer) { throw failure }
        var changes = try self.rows(answer, in: "modified_entities", of: request.collection)
        let conflicted = try self.rows(answer, in: "conflicted_entities", of: request.collection)
        guard read == nil || !changes.rows.isEmpty || !changes.malformed.isEmpty else {
            // The server keeps each row, and a late write makes it 2 seconds older at most.
            throw RemoteFailure(
                .historyLost, "The server has lost rows; it was probably restored from a backup.",
                serverRolledBack: true)
        }
        changes.cursor = (changes.rows.compactMap(\.version.number) + [read].compactMap { $0 }).max()?.text
        let answers = request.uploads.map { edit -> RowAnswer in
            func isRow(_ row: ServerRow) -> Bool { CodePointString(row.pk) == CodePointString(edit.pk) }
            // A row with a conflict may also be new since the cursor.
            if let row = conflicted.rows.first(where: isRow) { return .conflicted(row) }
            if let row = changes.rows.first(where: isRow), row.version.text != edit.version { return .accepted(row) }
            return .refused(status: 422, "The server did not save the record, and gave no reason.")
        }
        return RowExchange(answers: answers, changes: changes)
    }

    /// The whole record, as the server saves it.
    private func entity(of edit: UploadRequest, in collection: String) throws -> JSON {
        var entity = try edit.recordWithNulls()
        entity["classname"] = .string(collection)
        entity["guid"] = .string(edit.pk)
        entity["last_modified"] = try edit.version.map { try JSON(parsing: $0) } ?? 0
        entity["is_deleted"] = .bool(edit.intent == .delete)
        return .object(entity)
    }

    /// The rows of one array that belong to a collection.
    private func rows(_ answer: HTTPAnswer, in list: String, of collection: String) throws -> RowChanges {
        guard let items = try JSON(parsing: answer.body)[list]?.array else {
            throw RemoteFailure(.invalidAnswer, "The server's answer has no array “\(list)”.")
        }
        var changes = RowChanges([], cursor: nil)
        for item in items where item["classname"]?.string.map({ CodePointString($0) }) == CodePointString(collection) {
            if let row = self.shape.row(item) {
                changes.rows.append(row)
            } else {
                changes.malformed.append(
                    QuarantinedItem(
                        pk: item["guid"]?.string ?? "an item",
                        reason: "the server's item has no guid or no last_modified"))
            }
        }
        return changes
    }

    // MARK: The other functions, by the same request

    /// Receives all changes.
    public func changes(in collection: String, after cursor: String?, limit: Int) async throws -> RowChanges {
        let request = ExchangeRequest(collection: collection, cursor: cursor, limit: limit)
        return try await self.exchange(request)?.changes ?? RowChanges([], cursor: cursor)
    }

    /// Sends one edit.
    public func write(_ edit: UploadRequest, in collection: String) async throws -> RowAnswer {
        let request = ExchangeRequest(collection: collection, uploads: [edit], cursor: nil, limit: 1)
        return try await self.exchange(request)?.answers.first ?? .unknown
    }

    /// Reads one row of all of them: the server has no other way.
    public func row(_ pk: String, in collection: String) async throws -> ServerRow? {
        try await self.changes(in: collection, after: nil, limit: 1).rows.first {
            CodePointString($0.pk) == CodePointString(pk)
        }
    }
}
