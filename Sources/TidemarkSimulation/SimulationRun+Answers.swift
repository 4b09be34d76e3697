import TidemarkCore

// Checks of how a device understands an answer.

extension SimulationRun {
    /// A repeated result equals the first one (Contract §5), a refusal is of an edit that was read (Contract §3.5), and a feed that
    /// makes no progress is not followed (I8). No refusal could be foreseen (R26, R27).
    func checkSense(of page: ExchangeAnswer, to request: ExchangeRequest, on device: SimulatedDevice) throws {
        try self.checkForeseen(page.results, request, device)
        let ids = page.results.map(\.requestID)
        try SimulationViolation.unless(Set(ids).count == ids.count, "§5", "an edit has two results", request.collection)
        // A server that does less refuses a write by its status, which a proxy may have sent.
        for result in page.results
        where self.server.lesser == nil && result.isRefused && !self.server.judged.contains(result.requestID) {
            throw SimulationViolation(
                "§3.5", "an edit counts as refused that was not read",
                "\(result.requestID) of \(request.collection)")
        }
        try SimulationViolation.unless(
            !request.uploads.isEmpty || !page.hasMore || page.cursor != request.cursor ?? "", "I8",
            "a feed without progress is followed", request.collection)
    }
}

// MARK: - Malformed items

extension SimulationRun {
    /// The records of results whose upload is not discarded and was sent once. A repeated answer may have an old row
    /// (W4).
    func shown(by page: ExchangeAnswer, to request: ExchangeRequest, on device: SimulatedDevice) throws -> Set<String> {
        let known = Set(page.results.filter { !$0.isRefused && $0.outcome != .unknown }.map(\.requestID))
        let uploads = try request.uploads.filter { upload in
            guard known.contains(upload.requestID) else { return false }
            let stored = try device.store.record(upload.pk, in: request.collection)?.upload
            return stored?.requestID == upload.requestID && stored?.wasResent == false
        }
        return Set(uploads.map(\.pk))
    }

    /// Contract §3.5: a malformed item is quarantined after a number of tries and not before, and the engine explains it (R10).
    ///
    /// - Parameters:
    ///   - device: The device that received the answer.
    ///   - former: The items that were quarantined before.
    ///   - shown: The records in results.
    ///   - page: The answer.
    ///   - request: The request.
    func checkQuarantine(
        on device: SimulatedDevice, besides former: Set<QuarantinedItem>, showing shown: Set<String>,
        after page: ExchangeAnswer,
        to request: ExchangeRequest
    ) throws {
        let collection = request.collection
        let quarantined = Set(try device.store.quarantinedItems(in: collection))
        if let item = quarantined.first(where: { shown.contains($0.pk) && former.contains($0) }) {
            throw SimulationViolation(
                "§3.5", "a record in a result stays quarantined", "\(collection) \(item.pk) on \(device.name)")
        }
        guard !page.page.malformed.isEmpty else { return }
        let state = try device.store.state(of: collection)
        // An item without a name has its place in the page as its name, which may differ each time.
        let named = try page.page.malformed.filter { item in
            guard let row = self.server.ledger.rows[.init(collection: collection, pk: item.pk)] else { return false }
            // The item may also have come before, well-formed.
            return try device.store.record(item.pk, in: collection)?.confirmed != row
        }
        // A rolled-back server may return the cursor of old, which stays stored until the full resync has begun.
        if let item = named.first(where: { !quarantined.contains($0) }), !state.startsOver, state.cursor == page.cursor,
            page.cursor != request.cursor
        {
            throw SimulationViolation(
                "I6", "the cursor passes a malformed item that is not quarantined",
                "\(collection) \(item.pk) on \(device.name)")
        }
        let new = page.page.malformed.filter { quarantined.contains($0) && !former.contains($0) }
        for item in new {
            try SimulationViolation.unless(
                device.oddPages[collection, default: 0] >= SyncLimits().malformedTries, "§3.5",
                "an item is quarantined too early", "\(collection) \(item.pk) on \(device.name)")
            try SimulationViolation.unless(
                try device.engine.explain(item.pk, in: collection).why.contains(item.reason), "R10",
                "a quarantined item is not explained", "\(collection) \(item.pk) on \(device.name)")
        }
        if !new.isEmpty { device.oddPages[collection] = 0 }
    }
}
