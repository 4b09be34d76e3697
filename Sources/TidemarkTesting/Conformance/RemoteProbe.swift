import TidemarkCore
import TidemarkJSON
import TidemarkMachine

/// The remote, the collection and the time of a check, with helpers.
struct RemoteProbe: Sendable {
    /// One row as a check compares it.
    struct Row: Hashable {
        var pk: String
        var version: StoredVersion

        init(_ pk: String, _ version: StoredVersion) {
            self.pk = pk
            self.version = version
        }
    }

    let remote: any Remote
    let collection: String
    let time: ConformanceTime

    init(_ remote: any Remote, collection: String, time: ConformanceTime) {
        self.remote = remote
        self.collection = collection
        self.time = time
    }

    func get(_ cursor: String? = nil, seen: String? = nil, limit: Int = 100) async throws -> ExchangeAnswer {
        try await self.exchange(self.request(cursor: cursor, seen: seen, limit: limit))
    }

    func post(
        _ edits: [UploadRequest], cursor: String? = nil, seen: String? = nil, limit: Int = 100
    ) async throws -> ExchangeAnswer {
        try await self.exchange(self.request(edits, cursor: cursor, seen: seen, limit: limit))
    }

    private func request(
        _ edits: [UploadRequest] = [], cursor: String?, seen: String?, limit: Int
    ) -> ExchangeRequest {
        ExchangeRequest(
            collection: self.collection, uploads: edits, cursor: cursor, seen: seen, limit: limit)
    }

    private func exchange(_ request: ExchangeRequest) async throws -> ExchangeAnswer {
        let answer = try await self.time.answer(to: request, of: self.remote)
        try ConformanceWalk.check(answer)
        return answer
    }

    /// Posts one edit, and returns its outcome.
    func outcome(_ edit: UploadRequest, cursor: String? = nil) async throws -> UploadResult.Outcome {
        let results = try await self.post([edit], cursor: cursor).results
        try expect("the number of results for one edit", results.count, is: 1)
        return results[0].outcome
    }

    /// Posts one edit that must be accepted, and returns the record's new version.
    func accepted(_ edit: UploadRequest) async throws -> StoredVersion {
        let outcome = try await self.outcome(edit)
        guard case .accepted(let version) = outcome else {
            throw ConformanceFailure("the edit \(edit)", expected: "to be accepted", found: "\(outcome)")
        }
        return version
    }

    /// Reads all rows, page by page, the later ones last; returns them with the cursor at the end of the feed.
    func listing(from cursor: String? = nil, limit: Int = 100) async throws -> (rows: [Row], cursor: String) {
        var rows: [Row] = []
        let end = try await self.read(from: cursor, limit: limit) { page in
            rows += page.rows.map { Row(page.pk(of: $0), page.version(of: $0)) }
        }
        return (rows, end)
    }

    /// Reads page by page to the end of the feed, and returns the cursor there.
    ///
    /// - Throws: ``ConformanceFailure`` if the feed does not end (``ConformanceWalk``).
    func read(from cursor: String?, limit: Int = 100, _ take: (FeedPage) -> Void) async throws -> String {
        var walk = ConformanceWalk()
        var cursor = cursor
        while true {
            let answer = try await self.get(cursor, limit: limit)
            try expect("malformed items", answer.page.malformed, is: [])
            try walk.take(answer, after: cursor)
            take(answer.page)
            guard answer.hasMore else { return answer.cursor }
            cursor = answer.cursor
        }
    }

    /// Sends a request that must fail, and returns its failure.
    func failure(
        _ name: String, posting edits: [UploadRequest] = [], cursor: String? = nil, seen: String? = nil
    ) async throws -> RemoteFailure {
        do {
            let request = self.request(edits, cursor: cursor, seen: seen, limit: 10)
            _ = try await self.time.answer(to: request, of: self.remote)
        } catch let failure as RemoteFailure {
            return failure
        }
        throw ConformanceFailure(name, expected: "a failure", found: "an answer")
    }
}

// MARK: - Edits

extension RemoteProbe {
    /// An EDIT that makes a record with a content; in place of a tombstone if its version is given.
    static func create(_ pk: String, _ content: String, over version: String? = nil, id: String) -> UploadRequest {
        Self.edit(
            pk, "CREATED", StoredVersion(version: version),
            #""edited_data":[{"op":"add","path":"","value":\#(content)}]"#, id: id)
    }

    /// An EDIT that sets one member at the top of a record.
    static func set(_ member: String, to value: String, in pk: String, _ version: StoredVersion, id: String)
        -> UploadRequest
    {
        Self.edit(
            pk, "EDITED", version, #""edited_data":[{"op":"add","path":"/\#(member)","value":\#(value)}]"#,
            id: id)
    }

    /// An EDIT that deletes a record.
    static func delete(_ pk: String, _ version: StoredVersion, id: String) -> UploadRequest {
        Self.edit(pk, "DELETED", version, nil, id: id)
    }

    private static func edit(
        _ pk: String, _ state: String, _ version: StoredVersion, _ rest: String?, id: String
    ) -> UploadRequest {
        let members = [
            #""request_id":\#(JSON.string(JSONString(id)).text)"#, #""pk":\#(JSON.string(JSONString(pk)).text)"#,
            #""sync_state":"\#(state)""#, #""updated_at":\#(version.version ?? "null")"#,
        ]
        let text = "{\((members + [rest].compactMap { $0 }).joined(separator: ","))}"
        do throws(JSONError) {
            return try UploadRequest(encodedEdit: Array(text.utf8), base: version.data)
        } catch {
            preconditionFailure("A check posts \(text), which is not an edit: \(error)")
        }
    }
}

extension StoredVersion {
    /// The payload as text, for messages.
    var text: String? {
        self.data.map { String(decoding: $0, as: UTF8.self) }
    }
}
