import TidemarkCore
import TidemarkMachine
import TidemarkRules
import TidemarkTesting

// A device that syncs again as long as its reports name a next try, and the required result.

extension SimulationRun {
    /// Syncs until no next try is due. By then each edit that can be sent is sent, in spite of a trouble of the server or of one
    /// record (Contract §3.6).
    func persist(_ device: SimulatedDevice, _ collection: String) throws {
        let poison = try self.lonePoison(device, collection)
        let sent = device.posts[collection, default: 0]
        var last: CollectionReport?
        // A try whose end could not be saved is not counted.
        var uncounted = 0
        for _ in 0..<self.mostSyncs {
            last = try self.syncAgain(device, collection)
            if last == nil { uncounted += 1 }
            if let last, last.nextTry == nil { break }
        }
        if let poison, device.posts[collection, default: 0] - sent > poison.tries + uncounted {
            throw SimulationViolation(
                "§3.6", "a poison suspect is sent more often than the limits allow",
                "\(poison.place.text) on \(device.name)")
        }
        try self.checkProgress(device, collection, last)
    }

    /// Performs the next sync at its time.
    ///
    /// - Returns: Its report; nil if the store failed.
    private func syncAgain(_ device: SimulatedDevice, _ collection: String) throws -> CollectionReport? {
        let count = device.device.reports.count
        if let report = device.device.reports.last(where: { $0.collection == collection }), let time = report.nextTry,
            device.clock.now < time
        {
            try self.follow(device)
            device.clock.set(to: time)
        }
        try self.sync(device, collection)
        return device.device.reports.dropFirst(count).last { $0.collection == collection }
    }

    /// The number of syncs that has to suffice. Each halving of a batch and each try of a poison suspect takes one sync, and
    /// lost answers take some more (Contract §3.6).
    private var mostSyncs: Int {
        switch self.server.trouble {
        case .poison: 100
        case .none: 20
        case .emptyPages, .circle, .knownRows, .strangers, .alternating, .longCursor, .contention, .unwritable,
            .standstill, .doubledResults, .oddNames, .oddItem, .namelessItems:
            5
        }
    }

    /// Checks that no edit is left that could be sent.
    private func checkProgress(_ device: SimulatedDevice, _ collection: String, _ last: CollectionReport?) throws {
        let poison: SimulationStep.Place?
        switch self.server.trouble {
        case .none: poison = nil
        case .poison(let place, _): poison = place
        case .emptyPages, .circle, .knownRows, .strangers, .alternating, .longCursor, .contention, .unwritable,
            .standstill, .doubledResults, .oddNames, .oddItem, .namelessItems:
            return
        }
        // A device that pauses sends nothing, and reports that.
        guard !device.isElsewhere, !device.isOffline, let last, last.nextTry != nil || last.failure == nil else {
            return
        }
        for record in try device.store.records(
            in: collection, states: [.edited, .created, .deleted], after: nil, limit: 1_000)
        {
            let place = SimulationStep.Place(collection: collection, pk: record.pk)
            switch record.phase.activity {
            case .held, .deciding: continue
            case .idle, .uploading, .unconfirmed, nil:
                try SimulationViolation.unless(
                    place == poison, "§3.6",
                    poison == nil ? "an edit that could be sent is left" : "one bad record blocks others",
                    "\(place.text) is \(record.phase) on \(device.name)")
            }
        }
    }

    // MARK: Poison suspects

    /// The bad record if it is the only one to send, and how often it may be sent; nil if it is not, or if a request failed
    /// before.
    private func lonePoison(
        _ device: SimulatedDevice, _ collection: String
    ) throws -> (place: SimulationStep.Place, tries: Int)? {
        guard case .poison(let place, let status) = self.server.trouble, place.collection == collection,
            [0, 500, 503].contains(status), !device.isElsewhere, !device.isOffline,
            !device.hasFailedToPost.contains(collection),
            // Values that a rolled back server lost may be sent again, so the bad record need not be the only one.
            !self.server.isRolledBack
        else { return nil }
        // A row of the feed may end the hold of a record or settle a conflict, and then that record is sent as well.
        let pending = try device.store.records(
            in: collection, states: [.edited, .created, .deleted], after: nil, limit: 1_000)
        guard let record = pending.first, pending.count == 1, record.pk == place.pk, record.failures == 0,
            record.phase.activity == .idle, device.device.outbox.isEmpty, device.awaited[collection] == nil
        else { return nil }
        return (place, self.setting.poisonFailures + (status == 0 ? self.setting.unansweredPosts : 0))
    }

    /// Contract §3.6: no record is held because of a trouble of the server. As long as the server accepts nothing, only the first
    /// poison suspect may be held.
    func checkBlame(for place: SimulationStep.Place, on device: SimulatedDevice) throws {
        guard !device.hasWritten.contains(place.collection) else { return }
        device.blamed[place.collection, default: []].insert(place.pk)
        guard device.blamed[place.collection, default: []].count > 1 else { return }
        throw SimulationViolation(
            "§3.6", "several records are held because of a server that accepts nothing",
            "\(place.text) on \(device.name)")
    }
}
