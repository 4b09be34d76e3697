/// What a patch may still make of a document. A `copy` doubles with each repetition: thirty of them would make a
/// document of a billion values out of one, and of any nesting. An element put first moves all others: a short patch
/// of many such operations would keep a server busy for minutes.
struct PatchBudget {
    private let limits: JSONLimits
    private var room: Int
    private var shifts: Int

    init(limits: JSONLimits) {
        self.limits = limits
        self.room = limits.bytes
        self.shifts = limits.shifts
    }

    /// Lets a value of the patch itself in; its size was paid for by who sent it.
    func admit(_ value: JSON, at path: JSONPointer) throws(PatchFault) {
        guard value.nests(atMost: self.limits.nestingDepth - path.tokens.count) else {
            throw .tooDeep(self.limits.nestingDepth)
        }
    }

    /// Lets a value of the document in for another time, and counts it.
    mutating func admit(copyOf value: JSON, at path: JSONPointer) throws(PatchFault) {
        try self.admit(value, at: path)
        guard value.pay(from: &self.room) else { throw .tooMuchCopied(self.limits.bytes) }
    }

    /// Counts the elements of arrays that moved by one place.
    mutating func admit(shifted: Int) throws(PatchFault) {
        self.shifts -= shifted
        guard self.shifts >= 0 else { throw .tooMuchShifted(self.limits.shifts) }
    }
}

extension JSONLimits {
    /// How often elements of arrays may move by one place in one patch: about a second's work by default.
    fileprivate var shifts: Int { self.bytes.multipliedReportingOverflow(by: 4).overflow ? .max : self.bytes * 4 }
}

extension JSON {
    /// Whether no more than `depth` objects and arrays lie in one another here; looks no deeper than that.
    func nests(atMost depth: Int) -> Bool {
        switch self {
        case .null, .bool, .number, .string: depth >= 0
        case .array(let elements): depth > 0 && elements.allSatisfy { $0.nests(atMost: depth - 1) }
        case .object(let members): depth > 0 && members.allSatisfy { $0.value.nests(atMost: depth - 1) }
        }
    }

    /// Takes the least number of bytes this value can be written in out of `room`; false, and at once, if it is more.
    fileprivate func pay(from room: inout Int) -> Bool {
        switch self {
        case .null, .bool: room -= 4
        case .number(let number): room -= number.text.utf8.count
        case .string(let string): room -= string.source.utf8.count + 2
        case .array(let elements):
            room -= elements.count + 1
            for element in elements {
                guard room >= 0, element.pay(from: &room) else { return false }
            }
        case .object(let members):
            room -= members.count + 1
            for (key, value) in members {
                room -= key.utf8.count + 3
                guard room >= 0, value.pay(from: &room) else { return false }
            }
        }
        return room >= 0
    }
}
