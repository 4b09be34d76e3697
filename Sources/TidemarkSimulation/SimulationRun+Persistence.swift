import TidemarkCore
import TidemarkMachine
import TidemarkRules
import TidemarkTesting

// A device that tries as long as it says that another try is worthwhile, and what has to have come of it then.

extension SimulationRun {
    /// Syncs until there is nothing to wait for. Whatever is wrong with the server, or with one record, what can be sent is sent
    /// by then (SPEC §3.6).
    func persist(_ device: SimulatedDevice, _ collection: String) throws {
        let poison = try self.lonePoison(device, collection)
        let sent = device.posts[collection, default: 0]
        var last: CollectionReport?
        // A try whose end could not be written down is counted by nobody.
        var uncounted = 0
        for _ in 0..<self.mostSyncs {
            last = try self.syncAgain(device, collection)
            if last == nil { uncounted += 1 }
            if let last, last.nextTry == nil { break }
        }
        if let poison, device.posts[collection, default: 0] - sent > poison.tries + uncounted {
            throw SimulationViolation(
                "§3.6", "a record that fails alone is sent more often than the limits say",
                "\(poison.place.text) on \(device.name)")
        }
        try self.checkProgress(device, collection, last)
    }

    /// One more sync, when the last one said that it is worthwhile.
    ///
    /// - Returns: How it ended; nil where the store failed meanwhile.
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

    /// How many syncs have to be enough. Each halving, and each try of a record that fails alone, takes one, and where no answer
    /// comes some more (SPEC §3.6).
    private var mostSyncs: Int {
        switch self.server.trouble {
        case .poison: 100
        case .none: 20
        case .emptyPages, .circle, .knownRows, .longWatermark, .contention, .unwritable, .standstill, .doubledResults,
            .oddNames, .oddItem, .namelessItems:
            5
        }
    }

    /// What could be sent is not left.
    private func checkProgress(_ device: SimulatedDevice, _ collection: String, _ last: CollectionReport?) throws {
        let poison: SimulationStep.Place?
        switch self.server.trouble {
        case .none: poison = nil
        case .poison(let place, _): poison = place
        case .emptyPages, .circle, .knownRows, .longWatermark, .contention, .unwritable, .standstill, .doubledResults,
            .oddNames, .oddItem, .namelessItems:
            return
        }
        // Who pauses sends nothing, and has said so.
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
                guard place == poison else {
                    throw SimulationViolation(
                        "§3.6", poison == nil ? "what could be sent is left" : "one bad record keeps others back",
                        "\(place.text) is \(record.phase) on \(device.name)")
                }
            }
        }
    }

    // MARK: A record that fails alone

    /// The bad record where it is all that there is to send, and how often it may be sent then; nil where it is not, or where
    /// something failed before.
    private func lonePoison(
        _ device: SimulatedDevice, _ collection: String
    ) throws -> (place: SimulationStep.Place, tries: Int)? {
        guard case .poison(let place, let status) = self.server.trouble, place.collection == collection,
            [0, 500, 503].contains(status), !device.isElsewhere, !device.isOffline,
            !device.hasFailedToPost.contains(collection),
            // What a server has lost may be sent again beside it.
            !self.server.hasGoneBack
        else { return nil }
        // A row of the feed may release what is held, or answer a question: then that is sent, too.
        let pending = try device.store.records(
            in: collection, states: [.edited, .created, .deleted], after: nil, limit: 1_000)
        guard let record = pending.first, pending.count == 1, record.pk == place.pk, record.failures == 0,
            record.phase.activity == .idle, device.device.outbox.isEmpty, device.awaited[collection] == nil
        else { return nil }
        return (place, self.setting.loneFailures + (status == 0 ? self.setting.silentTries : 0))
    }

    /// SPEC §3.6: what is wrong with the server is held against no record. As long as it takes nothing, only the first that fails
    /// alone may be the one to blame.
    func checkBlame(for place: SimulationStep.Place, on device: SimulatedDevice) throws {
        guard !device.hasWritten.contains(place.collection) else { return }
        device.blamed[place.collection, default: []].insert(place.pk)
        guard device.blamed[place.collection, default: []].count > 1 else { return }
        throw SimulationViolation(
            "§3.6", "several records are held for a server that takes nothing",
            "\(place.text) on \(device.name)")
    }
}
