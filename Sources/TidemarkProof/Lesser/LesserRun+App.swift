import TidemarkCore
import TidemarkJSON
import TidemarkRules
import TidemarkSimulation
import TidemarkTesting

// The acts of the users.

extension LesserRun {
    func act(_ act: SimulationStep.DeviceAct, on device: LesserDevice) async throws {
        switch act {
        case .create(let place, let word):
            guard self.isOpen(place.collection), try self.view(place, device) == nil else { return }
            let content: JSON = ["title": SimulatedWords.json(word), "n": 0]
            try await self.input(device, place.collection, wants: word) { (engine) throws(TidemarkError) in
                try engine.create(content, pk: place.pk, in: place.collection).effects
            }
        case .add(let place, let number):
            try await self.edit(place, device) { if let sum = $0.n?.int { $0.n = .number(JSONNumber(sum + number)) } }
        case .delete(let place):
            guard self.isOpen(place.collection), let before = try self.view(place, device) else { return }
            self.takeBack(SimulatedWords.found(in: before.bytes), device)
            try await self.input(device, place.collection) { (engine) throws(TidemarkError) in
                try engine.delete(place.pk, in: place.collection).effects
            }
        case .release(let place):
            try await self.input(device, place.collection, unless: [.nothingToDecide]) {
                (engine) throws(TidemarkError) in try engine.retry(place.pk, in: place.collection)
            }
        case .resign(let place):
            try await self.input(device, place.collection, unless: [.nothingToDecide]) {
                (engine) throws(TidemarkError) in try engine.resign(place.pk, in: place.collection)
            }
        case .look(let collection, let number):
            let conflicts = try device.device.engine.conflicts(in: collection)
            if !conflicts.isEmpty { device.lookedAt[collection] = conflicts[number % conflicts.count] }
        case .decide(let collection, let choice):
            if let conflict = device.lookedAt.removeValue(forKey: collection) {
                try await self.decide(conflict, choice, device)
            }
        case .resolve(let collection, let number, let choice):
            let conflicts = try device.device.engine.conflicts(in: collection)
            if !conflicts.isEmpty { try await self.decide(conflicts[number % conflicts.count], choice, device) }
        case _:
            if let (place, word, change) = act.edit { try await self.edit(place, device, word: word, change) }
        }
    }

    /// The counters belong to runs over the reference server.
    private func isOpen(_ collection: String) -> Bool { SimulationSetting.collections.contains(collection) }

    func view(_ place: SimulationStep.Place, _ device: LesserDevice) throws -> JSON? {
        try device.device.engine.snapshot(of: place.pk, in: place.collection)?.content
    }

    private func takeBack(_ words: Set<Int>, _ device: LesserDevice) {
        device.takenBack.formUnion(words)
        for word in words { device.pending[word] = nil }
    }

    private func edit(
        _ place: SimulationStep.Place, _ device: LesserDevice, word: Int? = nil, _ change: (inout JSON) -> Void
    ) async throws {
        guard self.isOpen(place.collection), let before = try self.view(place, device) else { return }
        var after = before
        change(&after)
        let content = after
        self.takeBack(
            SimulatedWords.found(in: before.bytes).subtracting(SimulatedWords.found(in: after.bytes)), device)
        try await self.input(device, place.collection, wants: word) { (engine) throws(TidemarkError) in
            try engine.edit(place.pk, in: place.collection) { _ in content }.effects
        }
    }

    private func decide(
        _ conflict: RecordConflict, _ choice: SimulationStep.Choice, _ device: LesserDevice
    ) async throws {
        var word: Int?
        if case .merge(let number) = choice { word = number }
        var isSettled = false
        try await self.input(device, conflict.collection, unless: [.nothingToDecide]) {
            (engine) throws(TidemarkError) in
            let outcome = try engine.resolve(conflict, choice.verdict(about: conflict))
            isSettled = outcome.value == .settled
            return outcome.effects
        }
        guard isSettled, let word else { return }
        // A value that neither side changed, and that the user leaves out, is removed by the user.
        let base = SimulatedWords.found(in: conflict.base?.bytes)
        device.takenBack.formUnion(
            base.subtracting(SimulatedWords.found(in: conflict.client?.bytes).symmetricDifference(base)))
        device.pending[word] = conflict.collection
        try self.look(at: device, conflict.collection)
    }
}
