import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting

// Changes of several records in one transaction (R25). Each transaction is a step of the undo history.

extension SimulationRun {
    /// The error of a closure of the app.
    private static let thrown = TidemarkError.Code("thrown")

    /// A record that the app is about to change.
    struct Former {
        let place: SimulationStep.Place
        let view: JSON?
        let record: StoredRecord?

        /// Whether an edit of the record decides about no newer row of the server, so that its effect is known.
        var isPlain: Bool { self.record?.seen == nil && self.record?.phase.activity != .deciding }
    }

    func former(_ place: SimulationStep.Place, _ device: SimulatedDevice) throws -> Former {
        Former(place: place, view: try self.view(place, device), record: try self.record(place, device))
    }

    /// The words of a device that the app is about to change, until it is known whether the change was stored.
    private struct Before {
        let takenBack: Set<Int>
        let pending: [Int: String]

        init(_ device: SimulatedDevice) { (self.takenBack, self.pending) = (device.takenBack, device.pending) }
    }

    /// Writes a word into a record or creates it, deletes another record, and adds to a counter.
    func transact(
        _ place: SimulationStep.Place, deleting other: SimulationStep.Place, _ word: Int,
        _ course: SimulationStep.TransactionCourse, _ device: SimulatedDevice
    ) throws {
        guard self.isOpen(place), self.isOpen(other), place != other else { return }
        let counter = SimulationStep.Place(collection: SimulationSetting.counts, pk: SimulationRun.counters[0])
        let words = Before(device)
        let former = try [place, other, counter].map { try self.former($0, device) }
        let (own, doomed, count) = (former[0].view, former[1].view, former[2].view)
        var after = own ?? ["n": 0]
        after.title = SimulatedWords.json(word)
        let gone = SimulatedWords.found(in: own?.bytes).subtracting(SimulatedWords.found(in: after.bytes))
            .union(SimulatedWords.found(in: doomed?.bytes))
        device.takenBack.formUnion(gone)
        for word in gone { device.pending[word] = nil }
        let additions = Self.additions(to: count, course, device)
        let discards = device.discards
        var edits: [RecordEdit] = []
        let wasTaken = try self.input(
            device, place.collection, unless: course.isFailure ? [Self.thrown, .transactionTooLarge] : [], wants: word
        ) { (engine) throws(TidemarkError) in
            let done = try engine.transact { (t) throws(TidemarkError) in
                if course == .catchesBefore { Self.fail(before: t, place, isThere: own != nil) }
                if own == nil {
                    try t[place.collection].create(after, pk: place.pk)
                } else {
                    try t[place.collection][place.pk].edit { $0 = after }
                }
                if doomed != nil { try t[other.collection][other.pk].delete() }
                for addition in additions { try addition.perform(in: t, counter) }
                if course == .catchesAfter { Self.fail(after: t, place) }
                if [.fails, .savesAndFails].contains(course) {
                    throw TidemarkError(Self.thrown, "The app has changed its mind.")
                }
                return t.edits
            }
            edits = done.value
            return done.effects
        }
        let others = Set([other.collection, counter.collection]).subtracting([place.collection])
        for name in others.sorted() { self.tellLoop(of: device, name, .app, wasTaken ? [] : nil, isJoin: false) }
        guard wasTaken, !course.isFailure else {
            (device.takenBack, device.pending) = (words.takenBack, words.pending)
            return try self.checkNothingChanged(former, place.collection, wasTaken, device)
        }
        if own != nil || self.server.lesser == nil {
            try self.expect(after, place, device, after: former[0].record)
        }
        try self.noteAct(on: place, device, word)
        if doomed != nil {
            try self.expect(nil, other, device, after: former[1].record)
            try self.noteAct(on: other, device)
        }
        if let sum = count?.n?.int {
            let number = additions.reduce(0) { $0 + $1.number }
            var after = count
            after?.n = .number(JSONNumber(sum + number))
            try self.expect(after, counter, device, after: former[2].record)
            self.hands[counter, default: []].insert(device.index)
            self.sums[counter.pk, default: 0] += number
            if let draft = device.counting, course.saves > 0 { device.counting?.base = draft.number }
        }
        for name in others.sorted() { try self.checkWords(of: device, name) }
        device.history.add(edits, try self.changes(edits, after: former, discards, device))
    }

    /// Changes a field in a transaction.
    func amend(_ act: SimulationStep.DeviceAct, _ device: SimulatedDevice) throws {
        guard let (place, word, change) = act.edit, self.isOpen(place) else { return }
        let former = try self.former(place, device)
        guard let before = former.view else { return }
        var after = before
        change(&after)
        let words = Before(device)
        let gone = SimulatedWords.found(in: before.bytes).subtracting(SimulatedWords.found(in: after.bytes))
        device.takenBack.formUnion(gone)
        for word in gone { device.pending[word] = nil }
        let discards = device.discards
        var edits: [RecordEdit] = []
        let wasTaken = try self.input(device, place.collection, wants: word) { (engine) throws(TidemarkError) in
            let done = try engine.transact { (t) throws(TidemarkError) in
                try t[place.collection][place.pk].edit { $0 = after }
                return t.edits
            }
            edits = done.value
            return done.effects
        }
        guard wasTaken else {
            (device.takenBack, device.pending) = (words.takenBack, words.pending)
            return
        }
        try self.expect(after, place, device, after: former.record)
        try self.noteAct(on: place, device, word)
        device.history.add(edits, try self.changes(edits, after: [former], discards, device))
    }

    // MARK: The parts of a transaction

    /// An addition to a counter.
    private struct Addition {
        let number: Int
        /// The draft of the counter, and its content; nil for an edit.
        var draft: (saved: SavedDraft, content: JSON)?

        func perform(in t: RecordTransaction, _ counter: SimulationStep.Place) throws(TidemarkError) {
            guard let (saved, content) = self.draft else {
                try t[counter.collection][counter.pk].edit {
                    $0.n = .number(JSONNumber(($0.n?.int ?? 0) + self.number))
                }
                return
            }
            _ = try t.save(content, over: saved, of: counter.pk, in: counter.collection)
        }
    }

    /// The additions of a transaction. The user types the next number into the draft before each save, and keeps the draft if the
    /// transaction fails.
    private static func additions(
        to counter: JSON?, _ course: SimulationStep.TransactionCourse, _ device: SimulatedDevice
    ) -> [Addition] {
        guard var draft = device.counting ?? SimulatedCounting(counter), counter?.n?.int != nil else { return [] }
        guard course.saves > 0 else { return [Addition(number: 1)] }
        var (additions, saved) = ([Addition](), draft.base)
        for _ in 0..<course.saves {
            draft.number += 1
            var content = draft.saved.content
            content.n = .number(JSONNumber(draft.number))
            additions.append(Addition(number: draft.number - saved, draft: (draft.saved, content)))
            saved = draft.number
        }
        device.counting = draft
        return additions
    }

    /// Makes calls that fail before they write, and catches their errors.
    private static func fail(before t: RecordTransaction, _ place: SimulationStep.Place, isThere: Bool) {
        let record = t[place.collection][place.pk]
        if isThere {
            _ = try? t[place.collection].create(["n": 0], pk: place.pk)
            _ = try? record.edit { (view) throws(TidemarkError) in
                view = [:]
                throw TidemarkError(Self.thrown, "The app has changed its mind.")
            }
        } else {
            _ = try? record.delete()
        }
    }

    /// Creates records until a call fails that has written, and catches its error.
    private static func fail(after t: RecordTransaction, _ place: SimulationStep.Place) {
        for pk in SimulationSetting.spares { _ = try? t[place.collection].create(["n": 0], pk: pk) }
    }

    /// A transaction that fails has changed nothing.
    private func checkNothingChanged(
        _ former: [Former], _ collection: String, _ wasTaken: Bool, _ device: SimulatedDevice
    ) throws {
        try SimulationViolation.unless(
            !wasTaken, "R25", "a transaction is stored although its closure or a call failed", device.name)
        try self.checkUnchanged(former, "a part of a failed transaction is stored", device)
        for pk in SimulationSetting.spares {
            let spare = SimulationStep.Place(collection: collection, pk: pk)
            try SimulationViolation.unless(
                try self.record(spare, device) == nil, "R25", "a part of a failed transaction is stored",
                "\(spare.text) on \(device.name)")
        }
    }

    func checkUnchanged(_ former: [Former], _ kind: String, _ device: SimulatedDevice) throws {
        for former in former {
            let present = try self.former(former.place, device)
            try SimulationViolation.unless(
                present.view == former.view && present.record == former.record, "R25", kind,
                "\(former.place.text) on \(device.name)")
        }
    }

    // MARK: The undo history

    /// The changes of a transaction, which are those that the app sees.
    ///
    /// - Parameter discards: How many values the device had discarded before.
    func changes(
        _ edits: [RecordEdit], after former: [Former], _ discards: Int, _ device: SimulatedDevice
    ) throws -> [SimulatedHistory.Change] {
        let changes = edits.filter { $0.before != $0.after }.map {
            SimulatedHistory.Change(
                place: .init(collection: $0.collection, pk: $0.pk), before: $0.before, after: $0.after,
                discards: discards == device.discards ? discards : nil)
        }
        for former in former where former.isPlain && self.server.lesser == nil {
            let view = try self.view(former.place, device)
            let own = changes.filter { $0.place == former.place }
            let isShown = own.allSatisfy { $0.before == former.view && $0.after == view }
            try SimulationViolation.unless(
                isShown && own.count == (former.view == view ? 0 : 1), "§8",
                "the changes of a transaction are not those that show", "\(former.place.text) on \(device.name)")
        }
        return changes
    }
}
