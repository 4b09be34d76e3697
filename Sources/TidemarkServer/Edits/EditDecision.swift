import TidemarkJSON

/// The outcome of one edit, decided from the edit and the current row alone; the core only carries it out.
enum EditDecision {
    /// Accepted, and the row gets a new version.
    case accepted(Write)
    /// Accepted, and the row stays unchanged (W7, W9).
    case unchanged
    /// Not accepted: the client gets the current row and decides again (W2).
    case conflicted
    /// Not accepted, now or later, unless the edit is corrected.
    case refused(Problem)

    /// The change of the row.
    enum Write {
        /// A new record, or one in place of a tombstone.
        case create([UInt8])
        /// A record that replaces another.
        case replace([UInt8])
        /// A tombstone.
        case delete
    }

    init(_ edit: Edit, row: ServerRow?, limits: ServerLimits) {
        do throws(Problem) {
            self = try Self.decide(edit, row: row, limits: limits)
        } catch {
            self = .refused(error)
        }
    }

    private static func decide(_ edit: Edit, row: ServerRow?, limits: ServerLimits) throws(Problem) -> EditDecision {
        switch EditVerdict(edit.change, EditVerdict.RowState(edit.version, row: row)) {
        case .conflicted: return .conflicted
        case .settled: return .unchanged
        case .delete: return .accepted(.delete)
        case .create: return try Self.write(edit.change, over: nil, row: row, limits: limits)
        case .patch:
            let present = try Self.present(row)
            return try Self.write(edit.change, over: present, row: row, limits: limits)
        }
    }

    private static func write(
        _ change: Edit.Change, over document: JSON?, row: ServerRow?, limits: ServerLimits
    ) throws(Problem) -> EditDecision {
        let result = try Self.apply(change, to: document, limits: limits)
        guard let result, result.object != nil else {
            throw Problem(422, .notAnObject, "a record must be a JSON object after the edit", pointer: "")
        }
        guard row?.data != nil else { return .accepted(.create(try Self.checked(result, limits: limits))) }
        guard result != (document != nil ? document : try Self.present(row)) else { return .unchanged }
        return .accepted(.replace(try Self.checked(result, limits: limits)))
    }

    private static func apply(_ change: Edit.Change, to document: JSON?, limits: ServerLimits) throws(Problem) -> JSON?
    {
        switch change {
        case .deleted: return nil
        case .created(let patch), .edited(let patch):
            do throws(JSONError) {
                return try patch.apply(
                    to: document, limits: JSON.Limits(nestingDepth: limits.recordDepth, bytes: limits.record))
            } catch {
                throw Self.problem(of: error, limits: limits)
            }
        }
    }

    private static func problem(of error: JSONError, limits: ServerLimits) -> Problem {
        let pointer = error.pointer ?? ""
        return switch error.code {
        case .nesting:
            Problem(
                422, .nestedTooDeeply,
                "the record would be nested more than \(limits.recordDepth) levels deep; make it flatter",
                pointer: pointer)
        case .tooLarge:
            Problem(413, .recordTooLarge, "the patch copies too much: \(error)", pointer: pointer)
        default:
            Problem(422, .patchFailed, "the patch does not apply: \(error)", pointer: pointer)
        }
    }

    private static func checked(_ record: JSON, limits: ServerLimits) throws(Problem) -> [UInt8] {
        let bytes = record.bytes
        guard bytes.count <= limits.record else {
            throw Problem(
                413, .recordTooLarge, "the record would have \(bytes.count) bytes; \(limits.record) are allowed")
        }
        return bytes
    }

    private static func present(_ row: ServerRow?) throws(Problem) -> JSON? {
        guard let data = row?.data else { return nil }
        do throws(JSONError) {
            return try JSON(parsing: data, limits: JSON.Limits(bytes: .max))
        } catch {
            throw Problem(500, .serverFailed, "the server can't read its own row: \(error); tell the server's operator")
        }
    }
}
