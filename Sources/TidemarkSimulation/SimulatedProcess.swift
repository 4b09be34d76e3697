import TidemarkCore
import TidemarkJSON
import TidemarkRules

/// A process that has the store of a device, or had it and gets it again.
struct SimulatedProcess: Hashable {
    let client: SimulationStep.Client

    /// Differs for each process of a run, except for the first ones of the devices.
    var number: Int

    /// Whether it decides about the records.
    var isGuest: Bool { self.client != .owner }
}

/// The state of a client while another one has its store (Contract §14).
struct SimulatedAbsence {
    let process: SimulatedProcess
    let former: SyncEngine.Former
    let waits: [Int: SimulatedDevice.Wait]
    let history: SimulatedHistory
    let discards: Int
    let drafts: [SimulationStep.Place: JSON]
    let counting: SimulatedCounting?
    let lookedAt: [String: RecordConflict]

    /// The words in the journals.
    let journalled: Set<Int>

    init(of device: SimulatedDevice) {
        (self.process, self.former) = (device.process, device.engine.former)
        (self.waits, self.history, self.discards) = (device.waits, device.history, device.discards)
        (self.drafts, self.counting, self.lookedAt) = (device.drafts, device.counting, device.lookedAt)
        self.journalled = device.journalled
    }
}

/// The parts of a store that a guest leaves as they were (R29, R30).
struct KeptByGuests: Equatable {
    /// The numbers of the entries of the journals, by collection.
    var entries: [String: Set<Int64>] = [:]

    /// The paths of the confirmed removals.
    var removals: [SimulationStep.Place: Set<String>] = [:]

    /// The number of lines of the trace.
    let traceLines: Int

    /// The references that the owner has declared, and the capabilities of its server.
    let declarations: [String?]

    init(_ device: SimulatedDevice) throws {
        self.traceLines = try device.engine.storedTrace().entries.count
        self.declarations = try [SyncEngine.referencesKey, RemoteCapabilities.key].map { try device.store.setting($0) }
        for collection in SimulationSetting.allCollections {
            self.entries[collection] = Set(try device.store.journal(of: nil, in: collection).map(\.number))
            for pk in SimulationSetting.pks + SimulationSetting.spares + SimulationRun.counters {
                let place = SimulationStep.Place(collection: collection, pk: pk)
                self.removals[place] = Set(try device.store.removals(of: pk, in: collection).map(\.path))
            }
        }
    }

    /// Returns the first part of which something is missing later; nil if all is kept.
    func missing(in later: KeptByGuests) -> String? {
        if self.entries.contains(where: { !$1.isSubset(of: later.entries[$0] ?? []) }) {
            return "entries of the journal"
        }
        if self.removals.contains(where: { !$1.isSubset(of: later.removals[$0] ?? []) }) { return "removals" }
        if later.traceLines < min(self.traceLines, Self.longestTrace) { return "lines of the trace" }
        if self.traceLines == 0, later.traceLines > 0 { return "the owner's wish for no trace" }
        return self.declarations == later.declarations ? nil : "declarations of the owner"
    }

    /// The number of lines up to which a guest removes none.
    private static let longestTrace = 1_000
}
