import TidemarkCore
import TidemarkSimulation
import TidemarkTesting
import TidemarkJSON
import TidemarkMachine
import TidemarkRules

/// The end of a concurrent simulation: the network is calm, everyone decides what waits for them and syncs until all are quiet,
/// and then everything has to agree.
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
                throw SimulationViolation("§3.5", "a connection that broke off is taken for an answer", misread)
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

    /// What a device has of a record.
    private struct Version: Hashable {
        var stamp: String?
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
                try await collection[record.pk].release()
            }
            _ = try await collection.sync()
        }
    }

    /// I3: every device has what the server has, and nothing is pending. What the server has is what a new device is shown.
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

    private func versions(_ collection: SyncCollection) async throws -> [String: Version] {
        try await collection.list(limit: 10_000).reduce(into: [:]) {
            $0[$1.pk] = Version(stamp: $1.raw.stamp, data: $1.raw.confirmed)
        }
    }

    // MARK: What has to hold

    /// I8: who is in step asks once, and has nothing to say; and nobody waits for what became of a write.
    private func checkQuiet() async throws {
        for device in self.devices {
            for collection in self.collections {
                let before = device.network.requests
                let report = try await device.client[collection].sync()
                let count = device.network.requests - before
                guard count == 1, report.outcome == .inStep else {
                    throw SimulationViolation(
                        "I8", "who is in step has more to ask",
                        "\(count) requests of \(device.name) for \(collection), \(report.outcome)\(report.collections.first?.failure.map { ": \($0.message)" } ?? "")"
                    )
                }
            }
            guard await device.client.openWriteCount == 0 else {
                throw SimulationViolation("§8", "someone still waits for what became of a write", device.name)
            }
        }
    }

    /// I9: every addition is counted once.
    private func checkSums() async throws {
        for pk in SimulationRun.counters {
            let n = try await self.devices[0].client[SimulationSetting.counts][pk].get()?.n
            let sum = self.ledger.sums[pk, default: 0]
            guard n?.int == sum else {
                throw SimulationViolation(
                    "I9", "a counter does not come to what was added", "\(pk) is \(n?.text ?? "gone"), not \(sum)")
            }
        }
    }

    /// I2: what was typed, and nobody has taken back, is on the server or in a journal.
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
        guard lost.isEmpty else {
            throw SimulationViolation("I2", "what was typed is nowhere", SimulatedWords.text(lost))
        }
    }

    /// R24: what the machines did is what their tables say.
    private func checkTraces() async throws {
        for device in self.devices {
            guard let difference = try await device.client.trace.differences().first else { continue }
            throw SimulationViolation("R24", "a trace can't be replayed", "\(difference) on \(device.name)")
        }
    }
}
