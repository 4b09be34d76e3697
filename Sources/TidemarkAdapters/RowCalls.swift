import TidemarkCore
import TidemarkHTTP
import TidemarkHTTPClient
import TidemarkJSON
import TidemarkMachine
import TidemarkRules

/// The calls of one exchange: each with its deadline, and its error as a failure.
struct RowCalls<Server: RowServer> {
    let server: Server
    let deadline: Duration
    let clock: any Clock<Duration>

    /// The number of calls so far.
    var count = 0

    /// The server's name in the row of the edit whose answer is read; nil if there is none.
    var name: String?

    /// Calls a read of a request that also has edits: if the read fails, that says nothing about the edits.
    ///
    /// - Parameters:
    ///   - classes: The classes that a read of these rows can't have.
    ///   - blame: The possible cause of an invalid answer.
    private static func reading<Value>(
        not classes: Set<FailureClass>, blame: RemoteFailure.Blame, _ body: () async throws(RemoteFailure) -> Value
    ) async throws(RemoteFailure) -> Value {
        do throws(RemoteFailure) {
            return try await body()
        } catch {
            var failure = error
            if classes.contains(failure.failureClass) { failure.failureClass = .invalidAnswer }
            if failure.failureClass == .invalidAnswer, !classes.isEmpty { failure.blame = blame }
            throw failure
        }
    }

    mutating func identity(in collection: String, hasUploads: Bool) async throws(RemoteFailure) -> ServerIdentity {
        let server = self.server
        return try await Self.reading(not: hasUploads ? [.refused, .notFound] : [], blame: .server) {
            () async throws(RemoteFailure) in
            try await self.limited("identity", .invalidAnswer) { try await server.identity(in: collection) }
        }
    }

    mutating func whole(_ request: ExchangeRequest) async throws(RemoteFailure) -> RowExchange? {
        let server = self.server
        return try await self.counted("exchange", .offline) { try await server.exchange(request) }
    }

    mutating func changes(
        in collection: String, after cursor: String?, limit: Int, hasUploads: Bool
    ) async throws(RemoteFailure) -> RowChanges {
        let server = self.server
        self.count += 1
        let body: @Sendable () async throws -> RowChanges = {
            try await server.changes(in: collection, after: cursor, limit: limit)
        }
        return try await Self.reading(not: hasUploads ? [.refused, .notFound] : [], blame: .server) {
            () async throws(RemoteFailure) in
            try await self.limited("changes", .invalidAnswer, body)
        }
    }

    /// Reads the row that was read last again, and throws if the server has lost it (``RowServer/noticesRestore``).
    mutating func check(_ last: LastRow, in collection: String) async throws(RemoteFailure) {
        let server = self.server
        self.count += 1
        let row: ServerRow?
        do throws(RemoteFailure) {
            row = try await self.limited("row", .invalidAnswer) { try await server.row(last.name, in: collection) }
        } catch {
            // A row that may not be read any more shows nothing.
            if error.failureClass == .refused { return }
            throw error
        }
        guard let loss = last.loss(shownBy: row) else { return }
        throw RemoteFailure(
            .historyLost, "The server's record “\(last.name)” \(loss): the server was restored from a backup.",
            serverRolledBack: true)
    }

    /// Whether the server names the records.
    private var isNaming: Bool { self.server.capabilities.names != .client }

    /// Reads the row of an edit: by its name, or by its pk if it has none.
    private mutating func row(of upload: UploadRequest, in collection: String) async throws(RemoteFailure) -> ServerRow?
    {
        let (server, pk) = (self.server, upload.pk)
        let name = self.isNaming ? upload.name : pk
        self.count += 1
        let row = try await Self.reading(not: [.refused, .notFound, .historyLost], blame: .unknown) {
            () async throws(RemoteFailure) in
            guard let name else {
                return try await self.limited("find", .invalidAnswer) { try await server.find(pk, in: collection) }
            }
            return try await self.limited("row", .invalidAnswer) { try await server.row(name, in: collection) }
        }
        return try row.map { (row) throws(RemoteFailure) in try self.checked(row, of: upload) }
    }

    /// Checks a row of an answer: a row of another record, in a batch whose answers have another order, would be stored as this
    /// one. A row with the name of the edit and another pk shows that the server uses the name for another record.
    private func checked(_ row: ServerRow, of upload: UploadRequest) throws(RemoteFailure) -> ServerRow {
        let pk = upload.pk
        if let fault = row.fault {
            throw RemoteFailure(.invalidAnswer, "\(Server.self) returned a row of “\(pk)”: \(fault).")
        }
        if self.isNaming, row.name == nil {
            throw RemoteFailure(.invalidAnswer, "\(Server.self) returned a row of “\(pk)” without its name.")
        }
        let isNamed = row.name.map { CodePointString($0) } == upload.name.map { CodePointString($0) } && row.name != nil
        // A row without a pk has its name as the pk: a deletion, or any row if the server keeps no pk.
        let isWithoutPK = row.content == nil || self.server.capabilities.names == .server
        let isOwn = isWithoutPK && (isNamed || upload.name == nil && upload.intent == .create) && row.pk == row.name
        guard CodePointString(row.pk) != CodePointString(pk), !isOwn else { return row }
        guard isNamed else {
            throw RemoteFailure(
                .invalidAnswer, "\(Server.self) returned the row of “\(row.pk)” for “\(pk)”.")
        }
        throw RemoteFailure(
            .historyLost,
            "The server's record “\(row.name ?? "")” was “\(pk)”, and is “\(row.pk)” now: the server was restored from a backup, or "
                + "it uses the names of deleted records again.", serverRolledBack: true)
    }

    /// Writes edits, and appends a result for each, so that results before a failure are kept.
    mutating func write(
        _ uploads: [UploadRequest], in collection: String, _ results: inout [UploadResult]
    ) async throws(RemoteFailure) {
        guard !uploads.isEmpty else { return }
        let (server, readsBeforeWrite) = (self.server, self.server.readsBeforeWrite)
        if !readsBeforeWrite, !self.isNaming {
            let answers = try await self.counted("write", .offline) { try await server.write(uploads, in: collection) }
            if let answers {
                try self.check(answers.count, of: uploads)
                return try await self.append(answers, of: uploads, in: collection, to: &results)
            }
        }
        for upload in uploads {
            var upload = upload
            if readsBeforeWrite || self.isNaming && upload.name == nil {
                let row = try await self.row(of: upload, in: collection)
                if let found = Self.outcome(of: upload, over: row) {
                    results.append(UploadResult(requestID: upload.requestID, outcome: found, name: row?.name))
                    continue
                }
                upload.name = row?.name ?? upload.name
            }
            let edit = upload
            let answer = try await self.counted("write", .offline) { try await server.write(edit, in: collection) }
            results.append(try await self.result(of: upload, answer, in: collection))
        }
    }

    /// Compares the version of an edit with the server's row.
    ///
    /// - Returns: The outcome if the edit need not be written; nil if it has to be.
    private static func outcome(of upload: UploadRequest, over row: ServerRow?) -> UploadResult.Outcome? {
        let present = row.map { $0.version(exists: $0.content != nil) } ?? StoredVersion()
        switch upload.intent {
        case .delete where present.data == nil: return .accepted(present)
        case .edit where present.data == nil: return .conflicted(present)
        // A server that shows no tombstones has no version to compare.
        case .create where row == nil: return nil
        case .create, .edit, .delete: return present.version == upload.version ? nil : .conflicted(present)
        }
    }

    /// Appends a result for each answer, so that results before a failure are kept.
    mutating func append(
        _ answers: [RowAnswer], of uploads: [UploadRequest], in collection: String, to results: inout [UploadResult]
    ) async throws(RemoteFailure) {
        for (upload, answer) in zip(uploads, answers) {
            results.append(try await self.result(of: upload, answer, in: collection))
        }
    }

    private mutating func result(
        of upload: UploadRequest, _ answer: RowAnswer, in collection: String
    ) async throws(RemoteFailure) -> UploadResult {
        self.name = nil
        var result = UploadResult(
            requestID: upload.requestID, outcome: try await self.outcome(of: upload, answer, in: collection))
        result.name = self.name
        if case .accepted(nil) = answer { result.isReadBack = true }
        return result
    }

    private mutating func outcome(
        of upload: UploadRequest, _ answer: RowAnswer, in collection: String
    ) async throws(RemoteFailure) -> UploadResult.Outcome {
        switch answer {
        case .accepted(let row?):
            let row = try self.checked(row, of: upload)
            self.name = row.name
            return .accepted(row.version(exists: row.content != nil))
        case .accepted(nil): return try await self.readBack(upload, in: collection)
        case .conflicted(let row):
            let present = try await self.present(row, upload, in: collection)
            // A record that is gone needs no delete (W7).
            if upload.intent == .delete, present.data == nil { return .accepted(present) }
            guard present.version == upload.version, present.data != nil || upload.intent == .create else {
                return .conflicted(present)
            }
            // A row that is read from another copy of the data may be older than the conflict.
            guard upload.wasResent else { return .unknown }
            return Self.refused(
                status: 409, "The server refuses the edit as a conflict, although the edit has the version of its row.")
        case .refused(let status, let reason):
            // The first copy of the edit may have been accepted: then the row has another version (R17, R18).
            if upload.wasResent {
                let present = try await self.present(nil, upload, in: collection)
                switch upload.intent {
                case .delete where present.data == nil: return .accepted(present)
                case .edit where present.data == nil: return .conflicted(present)
                case .create, .edit, .delete:
                    if present.data != nil, present.version != upload.version { return .conflicted(present) }
                }
            }
            return Self.refused(status: status, reason)
        case .unknown: return .unknown
        }
    }

    /// Reads the row that an accepted edit wrote, for an answer without it.
    private mutating func readBack(
        _ upload: UploadRequest, in collection: String
    ) async throws(RemoteFailure) -> UploadResult.Outcome {
        guard let row = try await self.row(of: upload, in: collection) else {
            // Another client may have deleted the row; but the write may have had no effect, or be visible later.
            switch upload.intent {
            case .create: return .unknown
            case .edit: return .conflicted(StoredVersion())
            case .delete: return .accepted(StoredVersion())
            }
        }
        self.name = row.name
        let version = row.version(exists: row.content != nil)
        guard row.content != nil else { return .accepted(version) }
        // Many servers answer 2xx also if they wrote nothing. If a server alters values, only the version shows that it wrote.
        let isAltered = self.server.capabilities.values == .rounded && row.version.text != upload.version
        guard upload.intent != .delete, isAltered || self.shows(row, upload) else {
            return row.version.text == upload.version
                ? .unknown : upload.intent == .delete ? .accepted(version) : .conflicted(version)
        }
        return .accepted(version)
    }

    /// Whether a row has the values of an edit, or some of them, if another client has changed it after the edit.
    private func shows(_ row: ServerRow, _ upload: UploadRequest) -> Bool {
        guard let content = row.content, let patch = upload.patch else { return false }
        if case .add(.root, let sent)? = patch.operations.first, patch.operations.count == 1 {
            let (members, now) = (sent.object ?? JSONObject(), content.object ?? JSONObject())
            return members.isEmpty || members.contains { now[$0.key] == $0.value }
        }
        return patch.operations.isEmpty
            || patch.operations.contains { operation in
                switch operation {
                case .add(let path, let value), .replace(let path, let value): content[pointer: path] == value
                case .remove(let path): content[pointer: path] == nil
                case .move, .copy, .test: true
                }
            }
    }

    /// Returns the server's present version of a record.
    private mutating func present(
        _ row: ServerRow?, _ upload: UploadRequest, in collection: String
    ) async throws(RemoteFailure) -> StoredVersion {
        let found: ServerRow?
        if let row {
            found = try self.checked(row, of: upload)
        } else {
            found = try await self.row(of: upload, in: collection)
        }
        self.name = found?.name
        return found.map { $0.version(exists: $0.content != nil) } ?? StoredVersion()
    }

    private static func refused(status: Int, _ reason: String) -> UploadResult.Outcome {
        let document: JSON = ["status": .number(JSONNumber(status)), "title": .string(reason)]
        return .refused(ProblemDetails(status: status, title: reason, document: document))
    }

    func check(_ count: Int, of uploads: [UploadRequest]) throws(RemoteFailure) {
        guard count != uploads.count else { return }
        throw RemoteFailure(
            .invalidAnswer,
            "\(Server.self) returned \(count) answers for \(uploads.count) edits; it needs one for each.")
    }

    // MARK: Deadline and errors

    private mutating func counted<Value: Sendable>(
        _ name: String, _ failureClass: FailureClass, _ body: @escaping @Sendable () async throws -> Value
    ) async throws(RemoteFailure) -> Value {
        self.count += 1
        return try await self.limited(name, failureClass, body)
    }

    /// Returns the result of a call, or fails when its deadline is over.
    ///
    /// It uses unstructured tasks, and not a group: a group ends with the last of its children, so a call that never returns, and
    /// ignores its cancellation, would hold up the sync indefinitely. The task of such a call is abandoned.
    private func limited<Value: Sendable>(
        _ name: String, _ failureClass: FailureClass, _ body: @escaping @Sendable () async throws -> Value
    ) async throws(RemoteFailure) -> Value {
        let (ends, continuation) = AsyncStream.makeStream(of: Result<Value, RemoteFailure>.self)
        let (deadline, clock) = (self.deadline, self.clock)
        let calling = Task {
            do {
                continuation.yield(.success(try await body()))
            } catch {
                continuation.yield(.failure(RemoteFailure(error, of: "\(Server.self).\(name)", failureClass)))
            }
        }
        let waiting = Task {
            guard (try? await clock.sleep(for: deadline)) != nil else { return }
            continuation.yield(
                .failure(RemoteFailure(.offline, "\(Server.self).\(name) did not return within \(deadline).")))
        }
        defer {
            calling.cancel()
            waiting.cancel()
        }
        for await end in ends { return try end.get() }
        throw RemoteFailure(.cancelled, "The sync was cancelled.")
    }
}

extension RemoteFailure {
    /// Classifies the error of a call.
    fileprivate init(_ error: any Error, of call: String, _ failureClass: FailureClass) {
        if let failure = error as? RemoteFailure {
            self = failure
        } else if let failure = error as? HTTPFailure {
            self.init(failure)
        } else if error is CancellationError {
            self.init(.cancelled, "The sync was cancelled.")
        } else {
            // Without Foundation the type is known by its name.
            let type = "\(type(of: error))"
            let isOfNetwork = type == "URLError" || type == "NSURLError"
            self.init(isOfNetwork ? .offline : failureClass, "\(call) threw \(type): \(error)")
        }
    }
}

extension ServerRow {
    /// The version as the engine keeps it.
    func version(exists: Bool) -> StoredVersion {
        StoredVersion(version: self.version.text, data: exists ? self.content?.bytes : nil)
    }
}
