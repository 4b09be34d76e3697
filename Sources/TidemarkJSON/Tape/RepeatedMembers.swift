/// Removes repeated keys from a parsed text: the last value counts, at the first one's position.
@safe struct RepeatedMembers {
    private let view: TapeView
    private var repeatedKeys: RepeatedKeys?

    /// Returns the value without repeated keys on a new tape, and the warnings about them.
    static func resolved(
        _ nodes: UnsafeBufferPointer<TapeNode>, _ bytes: UnsafeBufferPointer<UInt8>, _ repeatedKeys: RepeatedKeys?
    ) -> (JSON, [JSON.Warning]) {
        let tape = unsafe Tape(nodes: nodes, bytes: bytes)
        return tape.read { view in
            var members = RepeatedMembers(view: view, repeatedKeys: repeatedKeys)
            let (tape, place) = members.value(0, depth: 1).onTape
            return unsafe (
                JSON(storage: .tape(tape, UInt32(place))), members.repeatedKeys?.warnings(in: bytes) ?? []
            )
        }
    }

    /// Returns a value with `depth` brackets around its children.
    private mutating func value(_ place: Int, depth: Int) -> JSON {
        let node = self.view[place]
        switch node.kind {
        case TapeNode.Kind.array: return self.array(place, depth: depth)
        case TapeNode.Kind.object: return self.object(place, depth: depth)
        default: return JSON(native: node, of: self.view)
        }
    }

    private mutating func array(_ place: Int, depth: Int) -> JSON {
        var elements: [JSON] = []
        var child = place + 1
        for index in 0..<self.view[place].count {
            elements.append(self.value(child, depth: depth + 1))
            if self.repeatedKeys?.lie(at: depth + 1) == true {
                self.repeatedKeys?.close(at: depth + 1, step: JSONString(String(index)))
            }
            child += self.view.size(child)
        }
        return .array(elements)
    }

    private mutating func object(_ place: Int, depth: Int) -> JSON {
        let count = self.view[place].count
        var slots: [(slot: JSONMembers.Slot, offset: Int)] = []
        slots.reserveCapacity(count)
        var child = place + 1
        for _ in 0..<count {
            let key = JSONString(self.view[child], of: self.view)
            let value = self.value(child + 1, depth: depth + 1)
            slots.append((JSONMembers.Slot(key: key, value: value), Int(self.view[child].start)))
            if self.repeatedKeys?.lie(at: depth + 1) == true { self.repeatedKeys?.close(at: depth + 1, step: key) }
            child += 1 + self.view.size(child + 1)
        }
        var members = JSONMembers()
        members.reserveCapacity(count)
        for (slot, offset) in slots where members.set(slot) {
            self.repeatedKeys?.note(slot.key, offset: offset, depth: depth)
        }
        return .object(JSONObject(members))
    }
}
