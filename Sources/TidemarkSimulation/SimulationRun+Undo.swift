import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting

// Undo and redo of whole transactions, as far as no field was changed since.

extension SimulationRun {
    /// Undoes or redoes the last step of a device.
    func undo(_ direction: UndoStack.Direction, _ device: SimulatedDevice) throws {
        let (step, changes) = (device.history.stack.last(direction), device.history.last(direction))
        try SimulationViolation.unless(
            (step == nil) == (changes == nil), "§8",
            step == nil ? "a step with a change can't be undone" : "a step without a change can be undone", device.name)
        guard let step, let changes else { return }
        var places: [SimulationStep.Place] = []
        for change in changes where !places.contains(change.place) { places.append(change.place) }
        let former = try places.map { try self.former($0, device) }
        let collections = Set(places.map(\.collection)).sorted()
        let discards = device.discards
        var result: (edits: [RecordEdit], left: [UndoHistory.Left]) = ([], [])
        let wasTaken = try self.taking(back: collections, device) {
            let wasTaken = try self.input(device, collections[0]) { (engine) throws(TidemarkError) in
                let done = try engine.transact { (t) throws(TidemarkError) in try t.undoUnchanged(step.edits) }
                result = done.value
                return done.effects
            }
            for name in collections.dropFirst() {
                self.tellLoop(of: device, name, .app, wasTaken ? [] : nil, isJoin: false)
            }
            return wasTaken
        }
        guard wasTaken else { return try self.checkUnchanged(former, "a part of a failed undo is stored", device) }
        for edit in result.edits {
            let place = SimulationStep.Place(collection: edit.collection, pk: edit.pk)
            try SimulationViolation.unless(
                places.contains(place), "§8", "an undo changes a record that its step did not change",
                "\(place.text) on \(device.name)")
        }
        let undone = try self.changes(result.edits, after: former, discards, device)
        for former in former {
            let own = changes.filter { $0.place == former.place }
            // Several changes of one record were made around a decision about it.
            guard own.count == 1, former.isPlain else { continue }
            try self.check(own[0], former, left: result.left, device)
        }
        for change in undone {
            guard change.place.collection == SimulationSetting.counts else {
                try self.noteAct(on: change.place, device)
                continue
            }
            self.hands[change.place, default: []].insert(device.index)
            let number = (change.after?.n?.int ?? 0) - (change.before?.n?.int ?? 0)
            self.sums[change.place.pk, default: 0] += number
        }
        device.history.move(result.edits, undone, after: direction)
    }

    /// Checks the effect of an undo on a record that no newer row of the server waits for.
    private func check(
        _ change: SimulatedHistory.Change, _ former: Former, left: [UndoHistory.Left], _ device: SimulatedDevice
    ) throws {
        let place = former.place
        let (before, after, present) = (change.before, change.after, former.view)
        let view = try self.view(place, device)
        let isNamed = left.contains { $0.collection == place.collection && $0.pk == place.pk }
        func require(_ isRight: Bool, _ kind: String) throws {
            try SimulationViolation.unless(isRight, "§8", kind, "\(place.text) on \(device.name)")
        }
        guard let after else {
            // The step had deleted the record.
            guard present == nil else {
                return try require(view == present && isNamed, "an undo of a delete overwrites a record")
            }
            guard self.server.lesser == nil else { return }
            return try require(view == before, "an undo of a delete makes another record")
        }
        guard let present else {
            return try require(view == nil && isNamed, "an undo restores a record that was deleted")
        }
        if present == after, before == nil, self.setting.references > 0 {
            let isNamedByOthers = try self.isReferred(place, on: device)
            return try require(
                view == (isNamedByOthers ? present : nil) && isNamed == isNamedByOthers,
                isNamedByOthers ? "an undo deletes a record that another one names" : "an undo of a create is not whole"
            )
        }
        if present == after {
            // A row of a server that does less has members of the server.
            let isRight = view == before || before == nil && self.server.lesser != nil
            return try require(isRight && !isNamed, "an undo of a record that was not changed since is not whole")
        }
        guard let before else {
            guard self.server.lesser == nil else { return }
            return try require(view == present && isNamed, "an undo deletes a record that was changed since")
        }
        guard let view else { return try require(false, "an undo of an edit deletes the record") }
        let keys = [before, after, present, view].reduce(into: Set<String>()) { $0.formUnion($1.object?.keys ?? []) }
        for key in keys.sorted() where before[key] == after[key] {
            try require(view[key] == present[key], "an undo changes a field that its step did not change")
        }
        let isCounter = place.collection == SimulationSetting.counts
        guard isCounter || self.isDrawn && self.setting.lateRules == 0 else { return }
        let rules = isCounter ? [.n: .sum] : self.rules(of: device)
        let merge = SimulatedMerge(base: after, server: present, client: before, merged: view, hasListed: true)
        if let flaw = merge.flaw(ofUndoBy: rules, takesAdditionsBack: change.discards.map { $0 == device.discards }) {
            throw SimulationViolation("§8", flaw.kind, "\(flaw.field.pointer) in \(place.text) on \(device.name)")
        }
        let names = left.filter { $0.collection == place.collection && $0.pk == place.pk }.flatMap(\.fields)
        for field in [SimulationSetting.Field.title, .x] {
            let values = [before, after, present].map { $0[path: field.pointer] }
            let isLeft = values[0] != values[1] && values[2] != values[1] && values[2] != values[0]
            try require(
                names.contains { $0.text == field.pointer } == isLeft,
                isLeft ? "an undo does not name a field that it leaves" : "an undo names a field that it does not leave"
            )
        }
    }
}

extension SimulationRun {
    /// Whether the app of a device sees another record that names this one.
    private func isReferred(_ place: SimulationStep.Place, on device: SimulatedDevice) throws -> Bool {
        for collection in SimulationSetting.collections {
            let records = try device.store.records(
                in: collection, states: Set(SyncState.allCases), after: nil, limit: 1_000)
            for record in records {
                let other = SimulationStep.Place(collection: collection, pk: record.pk)
                if SimulationReferences.target(of: other, in: try self.view(other, device)) == place { return true }
            }
        }
        return false
    }
}

// MARK: - Answers by field

extension SimulationRun {
    /// Checks that each open clash of a decided conflict has the value of the side that was given for it.
    func checkSides(_ sides: Int, of conflict: RecordConflict, _ device: SimulatedDevice) throws {
        let place = SimulationStep.Place(collection: conflict.collection, pk: conflict.pk)
        let view = try self.view(place, device)
        for (number, clash) in conflict.asked.enumerated() {
            let value = SimulationStep.Choice.side(of: number, in: sides) == .client ? clash.client : clash.server
            // The order of objects: both sides have the others' objects, too.
            if let value, clash.server?.array != nil, clash.client?.array != nil,
                value.array?.first?.object?["id"] != nil
            {
                continue
            }
            // A row of a server that does less has members of the server.
            if clash.path == .root, self.server.lesser != nil { continue }
            try SimulationViolation.unless(
                view?.value(of: clash.path) == value, "R22", "an answer by field has another side's value",
                "\(clash.path.text) in \(place.text) on \(device.name)")
        }
    }
}

extension JSON {
    /// A value by its path, in which an object of an array has its id in place of its number.
    fileprivate func value(of path: JSONPointer) -> JSON? {
        path.tokens.reduce(Optional(self)) { value, token in
            guard let elements = value?.array else { return value?.object?[token] }
            return elements.first { $0.object?["id"]?.text == token }
        }
    }
}
