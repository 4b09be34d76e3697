import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting

// The end: all faults end, all messages arrive, all devices sync until none has more to send, and then all have to agree.

extension SimulationRun {
    /// The maximum number of rounds until no device has more to send: some for messages in flight, held records and pauses, and
    /// two for each device. If several devices decide one record, each round settles the decision of one device, and the users of
    /// the other devices decide again.
    private var roundsOfPeace: Int { 6 + 2 * self.devices.count }

    /// Ends all faults, and checks the final properties.
    func end() throws {
        self.server.trouble = .none
        // A name of a note that another device has deleted would be refused indefinitely.
        self.server.hasKeys = false
        try self.server.giveRoom(rows: 0, bytes: 0)
        for device in self.devices {
            device.store.failNoMore()
            device.isElsewhere = false
            if device.process.isGuest { try self.hand(device, to: .owner) }
            try self.connect(device, true)
        }
        while !self.late.isEmpty { try self.perform(.late(0)) }
        while !self.answers.isEmpty { try self.settle(0, .hear) }
        for device in self.devices {
            while !device.device.outbox.isEmpty { try self.carry(device, 0, .whole) }
        }
        try self.repair()
        try self.letTimePass()
        var trouble: SimulationViolation?
        for _ in 0..<self.roundsOfPeace {
            for device in self.devices { try self.pacify(device) }
            trouble = try self.disagreement()
            if trouble == nil, !self.isWaiting { break }
        }
        if let trouble { throw trouble }
        try self.checkQuiet()
        try self.checkSums()
        try self.checkLosses()
        try self.checkOrphans()
        try self.checkTraces()
        for (place, version) in self.server.ledger.rows.sorted(by: { $0.key.text < $1.key.text }) {
            self.digest.add(
                "\(place.text) \(version.version ?? "") \(String(decoding: version.data ?? [], as: UTF8.self))")
        }
    }

    /// Whether a device waits for the next try or for its app. A device with all rows may just have detected that its server
    /// was rolled back, and its policy pauses.
    private var isWaiting: Bool {
        self.devices.contains { device in
            SimulationSetting.allCollections.contains { collection in
                let report = device.device.reports.last { $0.collection == collection }
                return report?.nextTry != nil || report?.failure != nil
            }
        }
    }

    /// Changes each record that is quarantined on a device, so that its row comes again.
    private func repair() throws {
        var places: Set<SimulationStep.Place> = []
        for device in self.devices {
            for collection in SimulationSetting.allCollections {
                for item in try device.store.quarantinedItems(in: collection) {
                    places.insert(.init(collection: collection, pk: item.pk))
                }
            }
        }
        for place in places.sorted(by: { $0.text < $1.text }) { try self.server.repair(place) }
    }

    /// The user of a device decides its conflicts, retries its held records, and syncs.
    private func pacify(_ device: SimulatedDevice) throws {
        for clock in [self.server.clock, device.clock] { clock.advance(by: .seconds(400)) }
        for collection in SimulationSetting.allCollections {
            // Refused credentials may be valid by now: a sync by the app tries them (Contract §3.5).
            let failure = device.device.reports.last { $0.collection == collection }?.failure
            if failure?.failureClass != .auth { try self.renew(device, collection) }
            for conflict in try device.engine.conflicts(in: collection) {
                self.isDeciding = true
                defer { self.isDeciding = false }
                try self.input(device, collection) { (engine) throws(TidemarkError) in
                    try engine.resolve(conflict, .clashes(.client)).effects
                }
            }
            for record in try device.store.waiting(in: collection).held {
                device.refusals[.init(collection: collection, pk: record.pk)] = nil
                try self.input(device, collection) { (engine) throws(TidemarkError) in
                    try engine.retry(record.pk, in: collection)
                }
            }
            while !device.device.outbox.isEmpty { try self.carry(device, 0, .whole) }
            try self.sync(device, collection)
        }
    }

    /// I3: each device has the server's records, and nothing is pending.
    private func disagreement() throws -> SimulationViolation? {
        for device in self.devices {
            for collection in SimulationSetting.allCollections {
                let records = try device.store.records(
                    in: collection, states: Set(SyncState.allCases), after: nil, limit: 10_000)
                for record in records {
                    let place = SimulationStep.Place(collection: collection, pk: record.pk)
                    guard record.phase == .synced, record.confirmed == self.server.ledger.rows[place] else {
                        return SimulationViolation(
                            "I3",
                            record.phase == .synced ? "devices do not agree in the end" : "a record never settles",
                            "\(place.text) is \(record.phase) on \(device.name)")
                    }
                    guard try self.view(place, device)?.bytes == record.confirmed.data else {
                        return SimulationViolation(
                            "I3", "a view is not the server's row", "\(place.text) on \(device.name)")
                    }
                }
                // No item stays quarantined that is well-formed by now or that the server no longer has. But an item without a name
                // is kept by its place in the page, and no later item can be matched with it.
                if let item = try device.store.quarantinedItems(in: collection).first(where: {
                    !$0.pk.hasPrefix("item ")
                }) {
                    let isThere = self.server.ledger.rows[.init(collection: collection, pk: item.pk)] != nil
                    return SimulationViolation(
                        "§3.5", isThere ? "a valid item stays quarantined" : "a deleted item stays quarantined",
                        "\(collection) \(item.pk) on \(device.name)")
                }
                let live = self.server.ledger.rows.count { $0.key.collection == collection && $0.value.data != nil }
                guard records.count == live else {
                    return SimulationViolation(
                        "I3", "devices do not agree in the end",
                        "\(collection) has \(records.count) records on \(device.name), and \(live) on the server")
                }
            }
        }
        return nil
    }

    /// I8: a device in sync sends one request for each collection, without an edit; a few over a server that does less.
    private func checkQuiet() throws {
        let most = self.server.lesser.map { $0.form.quietRequests(self.server.ledger.rows.count) } ?? 1
        for device in self.devices {
            guard device.engine.openWriteCount == 0 else {
                throw SimulationViolation("§8", "a call still awaits the outcome of a write", device.name)
            }
            for collection in SimulationSetting.allCollections {
                let before = self.requests
                try self.sync(device, collection)
                let report = device.device.reports.last
                // An item without a name is never matched again, so it stays quarantined.
                let quarantined = try device.store.quarantinedItems(in: collection).map(\.pk)
                let isQuiet = quarantined.isEmpty ? report?.outcome == .inSync : report?.held == quarantined
                try SimulationViolation.unless(
                    (1...most).contains(self.requests - before) && isQuiet, "I8",
                    "a device in sync sends more requests", "\(self.requests - before) requests of \(device.name)")
            }
        }
    }

    /// I9: every addition is counted once.
    private func checkSums() throws {
        guard self.isSumKnown else { return }
        for (pk, sum) in self.sums.sorted(by: { $0.key < $1.key }) {
            let place = SimulationStep.Place(collection: SimulationSetting.counts, pk: pk)
            let row = try self.server.ledger.rows[place]?.data.map { try JSON(parsing: $0) }
            try SimulationViolation.unless(
                row?.n?.int == sum, "I9", "a counter differs from the sum of its additions",
                "\(pk) is \(row?.n?.text ?? "gone"), not \(sum)")
        }
    }

    /// I1, Contract §6: each value that a server lost is in a journal if a device had it confirmed, or was sent again.
    private func checkLosses() throws {
        let known = self.devices.reduce(into: self.server.ledger.words) { words, device in
            words.formUnion(device.journalled)
            words.formUnion(device.takenBack)
        }
        let lost = self.lostByServer.subtracting(known)
        try SimulationViolation.unless(
            lost.isEmpty, "I1", "a value that a rolled back server lost is in no journal", SimulatedWords.text(lost))
    }

    /// R24: the transitions of the machines are those of their tables, from the first step on, if the devices keep traces.
    private func checkTraces() throws {
        for device in self.devices { try self.checkTrace(of: device) }
    }

    /// The longest trace that is checked after each input, since an error does not stay in a short trace.
    static let shortTrace = 20

    func checkTrace(of device: SimulatedDevice) throws {
        guard let difference = try device.engine.storedTrace().differences().first else { return }
        throw SimulationViolation("R24", "a trace can't be replayed", "\(difference) on \(device.name)")
    }

    /// I11: a discarded create that no other device has touched is not left on the server.
    private func checkOrphans() throws {
        for (place, words) in self.givenUp where self.hands[place, default: []].count < 2 {
            let there = SimulatedWords.found(in: self.server.ledger.rows[place]?.data)
            let orphans = there.intersection(words).subtracting(self.restored)
            try SimulationViolation.unless(
                orphans.isEmpty, "I11", "a discarded create is left on the server",
                "\(SimulatedWords.text(orphans)) in \(place.text)")
        }
    }
}
