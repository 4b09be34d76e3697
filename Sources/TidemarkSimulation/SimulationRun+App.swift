import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting

// The acts of the users, and their visible effects.

extension SimulationRun {
    func act(_ act: SimulationStep.DeviceAct, on device: SimulatedDevice) throws {
        switch act {
        case .create(let place, let word): try self.create(place, word, device)
        case .type(let place, let field, let word):
            try self.edit(place, device, word: word) { $0[path: field] = SimulatedWords.json(word) }
        case .clear(let place, let field): try self.edit(place, device) { $0[path: field] = nil }
        case .append(let place, let field, let word):
            try self.edit(place, device, word: word) {
                $0[path: field] = SimulatedWords.appended(word, to: $0[path: field])
            }
        case .drop(let place, let field, let index):
            let former = try self.record(place, device)
            var words: Set<Int> = []
            try self.edit(place, device) { view in
                let before = SimulatedWords.found(in: view[path: field]?.bytes)
                view[path: field] = SimulatedWords.dropped(index, from: view[path: field])
                words = before.subtracting(SimulatedWords.found(in: view[path: field]?.bytes))
            }
            try self.noteDropped(words, place, field, after: former, device)
        case .insert, .move, .point:
            if let (place, word, change) = act.edit { try self.edit(place, device, word: word, change) }
        case .put(let place, let field, let key, let word):
            try self.edit(place, device, word: word) {
                $0[path: field] = SimulatedWords.put(word, key, into: $0[path: field])
            }
        case .draft(let place): if self.isOpen(place) { device.drafts[place] = try self.view(place, device) }
        case .save(let place, let field, let word): try self.save(place, field, word, device)
        case .add(let place, let number): try self.add(number, to: place, device)
        case .delete(let place): try self.delete(place, device)
        case .transact(let place, let other, let word, let course):
            try self.transact(place, deleting: other, word, course, device)
        case .amend: try self.amend(act, device)
        case .undo: try self.undo(.undo, device)
        case .redo: try self.undo(.redo, device)
        case .release(let place):
            device.refusals[place] = nil
            try self.input(device, place.collection, unless: [.nothingToDecide]) { (engine) throws(TidemarkError) in
                try engine.retry(place.pk, in: place.collection)
            }
        case .resign(let place): try self.resign(place, device)
        case .restore(let collection, let number): try self.restore(number, collection, device)
        case .restoreLost(let collection):
            try self.taking(back: [collection], device) {
                try self.input(device, collection) { (engine) throws(TidemarkError) in
                    try engine.restoreAll(.serverRolledBack, in: collection).effects
                }
            }
        case .look(let collection, let number):
            let conflicts = try device.engine.conflicts(in: collection)
            if !conflicts.isEmpty { device.lookedAt[collection] = conflicts[number % conflicts.count] }
        case .decide(let collection, let choice):
            if let conflict = device.lookedAt.removeValue(forKey: collection) {
                try self.decide(conflict, choice, device)
            }
        case .resolve(let collection, let number, let choice):
            let conflicts = try device.engine.conflicts(in: collection)
            if !conflicts.isEmpty { try self.decide(conflicts[number % conflicts.count], choice, device) }
        case .begin, .sync, .persist, .carry, .wake, .renew, .restart, .hand, .fail, .crash, .clock, .account, .copy,
            .respell,
            .run, .stop, .later, .offline, .online, .hear:
            break
        }
    }

    func view(_ place: SimulationStep.Place, _ device: SimulatedDevice) throws -> JSON? {
        try device.engine.snapshot(of: place.pk, in: place.collection)?.content
    }

    func record(_ place: SimulationStep.Place, _ device: SimulatedDevice) throws -> StoredRecord? {
        try device.store.record(place.pk, in: place.collection)
    }

    /// Only acts that name a counter touch one, and those do nothing else.
    func isOpen(_ place: SimulationStep.Place) -> Bool { place.collection != SimulationSetting.counts }

    // MARK: Records

    private func create(_ place: SimulationStep.Place, _ word: Int, _ device: SimulatedDevice) throws {
        guard self.isOpen(place), try self.view(place, device) == nil else { return }
        let content: JSON = ["title": SimulatedWords.json(word), "n": 0]
        let former = try self.record(place, device)
        let wasTaken = try self.input(device, place.collection, wants: word) { (engine) throws(TidemarkError) in
            try engine.create(content, pk: place.pk, in: place.collection).effects
        }
        guard wasTaken else { return }
        // A row of a server that does less has members of the server, which a record that is created again keeps.
        if self.server.lesser == nil { try self.expect(content, place, device, after: former) }
        try self.noteAct(on: place, device, word)
    }

    private func edit(
        _ place: SimulationStep.Place, _ device: SimulatedDevice, word: Int? = nil, _ change: (inout JSON) -> Void
    ) throws {
        guard self.isOpen(place), let before = try self.view(place, device) else { return }
        var after = before
        change(&after)
        try self.replace(before, by: after, place, device, word: word)
    }

    private func replace(
        _ before: JSON, by after: JSON, _ place: SimulationStep.Place, _ device: SimulatedDevice, word: Int? = nil
    ) throws {
        let takenBack = device.takenBack
        let gone = SimulatedWords.found(in: before.bytes).subtracting(SimulatedWords.found(in: after.bytes))
        // Before the check: the words that are pending from now on, and those that are not.
        device.takenBack.formUnion(gone)
        let pending = device.pending
        for word in gone { device.pending[word] = nil }
        let former = try self.record(place, device)
        let wasTaken = try self.input(device, place.collection, wants: word) { (engine) throws(TidemarkError) in
            try engine.edit(place.pk, in: place.collection) { _ in after }.effects
        }
        guard wasTaken else {
            (device.takenBack, device.pending) = (takenBack, pending)
            return
        }
        try self.expect(after, place, device, after: former)
        try self.noteAct(on: place, device, word)
    }

    private func delete(_ place: SimulationStep.Place, _ device: SimulatedDevice) throws {
        guard self.isOpen(place), let before = try self.view(place, device) else { return }
        let (takenBack, pending) = (device.takenBack, device.pending)
        let gone = SimulatedWords.found(in: before.bytes)
        device.takenBack.formUnion(gone)
        for word in gone { device.pending[word] = nil }
        let former = try self.record(place, device)
        let wasTaken = try self.input(device, place.collection) { (engine) throws(TidemarkError) in
            try engine.delete(place.pk, in: place.collection).effects
        }
        guard wasTaken else {
            (device.takenBack, device.pending) = (takenBack, pending)
            return
        }
        try self.expect(nil, place, device, after: former)
        try self.noteAct(on: place, device)
    }

    private func add(_ number: Int, to place: SimulationStep.Place, _ device: SimulatedDevice) throws {
        guard let before = try self.view(place, device), let sum = before.n?.int else { return }
        var after = before
        after.n = .number(JSONNumber(sum + number))
        let former = try self.record(place, device)
        let wasTaken = try self.input(device, place.collection) { (engine) throws(TidemarkError) in
            try engine.edit(place.pk, in: place.collection) { _ in after }.effects
        }
        guard wasTaken else { return }
        self.hands[place, default: []].insert(device.index)
        try self.expect(after, place, device, after: former)
        if place.collection == SimulationSetting.counts { self.sums[place.pk, default: 0] += number }
    }

    /// The app sees its edit. If an edit resolves an open conflict with a newer row of the server, both are merged, or one of
    /// them loses.
    func expect(
        _ content: JSON?, _ place: SimulationStep.Place, _ device: SimulatedDevice, after former: StoredRecord?
    ) throws {
        guard former?.seen == nil, former?.phase.activity != .deciding else { return }
        let view = try self.view(place, device)
        try SimulationViolation.unless(
            view == content, "R3", "an edit does not show",
            "\(place.text) on \(device.name) is \(view?.text ?? "gone"), not \(content?.text ?? "gone")")
    }

    /// Stores that the user has acted on a record, and awaits the outcome.
    func noteAct(on place: SimulationStep.Place, _ device: SimulatedDevice, _ word: Int? = nil) throws {
        self.hands[place, default: []].insert(device.index)
        // Each process numbers its waits from the start, and the outcomes of former processes still exist.
        if case .awaited(let number) = try device.engine.awaitOutcome(of: place.pk, in: place.collection),
            device.device.outcomes[number] == nil
        {
            device.waits[number] = SimulatedDevice.Wait(place: place, word: word)
        }
    }

    // MARK: Discarding and restoring

    private func resign(_ place: SimulationStep.Place, _ device: SimulatedDevice) throws {
        guard self.isOpen(place) else { return }
        let record = try device.store.record(place.pk, in: place.collection)
        let isCreate = record?.phase.state == .created && record?.confirmed.version == nil
        let isForgotten = record?.upload.map { self.forgottenUploads.contains($0.requestID) } ?? false
        let words = SimulatedWords.found(in: try self.view(place, device)?.bytes)
        self.isDeciding = true
        defer { self.isDeciding = false }
        let wasTaken = try self.input(device, place.collection, unless: [.nothingToDecide]) {
            (engine) throws(TidemarkError) in
            return try engine.resign(place.pk, in: place.collection)
        }
        guard wasTaken, isCreate, !isForgotten, record?.phase.activity != .deciding else { return }
        self.givenUp[place, default: []].formUnion(words)
    }

    private func restore(_ number: Int, _ collection: String, _ device: SimulatedDevice) throws {
        guard let entries = device.entries[collection], !entries.isEmpty, collection != SimulationSetting.counts else {
            return
        }
        let entry = entries[number % entries.count]
        try self.taking(back: [collection], device) {
            try self.input(
                device, collection,
                unless: [.noSuchRecord, .patchFailed, .recordExists, .invalidContent, .noSuchEntry]
            ) { (engine) throws(TidemarkError) in try engine.restore(entry, in: collection) }
        }
    }

    /// Performs an act of the user. The user has removed each word that was visible before and is not after; a word that is
    /// visible again is pending again.
    ///
    /// - Returns: Whether the act was accepted.
    @discardableResult
    func taking(back collections: [String], _ device: SimulatedDevice, _ act: () throws -> Bool) throws -> Bool {
        let shownBefore = try collections.map { try self.visibleWords($0, device) }
        let pending = device.pending
        // Until the effect of the act on them is known.
        for (word, owner) in pending where collections.contains(owner) { device.pending[word] = nil }
        self.isRestoring = true
        defer { self.isRestoring = false }
        guard try act() else {
            device.pending = pending
            return false
        }
        let shown = try collections.map { try self.visibleWords($0, device) }
        // For each record, since a word may be in two records if both sides of a conflict were kept.
        for (before, after) in zip(shownBefore, shown) {
            for (pk, words) in before { device.takenBack.formUnion(words.subtracting(after[pk] ?? [])) }
            for (pk, words) in after { self.restored.formUnion(words.subtracting(before[pk] ?? [])) }
        }
        let before = shownBefore.flatMap(\.values).reduce(into: Set<Int>()) { $0.formUnion($1) }
        let after = shown.flatMap(\.values).reduce(into: Set<Int>()) { $0.formUnion($1) }
        device.pending = pending.filter { after.contains($0.key) || !before.contains($0.key) }
        for word in after.subtracting(before) where !self.server.acknowledged.contains(word) {
            device.takenBack.remove(word)
            // A write whose value the user had replaced before it was sent is over with the next one. The act has its own outcome.
            for number in device.waits.filter({ $0.value.word == word }).keys { device.waits[number]?.word = nil }
            self.givenUp = self.givenUp.mapValues { $0.subtracting([word]) }
        }
        for collection in collections { try self.look(at: device, collection) }
        return true
    }

    func visibleWords(_ collection: String, _ device: SimulatedDevice) throws -> [String: Set<Int>] {
        try device.engine.snapshots(in: collection, states: Set(SyncState.allCases), after: nil, limit: 1_000)
            .reduce(into: [:]) { $0[$1.pk] = SimulatedWords.found(in: $1.raw.content) }
    }

    // MARK: Conflicts

    private func decide(
        _ conflict: RecordConflict, _ choice: SimulationStep.Choice, _ device: SimulatedDevice
    ) throws {
        let present = try device.engine.conflict(of: conflict.pk, in: conflict.collection)
        let isStale =
            present?.version != conflict.version || present?.client != conflict.client
            || present?.server != conflict.server || present?.kind != conflict.kind
        let verdict = choice.verdict(about: conflict)
        var word: Int?
        if case .merge(let number) = choice { word = number }
        var resolution: SyncEngine.Resolution?
        self.isDeciding = true
        defer { self.isDeciding = false }
        let wasTaken = try self.input(device, conflict.collection, unless: [.nothingToDecide]) {
            (engine) throws(TidemarkError) in
            let outcome = try self.merging(for: engine, conflict.collection) { (large) throws(TidemarkError) in
                try engine.resolve(conflict, verdict, large)
            }
            resolution = outcome.value
            return outcome.effects
        }
        guard wasTaken else { return }
        if resolution == .settled, let word {
            // A value that neither side changed, and that the user leaves out, is removed by the user.
            let base = SimulatedWords.found(in: conflict.base?.bytes)
            device.takenBack.formUnion(
                base.subtracting(SimulatedWords.found(in: conflict.client?.bytes).symmetricDifference(base)))
            device.pending[word] = conflict.collection
            try self.checkWords(of: device, conflict.collection)
        }
        if resolution == .settled, choice != .ask { try self.checkLeftOut(by: conflict, device) }
        if resolution == .settled {
            switch choice {
            case .clashesForServer, .clashesForClient: try self.checkUnasked(conflict, device)
            case .fields(let sides):
                try self.checkUnasked(conflict, device)
                try self.checkSides(sides, of: conflict, device)
            case .merge: device.discards += self.dropsAdditions(device) ? 1 : 0
            case .server, .client, .ask, .keepBoth: break
            }
        }
        try SimulationViolation.unless(
            isStale == (resolution == .stale), "R22",
            isStale ? "a decision about a changed conflict counts" : "a decision is refused without a reason",
            "“\(conflict.pk)” on \(device.name)")
        self.hands[SimulationStep.Place(collection: conflict.collection, pk: conflict.pk), default: []]
            .formUnion([device.index, -1])
    }

    /// Whether the last input of a device has journalled a number that is added up.
    private func dropsAdditions(_ device: SimulatedDevice) -> Bool {
        self.rules(of: device)[.n] == .sum
            && device.written.contains { ["", SimulationSetting.Field.n.pointer].contains($0.entry.path) }
    }
}
