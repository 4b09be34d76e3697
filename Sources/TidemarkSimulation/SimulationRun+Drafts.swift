import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting

// A draft is saved over a record that may have changed since (Contract §8).

extension SimulationRun {
    /// The user sets a field of the draft to a word and saves it. If the user is asked, the word decides the preferred side.
    func save(
        _ place: SimulationStep.Place, _ field: String, _ word: Int, _ device: SimulatedDevice
    ) throws {
        guard let base = device.drafts.removeValue(forKey: place), let stored = try self.view(place, device) else {
            return
        }
        var draft = base
        draft[path: field] = SimulatedWords.json(word)
        let (takenBack, pending) = (device.takenBack, device.pending)
        // The user replaces the words of the field in the draft, if they are still there.
        let replaced = SimulatedWords.found(in: base[path: field]?.bytes)
            .intersection(SimulatedWords.found(in: stored[path: field]?.bytes))
        device.takenBack.formUnion(replaced)
        for word in replaced { device.pending[word] = nil }
        let former = try self.record(place, device)
        let wasTaken = try self.save(draft, from: base, over: stored, place, word, device)
        let view = try self.view(place, device)
        let shown = SimulatedWords.found(in: view?.bytes)
        guard wasTaken else {
            (device.takenBack, device.pending) = (takenBack, pending)
            return
        }
        for word in replaced where shown.contains(word) {
            if !takenBack.contains(word) { device.takenBack.remove(word) }
            device.pending[word] = pending[word]
        }
        if former?.seen == nil, former?.phase.activity != .deciding {
            let lost = SimulatedWords.found(in: stored.bytes).subtracting(shown).subtracting(replaced)
            try self.check(lost, place, device)
            try self.check(field, of: draft, from: base, over: stored, view, place, device)
        }
        try self.noteAct(on: place, device, word)
    }

    /// Saves a draft, and once more with answers if the user is asked.
    private func save(
        _ draft: JSON, from base: JSON, over stored: JSON, _ place: SimulationStep.Place, _ word: Int,
        _ device: SimulatedDevice
    ) throws -> Bool {
        var conflict: DraftConflict?
        func save(_ answers: [DraftConflict.Field: DraftConflict.Side]) throws -> Bool {
            try self.input(device, place.collection, unless: [.draftConflict], wants: word) {
                (engine) throws(TidemarkError) in
                do throws(TidemarkError) {
                    let saved = try engine.save(
                        draft, from: base, of: place.pk, in: place.collection, preferring: answers)
                    return saved.effects
                } catch {
                    conflict = error.draftConflict
                    throw error
                }
            }
        }
        if try save([:]) { return true }
        guard let asked = conflict else { return false }
        try SimulationViolation.unless(
            try self.view(place, device) == stored, "§8", "a draft is stored although the user is asked about it",
            "\(place.text) on \(device.name)")
        return try save(asked.preferring(word.isMultiple(of: 2) ? .draft : .stored))
    }

    /// I2: a value that a draft overwrites, and that its user has not seen, is in a journal.
    private func check(_ lost: Set<Int>, _ place: SimulationStep.Place, _ device: SimulatedDevice) throws {
        let lost = lost.subtracting(device.journalled)
        try SimulationViolation.unless(
            lost.isEmpty, "I2", "a draft overwrites a value that is in no journal",
            "\(SimulatedWords.text(lost)) in \(place.text) on \(device.name)")
    }

    /// Only the field that was changed in the draft is changed in the record, and it is if only the draft changed it.
    private func check(
        _ field: String, of draft: JSON, from base: JSON, over stored: JSON, _ view: JSON?,
        _ place: SimulationStep.Place, _ device: SimulatedDevice
    ) throws {
        let member = String(field.split(separator: "/").first ?? "")
        var (before, after) = (stored, view)
        before[member] = nil
        after?[member] = nil
        try SimulationViolation.unless(
            before == after, "§8", "a draft changes a field that its user did not change",
            "\(place.text) on \(device.name)")
        try SimulationViolation.unless(
            stored[member] != base[member] || view?[member] == draft[member], "§8",
            "a draft is saved without its user's change", "\(field) in \(place.text) on \(device.name)")
    }
}
