import TidemarkCore

// What a device may take an answer for.

extension SimulationRun {
    /// An answer says of an edit what was said first (SPEC §5); refused is only what somebody has judged (SPEC §3.5); and a feed
    /// that stands still is not followed (I8).
    func checkSense(of page: ExchangeAnswer, to request: ExchangeRequest) throws {
        let ids = page.results.map(\.requestID)
        guard Set(ids).count == ids.count else {
            throw SimulationViolation("§5", "an edit has two results", request.collection)
        }
        for result in page.results where result.isRefused && !self.server.judged.contains(result.requestID) {
            throw SimulationViolation(
                "§3.5", "an edit counts as refused that nobody has judged",
                "\(result.requestID) of \(request.collection)")
        }
        guard !request.uploads.isEmpty || !page.hasMore || page.watermark != request.watermark ?? "" else {
            throw SimulationViolation("I8", "a feed that stands still is followed", request.collection)
        }
    }
}
