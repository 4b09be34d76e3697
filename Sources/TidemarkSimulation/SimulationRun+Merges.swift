import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting

// Compares merges of records with a second implementation of the rules.

extension SimulationRun {
    /// A record before an answer: the common base, and the local content.
    struct Changed {
        var base: JSON
        var client: JSON
    }

    /// The records of an answer that have local changes and are merged by field rules.
    func changed(
        on device: SimulatedDevice, _ page: ExchangeAnswer, _ request: ExchangeRequest
    ) throws -> [String: Changed] {
        guard self.isDrawn, self.setting.tactic == .autoMerge, request.collection != SimulationSetting.counts else {
            return [:]
        }
        device.mergesSeen = device.device.traces.count
        // If a row follows the result of the same record, each of the two is merged separately.
        let pks = Set(page.page.rows.map { page.page.pk(of: $0) }).symmetricDifference(request.uploads.map(\.pk))
        return try pks.reduce(into: [:]) { changed, pk in
            guard let record = try device.store.record(pk, in: request.collection), record.phase.state == .edited,
                record.seen == nil, let data = record.confirmed.data,
                let client = try self.view(.init(collection: request.collection, pk: pk), device)
            else { return }
            changed[pk] = Changed(base: try JSON(parsing: data), client: client)
        }
    }

    /// Contract §4: if both sides changed a record, each field has the result of its rule.
    func checkMerges(_ changed: [String: Changed], on device: SimulatedDevice, _ collection: String) throws {
        guard !changed.isEmpty else { return }
        let traces = device.device.traces.dropFirst(device.mergesSeen).filter { $0.collection == collection }
        for (pk, sides) in changed.sorted(by: { $0.key < $1.key }) {
            // The merged change may be sent at once.
            let events = traces.filter { $0.pk == pk && $0.event != .sent }.map(\.event)
            guard events.count(where: { $0 == .rebased || $0 == .converged }) == 1,
                events.count(where: { $0 == .clashed }) < 2,
                events.allSatisfy({ [.rebased, .converged, .clashed, .conflicted].contains($0) })
            else { continue }
            let place = SimulationStep.Place(collection: collection, pk: pk)
            guard let data = try device.store.record(pk, in: collection)?.confirmed.data,
                let view = try self.view(place, device)
            else { continue }
            let hasListed = device.written.contains { $0.collection == collection && $0.entry.pk == pk }
            let merge = SimulatedMerge(
                base: sides.base, server: try JSON(parsing: data), client: sides.client, merged: view,
                hasListed: hasListed)
            guard let flaw = merge.flaw(by: self.setting.rules) else { continue }
            throw SimulationViolation("§4", flaw.kind, "\(flaw.field.pointer) in \(place.text) on \(device.name)")
        }
    }
}
