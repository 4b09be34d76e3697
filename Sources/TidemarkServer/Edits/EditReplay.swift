import TidemarkJSON

/// Answers an edit whose id was answered before (W4).
///
/// A small RESULT is sent again byte for byte. A RESULT that had a large record reports the same outcome, and has the same
/// record if it is available: while the record is still at that version, and for a create always, since the repetition
/// contains it. Otherwise it has the current record, which the client would read next in any case.
struct EditReplay {
    private let remembered: RememberedAnswer
    private let limits: ServerLimits

    init(_ remembered: RememberedAnswer, limits: ServerLimits) {
        self.remembered = remembered
        self.limits = limits
    }

    /// The answer, or 422 if the id was used for a different edit.
    func step(
        _ json: JSON, _ envelope: EditEnvelope, row: (String) throws(ServerStorageError) -> ServerRow?
    ) throws(ServerStorageError) -> EditStep {
        guard try self.isSame(json) else {
            let problem = Problem(
                422, .requestIDReused, "the id of this request was used for another edit; send this one as a new edit",
                pointer: "/request_id")
            return EditStep(envelope, row: nil, isConflicted: false, problem: problem)
        }
        switch self.remembered.result {
        case .whole(let result):
            return EditStep(repeating: result)
        case .row(let version, let isConflicted):
            let present = try row(envelope.pk)
            let isPresent = present?.updatedAt == version
            let created = isPresent || isConflicted ? nil : self.created(json, at: version)
            return EditStep(envelope, row: created ?? present, isConflicted: isConflicted, problem: nil)
        }
    }

    private func isSame(_ json: JSON) throws(ServerStorageError) -> Bool {
        switch self.remembered.edit {
        case .digest(let digest):
            return digest == EditDigest.text(of: json)
        case .whole(let bytes):
            guard bytes != json.bytes else { return true }
            do throws(JSONError) {
                let limits = JSON.Limits(nestingDepth: self.limits.bodyDepth, bytes: .max)
                return try JSON(parsing: bytes, limits: limits) == json
            } catch {
                throw ServerStorageError(
                    .corrupt,
                    "the remembered edit “\(self.remembered.requestID)” is not JSON (\(error)); restore a backup")
            }
        }
    }

    /// The record that an accepted create made.
    private func created(_ json: JSON, at version: Int64) -> ServerRow? {
        guard let edit = try? Edit(json, limits: self.limits), case .created = edit.change,
            case .accepted(.create(let data)) = EditDecision(edit.overNothing, row: nil, limits: self.limits)
        else { return nil }
        return ServerRow(pk: edit.pk, updatedAt: version, data: data)
    }
}

extension Edit {
    /// This edit without a version.
    fileprivate var overNothing: Edit {
        var edit = self
        edit.version = .unnamed
        return edit
    }
}
