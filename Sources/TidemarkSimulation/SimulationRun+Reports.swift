import TidemarkCore
import TidemarkMachine
import TidemarkRules
import TidemarkTesting

// How a sync ends, and how long it wants to wait.

extension SimulationRun {
    /// Looks at the syncs that have ended with an input.
    func checkReports(of device: SimulatedDevice) throws {
        for report in device.device.reports.dropFirst(device.reportsSeen) {
            // What failed before says nothing any more.
            if report.failure == nil, report.nextTry == nil {
                device.hasWritten.remove(report.collection)
                device.batches[report.collection]?.failures = 0
            }
            try self.checkWait(report, device)
            try self.checkConflicts(report, device)
            device.refusedNow[report.collection] = nil
        }
        device.reportsSeen = device.device.reports.count
    }

    /// I3, R22: a conflict that is reported can be decided, and is none that the rules settle by themselves. Two creates of one
    /// pk are asked about as a whole (R16).
    private func checkConflicts(_ report: CollectionReport, _ device: SimulatedDevice) throws {
        for pk in report.conflicts {
            let place = "\(report.collection) \(pk) on \(device.name)"
            guard let conflict = try device.engine.conflict(of: pk, in: report.collection) else {
                throw SimulationViolation("I3", "a conflict that is reported is not listed", place)
            }
            guard conflict.kind != .editEdit || !conflict.clashes.isEmpty else {
                throw SimulationViolation("R22", "a conflict stays open that the rules settle", place)
            }
        }
    }

    /// SPEC §3.5, I8: a wait has a lower and an upper end, whatever a server or a policy says, and grows.
    private func checkWait(_ report: CollectionReport, _ device: SimulatedDevice) throws {
        guard let time = report.nextTry else { return }
        let wait = time - device.clock.now
        let place = "\(wait) for \(report.collection) on \(device.name)"
        guard wait >= .zero else { throw SimulationViolation("I8", "a wait is over before it begins", place) }
        guard self.isDrawn else { return }
        guard wait <= Self.longestWait else {
            throw SimulationViolation("§3.5", "a server may silence a device for as long as it likes", place)
        }
        // That one has a policy of its own.
        guard let failure = report.failure?.failureClass, failure != .portal else { return }
        let refusals = try self.refusals(report, device)
        guard wait >= SteadyBackoff.span(attempt: refusals) else {
            throw SimulationViolation(
                "§3.5",
                refusals > 1 ? "the waits of what is refused do not grow" : "a wait is shorter than a first one",
                place)
        }
    }

    /// The longest wait that a server is believed: a day.
    private static let longestWait = Duration.seconds(86_400)

    /// How often in a row something was refused that this sync has sent and waits with; 1 where it waits for something else.
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

    /// Follows what is refused and sent again: with the next sync, whether or not the server may have it (I8).
    func followRefusals(_ trace: RecordTrace, of place: SimulationStep.Place, on device: SimulatedDevice) throws {
        switch trace.event {
        case .refused, .refusedInDoubt:
            device.refusals[place, default: 0] += 1
            device.refusedNow[place.collection, default: []].insert(place)
        case .sent where self.waitsForTheNextSync(place, on: device):
            throw SimulationViolation(
                "I8", "what was refused is sent again within the same sync", "\(place.text) on \(device.name)")
        // The policy sends it again.
        case .released where trace.source.activity == .held: return
        case .resumed where trace.source.activity == .held: return
        case .sent, .lost, .repeated, .seen, .conflicted, .rebased: return
        case _: device.refusals[place] = nil
        }
    }

    /// Whether a change was refused in the sync that goes on, and is to be tried again.
    private func waitsForTheNextSync(_ place: SimulationStep.Place, on device: SimulatedDevice) -> Bool {
        self.setting.refused == .retry && place.collection != SimulationSetting.counts
            && device.refusedNow[place.collection]?.contains(place) == true
            && (1..<SimulationSetting.refusedTries).contains(device.refusals[place, default: 0])
    }
}

/// A back-off without chance, so that it is known how long a device has to wait.
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
