import TidemarkCore
import TidemarkMachine
import TidemarkRules
import TidemarkTesting

// The reports of syncs and their waits.

extension SimulationRun {
    /// Checks the syncs that ended with an input.
    func checkReports(of device: SimulatedDevice) throws {
        for report in device.device.reports.dropFirst(device.reportsSeen) {
            // Earlier failures no longer count.
            if report.failure == nil, report.nextTry == nil {
                device.hasWritten.remove(report.collection)
                device.batches[report.collection]?.failures = 0
            }
            try self.checkWait(report, device)
            try self.checkConflicts(report, device)
            try self.checkNoneIsLeft(report, device)
            try self.checkFigures(of: report.collection, device)
            (device.refusedNow[report.collection], device.ringNow[report.collection]) = (nil, nil)
        }
        device.reportsSeen = device.device.reports.count
    }

    /// I3, R22: a reported conflict is listed, and the rules can't settle it. The user is asked about two creates of the same pk
    /// as a whole (R16).
    private func checkConflicts(_ report: CollectionReport, _ device: SimulatedDevice) throws {
        for pk in report.conflicts {
            let place = "\(report.collection) \(pk) on \(device.name)"
            guard let conflict = try device.engine.conflict(of: pk, in: report.collection) else {
                throw SimulationViolation("I3", "a conflict that is reported is not listed", place)
            }
            try SimulationViolation.unless(
                device.process.client != .owner || conflict.kind != .editEdit || !conflict.clashes.isEmpty, "R22",
                "a conflict stays open that the rules settle", place)
        }
    }

    /// The figures of a status, which a store may keep while it is open, are those of its records.
    private func checkFigures(of collection: String, _ device: SimulatedDevice) throws {
        let records = try device.store.records(
            in: collection, states: Set(SyncState.allCases), after: nil, limit: 10_000)
        let counts = Dictionary(records.compactMap { $0.phase.state.map { ($0, 1) } }, uniquingKeysWith: +)
        try SimulationViolation.unless(
            try device.store.counts(in: collection) == counts, "§8", "a status counts other records",
            "\(collection) on \(device.name)")
        let waiting = try device.store.waiting(in: collection)
        guard Set(waiting.deciding) == Set(records.filter { $0.phase.activity == .deciding }.map(\.pk)),
            Set(waiting.held.map(\.pk)) == Set(records.filter { $0.phase.activity == .held }.map(\.pk))
        else {
            throw SimulationViolation("§8", "a status names other records that wait", "\(collection) on \(device.name)")
        }
    }

    /// Contract §3.5, I8: a wait has a minimum and a maximum, whatever a server or a policy demands, and grows.
    private func checkWait(_ report: CollectionReport, _ device: SimulatedDevice) throws {
        guard let time = report.nextTry else { return }
        let wait = time - device.clock.now
        let place = "\(wait) for \(report.collection) on \(device.name)"
        guard wait >= .zero else { throw SimulationViolation("I8", "a wait is negative", place) }
        guard self.isDrawn else { return }
        try SimulationViolation.unless(
            wait <= Self.longestWait, "§3.5", "a server can throttle a device without a limit", place)
        // A captive portal has a separate policy.
        guard let failure = report.failure?.failureClass, failure != .portal else { return }
        let refusals = try self.refusals(report, device)
        try SimulationViolation.unless(
            wait >= SteadyBackoff.span(attempt: refusals), "§3.5",
            refusals > 1 ? "the waits after refusals do not grow" : "a wait is shorter than a first one", place)
    }

    /// The longest wait that a device accepts from a server: a day.
    private static let longestWait = Duration.seconds(86_400)

    /// How often in a row the server refused an edit of this sync, if the wait is for that edit; 1 for another wait.
    private func refusals(_ report: CollectionReport, _ device: SimulatedDevice) throws -> Int {
        guard report.failure?.failureClass == .refused, device.wasAnswered.contains(report.collection) else { return 1 }
        var most = 1
        for place in device.refusedNow[report.collection, default: []] {
            guard let record = try device.store.record(place.pk, in: place.collection) else { continue }
            if [.idle, .unconfirmed].contains(record.phase.activity) {
                most = max(most, device.refusals[place, default: 0])
            }
        }
        return most
    }

    /// Checks that a refused edit is sent again only with the next sync, whether or not the server may have it (I8).
    func followRefusals(_ trace: RecordTrace, of place: SimulationStep.Place, on device: SimulatedDevice) throws {
        switch trace.event {
        // The change waits for another record: it is not sent again before that, and the refusal counts for no limit.
        case .refused where try self.isForeseen(place, on: device): return
        // A guest leaves it held.
        case .refused where device.process.client != .owner: device.refusals[place] = nil
        case .refused, .refusedUnconfirmed:
            device.refusals[place, default: 0] += 1
            device.refusedNow[place.collection, default: []].insert(place)
        case .sent where self.waitsForTheNextSync(place, on: device):
            throw SimulationViolation(
                "I8", "a refused edit is sent again within the same sync", "\(place.text) on \(device.name)")
        // The policy lets it be sent again.
        case .retried where trace.source.activity == .held: return
        case .resumed where trace.source.activity == .held: return
        case .sent, .lost, .repeated, .seen, .conflicted, .rebased: return
        case _: device.refusals[place] = nil
        }
    }

    /// Whether a change was refused in the present sync, and is due again in the next one.
    private func waitsForTheNextSync(_ place: SimulationStep.Place, on device: SimulatedDevice) -> Bool {
        self.setting.refused == .retry && place.collection != SimulationSetting.counts
            && device.refusedNow[place.collection]?.contains(place) == true
            && (1..<SimulationSetting.refusedTries).contains(device.refusals[place, default: 0])
    }
}

/// A back-off without jitter, so that each wait is known.
struct SteadyBackoff: RetryPolicy {
    func delay(attempt: Int, using generator: inout some RandomNumberGenerator) -> Duration {
        Self.span(attempt: attempt)
    }

    /// A second, doubling to 300 s.
    static func span(attempt: Int) -> Duration {
        min(.seconds(1) * (1 << min(max(attempt, 1) - 1, 20)), .seconds(300))
    }
}

/// A policy of an app that can't wait.
struct HastyPolicy: FailurePolicy {
    func decide(_ failure: FailedExchange) -> FailureVerdict { .retry(after: .seconds(-60)) }
}
