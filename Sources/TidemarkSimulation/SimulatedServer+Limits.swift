import TidemarkCore
import TidemarkJSON
import TidemarkServer

// What the server promises of the size and the order of what it answers (SPEC §3.7, W4).

extension SimulatedServer {
    /// Looks at an answer before anything that stands before the server has touched it.
    ///
    /// - Returns: How many bytes each result has, by the id of its edit.
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

    /// A page is no larger than its limits, but for the item that goes over them; and whoever was shown rows comes further.
    private func checkPage(_ answer: ExchangeAnswer, to request: ExchangeRequest) throws(SimulationViolation) {
        let rows = answer.page.rows
        let bytes = rows.dropLast().reduce(0) { $0 + $1.data.count }
        guard rows.count <= request.limit, bytes <= self.limits.pageBytes else {
            throw SimulationViolation(
                "§3.7", "a page is larger than its limit", "\(rows.count) rows of \(request.collection)")
        }
        guard rows.isEmpty || answer.watermark != request.watermark else {
            throw SimulationViolation("I8", "a watermark stays before what a page has shown", request.collection)
        }
    }

    /// The first edit always has room. What has none waits, and nothing that comes later overtakes it.
    private func checkResults(
        _ answer: ExchangeAnswer, _ sizes: [String: Int], of collection: String
    ) throws(SimulationViolation) {
        let done = answer.results.prefix { $0.outcome != .unknown }
        guard answer.results.dropFirst(done.count).allSatisfy({ $0.outcome == .unknown }) else {
            throw SimulationViolation("§3.1", "a later edit overtakes one that had no room", collection)
        }
        let size = done.reduce(0) { $0 + sizes[$1.requestID, default: 0] }
        guard done.count < 2 || size <= self.limits.results else {
            throw SimulationViolation(
                "§3.7", "the results of an answer are larger than their limit", "\(size) bytes of \(collection)")
        }
    }
}

extension SimulatedServer {
    /// An account has no more than there is room for, or than it had; and who makes less of it is not refused.
    func checkRoom(
        _ answer: ExchangeAnswer, to request: ExchangeRequest, after before: (rows: Int, bytes: Int)
    ) throws(SimulationViolation) {
        let usage = self.ledger.usage
        guard usage.rows <= max(self.limits.rowsOfAccount ?? .max, before.rows),
            usage.bytes <= max(self.limits.bytesOfAccount ?? .max, before.bytes)
        else {
            throw SimulationViolation(
                "§3.7", "an account has more than there is room for", "\(usage.rows) records of \(usage.bytes) bytes")
        }
        for upload in request.uploads where upload.intent == .delete {
            let result = answer.results.first { $0.requestID == upload.requestID }
            guard result?.outcome.isForWantOfRoom != true else {
                throw SimulationViolation("§3.7", "what makes less is refused for want of room", upload.pk)
            }
        }
    }
}

extension UploadResult.Outcome {
    /// Whether it is refused since the account has no room: it may be taken when there is some (SPEC §3.7).
    var isForWantOfRoom: Bool {
        guard case .refused(let problem) = self else { return false }
        return problem.document["code"]?.string == "quota-exceeded"
    }
}

extension UploadResult {
    /// Whether someone has judged the edit, and does not take it.
    var isRefused: Bool {
        if case .refused = self.outcome { true } else { false }
    }
}
