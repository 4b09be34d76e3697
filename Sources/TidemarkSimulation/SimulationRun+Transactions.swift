import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting

// Changes of several records in one transaction (R25).

extension SimulationRun {
    /// The error of a closure of the app.
    private static let thrown = TidemarkError.Code("thrown")

    /// The words of a record that the app is about to change, until it is known whether the change was stored.
    private struct Before {
        let takenBack: Set<Int>
        let pending: [Int: String]
        var views: [(place: SimulationStep.Place, view: JSON?, record: StoredRecord?)] = []
    }

    /// Writes a word into a record or creates it, deletes another record, and adds 1 to a counter.
    func transact(
        _ place: SimulationStep.Place, deleting other: SimulationStep.Place, _ word: Int, throwing isThrown: Bool,
        _ device: SimulatedDevice
    ) throws {
        guard self.isOpen(place), self.isOpen(other), place != other else { return }
        let counter = SimulationStep.Place(collection: SimulationSetting.counts, pk: SimulationRun.counters[0])
        var before = Before(takenBack: device.takenBack, pending: device.pending)
        for place in [place, other, counter] {
            before.views.append((place, try self.view(place, device), try self.record(place, device)))
        }
        let (own, doomed, count) = (before.views[0].view, before.views[1].view, before.views[2].view)
        var after = own ?? ["n": 0]
        after.title = SimulatedWords.json(word)
        let gone = SimulatedWords.found(in: own?.bytes).subtracting(SimulatedWords.found(in: after.bytes))
            .union(SimulatedWords.found(in: doomed?.bytes))
        device.takenBack.formUnion(gone)
        for word in gone { device.pending[word] = nil }
        let wasTaken = try self.input(
            device, place.collection, unless: isThrown ? [Self.thrown] : [], wants: word
        ) { (engine) throws(TidemarkError) in
            try engine.transact { (t) throws(TidemarkError) in
                if own == nil {
                    try t[place.collection].create(after, pk: place.pk)
                } else {
                    try t[place.collection][place.pk].edit { $0 = after }
                }
                if doomed != nil { try t[other.collection][other.pk].delete() }
                if let sum = count?.n?.int {
                    try t[counter.collection][counter.pk].edit { $0.n = .number(JSONNumber(sum + 1)) }
                }
                if isThrown { throw TidemarkError(Self.thrown, "The app has changed its mind.") }
            }.effects
        }
        let others = Set([other.collection, counter.collection]).subtracting([place.collection])
        for name in others.sorted() { self.tellLoop(of: device, name, .app, wasTaken ? [] : nil, isJoin: false) }
        guard wasTaken, !isThrown else { return try self.checkNothingChanged(before, wasTaken, device) }
        if own != nil || self.server.lesser == nil {
            try self.expect(after, place, device, after: before.views[0].record)
        }
        try self.noteAct(on: place, device, word)
        if doomed != nil {
            try self.expect(nil, other, device, after: before.views[1].record)
            try self.noteAct(on: other, device)
        }
        if let sum = count?.n?.int {
            var after = count
            after?.n = .number(JSONNumber(sum + 1))
            try self.expect(after, counter, device, after: before.views[2].record)
            self.hands[counter, default: []].insert(device.index)
            self.sums[counter.pk, default: 0] += 1
        }
        for name in others.sorted() { try self.checkWords(of: device, name) }
    }

    /// A transaction that fails has changed nothing.
    private func checkNothingChanged(_ before: Before, _ wasTaken: Bool, _ device: SimulatedDevice) throws {
        (device.takenBack, device.pending) = (before.takenBack, before.pending)
        guard !wasTaken else {
            throw SimulationViolation("R25", "a transaction whose closure throws is stored", device.name)
        }
        for (place, view, record) in before.views {
            guard try self.view(place, device) != view || self.record(place, device) != record else { continue }
            throw SimulationViolation(
                "R25", "a part of a failed transaction is stored", "\(place.text) on \(device.name)")
        }
    }
}
