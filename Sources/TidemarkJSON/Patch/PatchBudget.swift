/// The remaining work that a patch may cause. A `copy` doubles with each repetition: thirty of them would make a document of a
/// billion values from one value, and of any nesting. An element that is inserted first shifts all others: a short patch of
/// many such operations would keep a server busy for minutes.
struct PatchBudget {
    private let limits: JSON.Limits
    private var room: Int
    private var shifts: Int

    init(limits: JSON.Limits) {
        self.limits = limits
        self.room = limits.bytes
        self.shifts = limits.shifts
    }

    /// Admits a value of the patch itself; its size is limited with the patch.
    func admit(_ value: JSON, at path: JSONPointer) throws(PatchFault) {
        guard value.nests(atMost: self.limits.nestingDepth - path.depth) else {
            throw .tooDeep(self.limits.nestingDepth)
        }
    }

    /// Admits a copy of a value of the document, and counts it.
    mutating func admit(copyOf value: JSON, at path: JSONPointer) throws(PatchFault) {
        try self.admit(value, at: path)
        guard value.pay(from: &self.room) else { throw .tooMuchCopied(self.limits.bytes) }
    }

    /// Counts the elements of arrays that were shifted by one place.
    mutating func admit(shifted: Int) throws(PatchFault) {
        self.shifts -= shifted
        guard self.shifts >= 0 else { throw .tooMuchShifted(self.limits.shifts) }
    }
}

extension JSON.Limits {
    /// How often elements of arrays may be shifted by one place in one patch: about a second's work by default.
    fileprivate var shifts: Int { self.bytes.multipliedReportingOverflow(by: 4).overflow ? .max : self.bytes * 4 }
}

extension JSON {
    /// Whether objects and arrays are nested at most `depth` deep here; reads no deeper than that.
    package func nests(atMost depth: Int) -> Bool {
        switch self.storage {
        case .null, .bool, .number, .string: depth >= 0
        case .array(let elements): depth > 0 && elements.allSatisfy { $0.nests(atMost: depth - 1) }
        case .members(let members): depth > 0 && members.allSatisfy { $0.value.nests(atMost: depth - 1) }
        case .tape(let tape, let place): tape.read { $0.nests(Int(place), atMost: depth) }
        }
    }

    /// Subtracts the minimum number of bytes for the text of this value from `room`; returns false early if it is more.
    fileprivate func pay(from room: inout Int) -> Bool {
        switch self.storage {
        case .tape(let tape, let place): return tape.read { $0.pay(Int(place), from: &room) }
        case .null, .bool: room -= 4
        case .number(let number): room -= number.text.utf8.count
        case .string(let string): room -= string.source.utf8.count + 2
        case .array(let elements):
            room -= elements.count + 1
            for element in elements {
                guard room >= 0, element.pay(from: &room) else { return false }
            }
        case .members(let members):
            room -= members.count + 1
            for slot in members {
                room -= slot.key.value.utf8.count + 3
                guard room >= 0, slot.value.pay(from: &room) else { return false }
            }
        }
        return room >= 0
    }
}

extension TapeView {
    /// Whether objects and arrays are nested at most `depth` deep here.
    func nests(_ place: Int, atMost depth: Int) -> Bool {
        // Each level is a node at least, and most documents have few.
        guard self.size(place) > depth else { return true }
        let node = self[place]
        guard node.kind >= TapeNode.Kind.array else { return depth >= 0 }
        guard depth > 0 else { return false }
        var child = place + 1
        for _ in 0..<node.count {
            if node.kind == TapeNode.Kind.object { child += 1 }
            guard self.nests(child, atMost: depth - 1) else { return false }
            child += self.size(child)
        }
        return true
    }

    /// Subtracts the minimum number of bytes for the text of a value from `room`; false if it is more. Without white space that
    /// is its length.
    fileprivate func pay(_ place: Int, from room: inout Int) -> Bool {
        let node = self[place]
        guard node.kind >= TapeNode.Kind.array, node.has(TapeNode.Flag.loose) else {
            room -= node.length
            return room >= 0
        }
        room -= node.count + 1
        var child = place + 1
        for _ in 0..<node.count {
            if node.kind == TapeNode.Kind.object {
                room -= self[child].length + 1
                child += 1
            }
            guard room >= 0, self.pay(child, from: &room) else { return false }
            child += self.size(child)
        }
        return room >= 0
    }
}
