import TidemarkCore
import TidemarkSimulation
import TidemarkTesting
import TidemarkJSON
import TidemarkMachine
import TidemarkRules

/// The end of a concurrent simulation. The network is calm, each device decides its conflicts and syncs until none has more to
/// send, and then all devices have to agree.
struct ConcurrentEnd {
    let devices: [ConcurrentDevice]
    let ledger: ConcurrentLedger.State

    private var collections: [String] { SimulationSetting.allCollections }

    func check() async throws {
        if let violation = self.ledger.violation { throw violation }
        for device in self.devices {
            device.network.calm()
            device.disk?.heal()
            if let misread = device.network.misread {
                throw SimulationViolation("§3.5", "a broken connection counts as an answer", misread)
            }
            guard let pk = device.network.changed else { continue }
            throw SimulationViolation("I5", "an edit is sent again with other bytes", "“\(pk)” on \(device.name)")
        }
        try await self.makePeace()
        try await self.checkQuiet()
        try await self.checkCancelling()
        try await self.checkSums()
        try await self.checkWords()
        try await self.checkTraces()
    }

    // MARK: Peace

    /// The version of a record on a device.
    private struct Version: Hashable {
        var version: String?
        var data: [UInt8]?
    }

    private func makePeace() async throws {
        var trouble: SimulationViolation?
        for _ in 0..<(6 + 2 * self.devices.count) {
            for device in self.devices { try await self.pacify(device.client) }
            trouble = try await self.disagreement()
            if trouble == nil { return }
        }
        if let trouble { throw trouble }
    }

    private func pacify(_ client: SyncClient) async throws {
        for name in self.collections {
            let collection = client[name]
            for open in try await collection.conflicts { try await open.resolve(.clashes(.client)) }
            for record in try await collection.list() where record.phase.activity == .held {
                try await collection[record.pk].retry()
            }
            _ = try await collection.sync()
        }
    }

    /// I3: every device has the server's records, and nothing is pending. A new device reads the server's records.
    private func disagreement() async throws -> SimulationViolation? {
        let witness = try SyncClient(
            store: MemoryStore(), remote: self.devices[0].network, configuration: SyncConfiguration(),
            time: ManualClock(), seed: 0)
        for collection in self.collections {
            _ = try await witness[collection].sync()
            let rows = try await self.versions(witness[collection])
            for device in self.devices {
                for record in try await device.client[collection].list(limit: 10_000) where record.phase != .synced {
                    return SimulationViolation(
                        "I3", "a record never settles",
                        "\(collection) \(record.pk) is \(record.phase) on \(device.name)")
                }
                let own = try await self.versions(device.client[collection])
                guard own == rows else {
                    let pks = Set(own.keys).union(rows.keys).filter { own[$0] != rows[$0] }.sorted()
                    return SimulationViolation(
                        "I3", "devices do not agree in the end",
                        "\(collection) \(pks.joined(separator: ", ")) on \(device.name)")
                }
            }
        }
        await witness.close()
        return nil
    }

    private func versions(_ collection: SyncCollection<JSON>) async throws -> [String: Version] {
        try await collection.list(limit: 10_000).reduce(into: [:]) {
            $0[$1.pk] = Version(version: $1.raw.version, data: $1.raw.confirmed)
        }
    }

    // MARK: Properties

    /// I8: a device in sync sends one request for each collection, without an edit, and no call still awaits an outcome.
    private func checkQuiet() async throws {
        for device in self.devices {
            for collection in self.collections {
                let before = device.network.requests
                let report = try await device.client[collection].sync()
                let count = device.network.requests - before
                guard count == 1, report.outcome == .inSync else {
                    throw SimulationViolation(
                        "I8", "a device in sync sends more requests",
                        "\(count) requests of \(device.name) for \(collection), \(report.outcome)\(report.collections.first?.failure.map { ": \($0.message)" } ?? "")"
                    )
                }
            }
            guard await device.client.openWriteCount == 0 else {
                throw SimulationViolation("§8", "a call still awaits the outcome of a write", device.name)
            }
        }
    }

    /// I9: every addition is counted once.
    private func checkSums() async throws {
        for pk in SimulationRun.counters {
            let n = try await self.devices[0].client[SimulationSetting.counts][pk].get()?.n
            let sum = self.ledger.sums[pk, default: 0]
            try SimulationViolation.unless(
                n?.int == sum, "I9", "a counter differs from the sum of its additions",
                "\(pk) is \(n?.text ?? "gone"), not \(sum)")
        }
    }

    /// I2: each value that was written and not removed is on the server or in a journal.
    private func checkWords() async throws {
        var known = self.ledger.takenBack
        for device in self.devices {
            for collection in self.collections {
                for entry in try await device.client[collection].journal {
                    known.formUnion(SimulatedWords.found(in: entry.raw.value))
                }
                for record in try await device.client[collection].list(limit: 10_000) {
                    known.formUnion(SimulatedWords.found(in: record.raw.confirmed))
                }
            }
        }
        let lost = self.ledger.typed.subtracting(known)
        try SimulationViolation.unless(
            lost.isEmpty, "I2", "a value that was written is lost", SimulatedWords.text(lost))
    }

    /// R24: the transitions of the machines are those of their tables.
    private func checkTraces() async throws {
        for device in self.devices {
            guard let difference = try await device.client.trace.differences().first else { continue }
            throw SimulationViolation("R24", "a trace can't be replayed", "\(difference) on \(device.name)")
        }
    }
}
