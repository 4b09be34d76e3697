internal import TidemarkJSON

/// Carries out the edits of one POST inside its transaction, and writes their RESULTs.
///
/// Each edit is decided before anything of it is written, so that a refused one leaves nothing behind (SPEC W5).
struct EditBatch {
    /// The RESULTs, in the order of the edits.
    private(set) var results: [[UInt8]] = []
    /// At which version the results bring which record.
    private(set) var answered = AnsweredVersions()
    /// The feed, with the versions that were given out here.
    private(set) var feed: ServerFeed

    private let storage: any ServerStorage
    private let now: Int64
    private let limits: ServerLimits

    init(_ storage: any ServerStorage, feed: ServerFeed, now: Int64, limits: ServerLimits) {
        self.storage = storage
        self.feed = feed
        self.now = now
        self.limits = limits
    }

    /// Answers one edit: as before where it was answered before (SPEC W4), else by deciding and writing.
    mutating func take(_ json: JSON) throws(ServerStorageError) {
        let envelope = EditEnvelope(json, limits: self.limits)
        guard envelope.isNamed else {
            self.results.append(try self.carryOut(json, envelope).bytes)
            return
        }
        let source = json.bytes
        if let remembered = try self.storage.answer(to: envelope.requestID, in: self.feed) {
            self.results.append(try self.replay(remembered, json, source, envelope))
            return
        }
        let result = try self.carryOut(json, envelope).bytes
        let answer = RememberedAnswer(requestID: envelope.requestID, edit: source, result: result)
        try self.storage.remember(answer, at: self.now, in: self.feed)
        self.results.append(result)
    }

    /// The very same RESULT as the first time, or 422 when the id was used for something else.
    private func replay(
        _ remembered: RememberedAnswer, _ json: JSON, _ source: [UInt8], _ envelope: EditEnvelope
    ) throws(ServerStorageError) -> [UInt8] {
        guard remembered.edit != source else { return remembered.result }
        do throws(JSONError) {
            let limits = JSONLimits(nestingDepth: self.limits.bodyDepth, bytes: .max)
            if try JSON(parsing: remembered.edit, limits: limits) == json {
                return remembered.result
            }
        } catch {
            throw ServerStorageError(
                .corrupt, "the remembered edit “\(envelope.requestID)” is not JSON (\(error)); restore a backup")
        }
        let problem = Problem(
            422, .requestIDReused, "this request_id was used for another edit; send this one under a new id",
            pointer: "/request_id")
        return EditResult(envelope, item: nil, isConflicted: false, problem: problem).bytes
    }

    private mutating func carryOut(_ json: JSON, _ envelope: EditEnvelope) throws(ServerStorageError) -> EditResult {
        let edit: Edit
        do throws(Problem) {
            edit = try Edit(json, limits: self.limits)
        } catch {
            return EditResult(envelope, item: nil, isConflicted: false, problem: error)
        }
        let row = try self.storage.row(edit.pk, in: self.feed)
        switch EditDecision(edit, row: row, limits: self.limits) {
        case .accepted(let write):
            let written = try self.save(write, pk: edit.pk)
            return self.answer(envelope, row: written, isConflicted: false)
        case .unchanged:
            return self.answer(envelope, row: row, isConflicted: false)
        case .conflicted:
            return self.answer(envelope, row: row, isConflicted: true)
        case .refused(let problem):
            return EditResult(envelope, item: nil, isConflicted: false, problem: problem)
        }
    }

    private mutating func answer(_ envelope: EditEnvelope, row: ServerRow?, isConflicted: Bool) -> EditResult {
        if let row {
            self.answered[row.pk] = row.updatedAt
        }
        return EditResult(envelope, item: row, isConflicted: isConflicted, problem: nil)
    }

    /// Writes the row under the next version: the clock's, or one more than the last (SPEC §5, W3).
    private mutating func save(_ write: EditDecision.Write, pk: String) throws(ServerStorageError) -> ServerRow {
        let data: [UInt8]? =
            switch write {
            case .create(let data), .replace(let data): data
            case .delete: nil
            }
        guard self.feed.last < Int64.max else {
            throw ServerStorageError(.corrupt, "the versions of a collection are used up; set the clock and start anew")
        }
        self.feed.last = max(self.now, self.feed.last + 1)
        let row = ServerRow(pk: pk, updatedAt: self.feed.last, data: data)
        try self.storage.save(row, in: self.feed)
        return row
    }
}

/// One RESULT (SPEC §5).
struct EditResult {
    /// The JSON as it is sent, and kept for repetitions.
    let bytes: [UInt8]

    init(_ envelope: EditEnvelope, item: ServerRow?, isConflicted: Bool, problem: Problem?) {
        var bytes: [UInt8] = []
        bytes.append(text: #"{"request_id":"#)
        bytes.append(quoted: envelope.requestID)
        bytes.append(text: #","pk":"#)
        bytes.append(quoted: envelope.pk)
        bytes.append(text: isConflicted ? #","is_conflicted":true,"item":"# : #","is_conflicted":false,"item":"#)
        bytes.append(itemOrNull: item)
        bytes.append(text: #","error":"#)
        bytes.append(contentsOf: problem?.bytes ?? Array("null".utf8))
        bytes.append(text: "}")
        self.bytes = bytes
    }
}
