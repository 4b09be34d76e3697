import TidemarkCore
import TidemarkJSON

extension AnswerBody {
    /// The part of an edit that its RESULT has to match.
    private struct Sent {
        var pk: String
        var isSettled = false
    }

    /// The results of the edits, in their order. A result that is malformed, or matches none of them, is left out: the edit is
    /// then unconfirmed, and its bytes are sent again (R17).
    func results() throws(RemoteFailure) -> [UploadResult] {
        let rows = try self.rows("results")
        var sent = self.sent
        var results: [UploadResult] = []
        for row in rows where row.isObject {
            guard let requestID = self.text.string(row[Field.requestID]), let pk = self.text.string(row[Field.pk]),
                let edit = sent[CodePointString(requestID)], !edit.isSettled,
                CodePointString(edit.pk) == CodePointString(pk), let outcome = self.outcome(of: row, pk: pk)
            else { continue }
            sent[CodePointString(requestID)]?.isSettled = true
            results.append(UploadResult(requestID: requestID, outcome: outcome))
        }
        return results
    }

    private var sent: [CodePointString: Sent] {
        var sent: [CodePointString: Sent] = [:]
        for upload in self.request.uploads { sent[CodePointString(upload.requestID)] = Sent(pk: upload.pk) }
        return sent
    }

    private func outcome(of row: JSONRowScan.Row, pk: String) -> UploadResult.Outcome? {
        switch self.text.kind(row[Field.error]) {
        case .absent, .null: self.version(of: row, pk: pk)
        case .object: self.refusal(row[Field.error])
        case .bool, .number, .string, .array: nil
        }
    }

    /// The value of the member counts, not its presence.
    private func version(of row: JSONRowScan.Row, pk: String) -> UploadResult.Outcome? {
        guard let isConflicted = self.text.bool(row[Field.isConflicted]),
            let version = self.item(of: row, pk: pk)
        else { return nil }
        return isConflicted ? .conflicted(version) : .accepted(version)
    }

    private func refusal(_ range: Range<Int>) -> UploadResult.Outcome? {
        guard let document = try? JSON(parsing: self.text.bytes[range]) else { return nil }
        let status = document["status"]?.int ?? 422
        // The answer was full before this edit was handled.
        guard status != 503 else { return .unknown }
        // A server that is busy, or rejects the credentials, has not judged the edit.
        guard HTTPReply.judges(status) else { return nil }
        return ProblemDetails(document: document, status: status).map(UploadResult.Outcome.refused)
    }

    /// The row, tombstone or empty state of a result; nil if it is malformed.
    private func item(of row: JSONRowScan.Row, pk: String) -> StoredVersion? {
        let range = row[Field.outcomeItem]
        switch self.text.kind(range) {
        case .null: return StoredVersion()
        case .object where range.count <= JSON.Limits.default.bytes: break
        case .absent, .bool, .number, .string, .array, .object: return nil
        }
        let shape = ItemShape(
            pk: row[Field.outcome + Field.pk], version: row[Field.outcome + Field.version],
            isActive: row[Field.outcome + Field.isActive], data: row[Field.outcome + Field.data])
        guard let item = try? shape.row(in: self.text) else { return nil }
        let page = FeedPage(bytes: self.text.bytes, rows: [item])
        return CodePointString(page.pk(of: item)) == CodePointString(pk) ? page.version(of: item) : nil
    }
}
