import TidemarkCore
import TidemarkJSON
import TidemarkServer

// The server's limits of the size and order of its answers (Contract §3.7, W4).

extension SimulatedServer {
    /// Checks an answer as the server sent it, before a proxy changes it.
    ///
    /// - Returns: The size of each result in bytes, by request id.
    func checkLimits(
        of answer: ExchangeAnswer, _ body: [UInt8], to request: ExchangeRequest
    ) throws(SimulationViolation) -> [String: Int] {
        try self.checkPage(answer, to: request)
        guard !request.uploads.isEmpty else { return [:] }
        let results = (try? JSON(parsing: body))?.results?.array ?? []
        let sizes = results.reduce(into: [String: Int]()) { sizes, result in
            if let id = result.request_id?.string { sizes[id] = result.bytes.count }
        }
        try self.checkResults(answer, sizes, of: request.collection)
        return sizes
    }

    /// A page is no larger than its limits, except for its last item, and a page with rows advances the cursor.
    private func checkPage(_ answer: ExchangeAnswer, to request: ExchangeRequest) throws(SimulationViolation) {
        let rows = answer.page.rows
        let bytes = rows.dropLast().reduce(0) { $0 + $1.data.count }
        try SimulationViolation.unless(
            rows.count <= request.limit && bytes <= self.limits.pageBytes, "§3.7", "a page is larger than its limit",
            "\(rows.count) rows of \(request.collection)")
        try SimulationViolation.unless(
            rows.isEmpty || answer.cursor != request.cursor, "I8", "the cursor does not pass the rows of a page",
            request.collection)
    }

    /// The first edit always has room. An edit without room waits, and no later edit overtakes it.
    private func checkResults(
        _ answer: ExchangeAnswer, _ sizes: [String: Int], of collection: String
    ) throws(SimulationViolation) {
        let done = answer.results.prefix { $0.outcome != .unknown }
        guard answer.results.dropFirst(done.count).allSatisfy({ $0.outcome == .unknown }) else {
            throw SimulationViolation("§3.1", "a later edit overtakes one that had no room", collection)
        }
        let size = done.reduce(0) { $0 + sizes[$1.requestID, default: 0] }
        try SimulationViolation.unless(
            done.count < 2 || size <= self.limits.results, "§3.7",
            "the results of an answer are larger than their limit", "\(size) bytes of \(collection)")
    }
}

extension SimulatedServer {
    /// An account has no more than its quota, or than it had before the request. An edit that uses less is not refused.
    func checkRoom(
        _ answer: ExchangeAnswer, to request: ExchangeRequest, after before: (rows: Int, bytes: Int)
    ) throws(SimulationViolation) {
        let usage = self.ledger.usage
        guard usage.rows <= max(self.limits.rowsOfAccount ?? .max, before.rows),
            usage.bytes <= max(self.limits.bytesOfAccount ?? .max, before.bytes)
        else {
            throw SimulationViolation(
                "§3.7", "an account has more than its quota", "\(usage.rows) records of \(usage.bytes) bytes")
        }
        for upload in request.uploads where upload.intent == .delete {
            let result = answer.results.first { $0.requestID == upload.requestID }
            try SimulationViolation.unless(
                result?.outcome.isForWantOfRoom != true, "§3.7", "an edit that uses less is refused for lack of room",
                upload.pk)
        }
    }
}

extension UploadResult.Outcome {
    /// Whether it is refused since the account has no room. The server may accept it later (Contract §3.7).
    var isForWantOfRoom: Bool {
        guard case .refused(let problem) = self else { return false }
        return problem.document["code"]?.string == "quota-exceeded"
    }
}

extension UploadResult {
    /// Whether the edit was read and refused.
    var isRefused: Bool {
        if case .refused = self.outcome { true } else { false }
    }
}
