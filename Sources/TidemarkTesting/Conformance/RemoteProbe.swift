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
    let place: ConformancePlace
    let subject: ConformanceSubject
    let time: ConformanceTime

    init(
        _ remote: any Remote, in place: ConformancePlace, of subject: ConformanceSubject = ConformanceSubject(),
        time: ConformanceTime
    ) {
        self.remote = remote
        self.place = place
        self.subject = subject
        self.time = time
    }

    var collection: String { self.place.collection }

    /// A probe of another new collection.
    func beside(_ suffix: String) -> RemoteProbe {
        RemoteProbe(
            self.remote, in: ConformancePlace(self.collection + suffix), of: self.subject, time: self.time)
    }

    /// A probe of the second collection.
    var inOtherCollection: RemoteProbe {
        guard let place = self.subject.otherPlace else { return self.beside("-other") }
        return RemoteProbe(self.remote, in: place, of: self.subject, time: self.time)
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
            collection: self.collection, uploads: edits.map { self.told($0, as: $0.name) }, cursor: cursor, seen: seen,
            limit: limit)
    }

    /// Carries out an exchange in the place of the check.
    func exchange(_ request: ExchangeRequest) async throws -> ExchangeAnswer {
        let answer = try await self.time.answer(to: self.place.request(request), of: self.remote)
        try ConformanceWalk.check(answer)
        try self.checkIdentity(in: answer.page)
        return self.place.answer(answer)
    }

    func outcome(_ edit: UploadRequest, cursor: String? = nil) async throws -> UploadResult.Outcome {
        let results = try await self.post([edit], cursor: cursor).results
        try expect("the number of results for one edit", results.count, is: 1)
        return results[0].outcome
    }

    /// Posts one edit that must be accepted, and returns the record's new version.
    func accepted(_ edit: UploadRequest) async throws -> StoredVersion {
        let outcome = try await self.outcome(edit)
        guard case .accepted(let version) = outcome else {
            throw ConformanceFailure(
                "the edit \(ConformanceWords.name(of: edit))", expected: "to be accepted",
                found: ConformanceWords.text(of: outcome))
        }
        return version
    }

    /// Posts a delete that must be accepted, and returns the tombstone: that of the answer, which may have none, or of the feed.
    func tombstone(_ delete: UploadRequest) async throws -> StoredVersion {
        let answered = try await self.accepted(delete)
        guard answered.version == nil else { return answered }
        let rows = try await self.listing().rows
        guard let row = rows.last(where: { CodePointString($0.pk) == CodePointString(delete.pk) }) else {
            throw ConformanceFailure(
                "the feed after the delete of “\(delete.pk)”", expected: "its tombstone", found: "no row")
        }
        return row.version
    }

    /// Reads all rows, page by page, the later ones last; returns them with the cursor at the end of the feed.
    func listing(from cursor: String? = nil, limit: Int = 100) async throws -> (rows: [Row], cursor: String) {
        var rows: [Row] = []
        let end = try await self.read(from: cursor, limit: limit) { page in
            rows += page.rows.map { Row(page.pk(of: $0), page.version(of: $0)) }
        }
        // A remote may read rows again, for an overlap or because the server does not say where its feed ends: of each record
        // the last one counts. Only the wire returns each row once.
        guard !self.subject.keepsWire(self.remote.capabilities) else { return (rows, end) }
        var known: Set<CodePointString> = []
        return (rows.reversed().filter { known.insert(CodePointString($0.pk)).inserted }.reversed(), end)
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
            _ = try await self.exchange(self.request(edits, cursor: cursor, seen: seen, limit: 10))
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

    /// An EDIT of a patch, as the text of its operations.
    static func patch(_ operations: String, of pk: String, _ version: StoredVersion, id: String) -> UploadRequest {
        Self.edit(pk, "EDITED", version, #""edited_data":[\#(operations)]"#, id: id)
    }

    /// An EDIT from its text.
    static func edit(_ text: String, over version: StoredVersion = StoredVersion()) -> UploadRequest {
        do throws(JSONError) {
            return try UploadRequest(encodedEdit: Array(text.utf8), base: version.data)
        } catch {
            preconditionFailure("A check posts \(text), which is not an edit: \(error)")
        }
    }

    private static func edit(
        _ pk: String, _ state: String, _ version: StoredVersion, _ rest: String?, id: String
    ) -> UploadRequest {
        let members = [
            #""request_id":\#(JSON.string(JSONString(id)).text)"#, #""pk":\#(JSON.string(JSONString(pk)).text)"#,
            #""sync_state":"\#(state)""#, #""updated_at":\#(version.version ?? "null")"#,
        ]
        return Self.edit("{\((members + [rest].compactMap { $0 }).joined(separator: ","))}", over: version)
    }
}

extension StoredVersion {
    /// The payload as text, for messages.
    var text: String? {
        self.data.map { String(decoding: $0, as: UTF8.self) }
    }
}
