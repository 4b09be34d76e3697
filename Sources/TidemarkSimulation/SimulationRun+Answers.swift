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

// MARK: - Items that make no sense

extension SimulationRun {
    /// The records of an answer's results that a device has not given up meanwhile, and sent once: what is answered again may be
    /// old (W4).
    func shown(by page: ExchangeAnswer, to request: ExchangeRequest, on device: SimulatedDevice) throws -> Set<String> {
        let known = Set(page.results.filter { !$0.isRefused && $0.outcome != .unknown }.map(\.requestID))
        let uploads = try request.uploads.filter { upload in
            guard known.contains(upload.requestID) else { return false }
            let stored = try device.store.record(upload.pk, in: request.collection)?.upload
            return stored?.requestID == upload.requestID && stored?.wasResent == false
        }
        return Set(uploads.map(\.pk))
    }

    /// SPEC §3.5: an item that makes no sense is set aside once it came so often, and not before; and whoever asks for it is
    /// told (R10).
    ///
    /// - Parameters:
    ///   - device: Who heard the answer.
    ///   - former: What was set aside there before.
    ///   - shown: The records that a result shows.
    ///   - page: The answer.
    ///   - request: What was asked.
    func checkSetAside(
        on device: SimulatedDevice, besides former: Set<ItemSetAside>, showing shown: Set<String>,
        after page: ExchangeAnswer,
        to request: ExchangeRequest
    ) throws {
        let collection = request.collection
        let aside = Set(try device.store.itemsSetAside(in: collection))
        if let item = aside.first(where: { shown.contains($0.pk) && former.contains($0) }) {
            throw SimulationViolation(
                "§3.5", "what a result shows whole stays set aside", "\(collection) \(item.pk) on \(device.name)")
        }
        guard !page.page.malformed.isEmpty else { return }
        let state = try device.store.state(of: collection)
        // What has no name is called by its place in a page, which may be another one each time.
        let named = try page.page.malformed.filter { item in
            guard let row = self.server.ledger.rows[.init(collection: collection, pk: item.pk)] else { return false }
            // Or it came before, when it made sense.
            return try device.store.record(item.pk, in: collection)?.confirmed != row
        }
        if let item = named.first(where: { !aside.contains($0) }), state.watermark == page.watermark,
            page.watermark != request.watermark
        {
            throw SimulationViolation(
                "I6", "a watermark passes an item that is not set aside", "\(collection) \(item.pk) on \(device.name)")
        }
        let new = page.page.malformed.filter { aside.contains($0) && !former.contains($0) }
        for item in new {
            guard device.oddPages[collection, default: 0] >= SyncLimits().malformedTries else {
                throw SimulationViolation(
                    "§3.5", "an item is set aside at once", "\(collection) \(item.pk) on \(device.name)")
            }
            guard try device.engine.explain(item.pk, in: collection).why.contains("makes no sense") else {
                throw SimulationViolation(
                    "R10", "what was set aside is not explained", "\(collection) \(item.pk) on \(device.name)")
            }
        }
        if !new.isEmpty { device.oddPages[collection] = 0 }
    }
}
