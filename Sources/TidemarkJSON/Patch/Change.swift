/// What is different between two values, as a tree: it has a node only where something changed.
///
/// Objects are compared key by key; anything else, arrays too, is one value (SPEC §4). Both the canonical patch and the
/// merge read this tree, so that they cannot differ about what a change is.
indirect enum Change {
    /// The value came, went, or was put in place of another.
    case whole

    /// An object stayed an object; these of its members changed.
    case members([(key: String, change: Change)])

    /// The change from one value to the other, or nil if they are equal; a value of nil is no value.
    static func between(_ before: JSON?, _ after: JSON?) -> Change? {
        guard let before, let after else { return before == nil && after == nil ? nil : .whole }
        guard case .object(let old) = before, case .object(let new) = after else {
            return before == after ? nil : .whole
        }
        let members = Change.members(from: old, to: new)
        return members.isEmpty ? nil : .members(members)
    }

    private static func members(from old: JSONObject, to new: JSONObject) -> [(key: String, change: Change)] {
        var changed: [(key: String, change: Change)] = []
        var kept = 0
        // Most often both have the same keys in the same order, and nothing has to be looked up or decoded.
        var neighbours = new.makeIterator()
        var slots = old.makeIterator()
        while let slot = slots.nextSlot() {
            let neighbour = neighbours.nextSlot()
            let isSame = neighbour?.key == slot.key
            let after = isSame ? neighbour?.value : new[slot.key.value]
            if after != nil { kept += 1 }
            if let change = Change.between(slot.value, after) { changed.append((slot.key.value, change)) }
        }
        if kept < new.count {
            for (key, _) in new where old[key] == nil { changed.append((key, .whole)) }
        }
        return changed
    }

    /// The places of this change: the outermost ones, in no order.
    func paths(below path: JSONPointer) -> [JSONPointer] {
        switch self {
        case .whole: [path]
        case .members(let members): members.flatMap { $0.change.paths(below: path.appending($0.key)) }
        }
    }

    /// The operations that make `after` of `before`, between which this is the change, in no order.
    func operations(from before: JSON?, to after: JSON?, at path: JSONPointer) -> [JSONPatch.Operation] {
        switch self {
        case .whole:
            guard let after else { return [.remove(path)] }
            return [before == nil ? .add(path, after) : .replace(path, after)]
        case .members(let members):
            return members.flatMap { key, change in
                change.operations(from: before?.child(key), to: after?.child(key), at: path.appending(key))
            }
        }
    }
}
