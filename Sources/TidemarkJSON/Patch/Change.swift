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
    ///
    /// The values lie at a path; where the paths of what changed inside would be longer together than ``pathBytes``, an
    /// object is one value as well. Below a key of a megabyte each of a thousand members would repeat it.
    static func between(_ before: JSON?, _ after: JSON?, at path: JSONPointer) -> Change? {
        Change.measured(before, after, prefix: path.text.utf8.count, limit: Change.pathBytes)?.change
    }

    /// The change from one value to the other where no paths are written, and objects are always compared key by key.
    static func nested(_ before: JSON?, _ after: JSON?) -> Change? {
        Change.measured(before, after, prefix: 0, limit: .max)?.change
    }

    /// How many bytes the paths of one change may have together.
    static let pathBytes = 16 * 1024 * 1024

    /// A change, and how many bytes its paths have.
    private struct Measured {
        var change: Change
        var bytes: Int
    }

    private static func measured(_ before: JSON?, _ after: JSON?, prefix: Int, limit: Int) -> Measured? {
        let whole = Measured(change: .whole, bytes: prefix)
        guard let before, let after else { return before == nil && after == nil ? nil : whole }
        guard case .object(let old) = before, case .object(let new) = after else {
            return before == after ? nil : whole
        }
        let (members, bytes) = Change.members(from: old, to: new, prefix: prefix, limit: limit)
        guard bytes <= limit else { return whole }
        return members.isEmpty ? nil : Measured(change: .members(members), bytes: bytes)
    }

    private static func members(
        from old: JSONObject, to new: JSONObject, prefix: Int, limit: Int
    ) -> ([(key: String, change: Change)], bytes: Int) {
        var changed: [(key: String, change: Change)] = []
        var bytes = 0
        var kept = 0
        // Most often both have the same keys in the same order, and nothing has to be looked up or decoded.
        var neighbours = new.makeIterator()
        var slots = old.makeIterator()
        while let slot = slots.nextSlot() {
            let neighbour = neighbours.nextSlot()
            let isSame = neighbour?.key == slot.key
            let after = isSame ? neighbour?.value : new.value(of: slot.key)
            if after != nil { kept += 1 }
            let below = prefix + slot.key.source.utf8.count + 1
            guard let member = Change.measured(slot.value, after, prefix: below, limit: limit) else { continue }
            changed.append((slot.key.value, member.change))
            bytes += member.bytes
        }
        if kept < new.count {
            for (key, _) in new where old[key] == nil {
                changed.append((key, .whole))
                bytes += prefix + key.utf8.count + 1
            }
        }
        return (changed, bytes)
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
