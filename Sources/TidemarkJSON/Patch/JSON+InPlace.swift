/// RFC 6902 in place. Each function first clears `self` (`self = .null`) and sets it to the changed container afterwards, so
/// that the container has one owner and is not copied. After a fault `self` is invalid.
extension JSON {
    /// A container that can be changed in place, copied off its tape.
    private enum Container {
        case members(JSONMembers)
        case array([JSON])
        case scalar
    }

    private var container: Container {
        switch self.kindOfValue {
        case .null, .bool, .number, .string: .scalar
        case .array: self.array.map(Container.array) ?? .scalar
        case .object: self.members.map(Container.members) ?? .scalar
        }
    }

    /// Passes the container of the last step to `body`.
    mutating func edit<Result>(
        _ steps: Steps, _ body: (inout JSON, Steps) throws(PatchFault) -> Result
    ) throws(PatchFault) -> Result {
        guard !steps.isLast else { return try body(&self, steps) }
        switch self.container {
        case .members(var members):
            guard var child = members[steps.token] else { throw .nothing(at: steps.there) }
            self = .null
            members[steps.token] = JSON.null
            let result = try child.edit(steps.next, body)
            members[steps.token] = child
            self = JSON(storage: .members(members))
            return result
        case .array(var elements):
            let index = try JSON.index(steps, below: elements.count, of: elements.count)
            self = .null
            let result = try elements[index].edit(steps.next, body)
            self = .array(elements)
            return result
        case .scalar:
            throw .noMembers(self, at: steps.here)
        }
    }

    /// Returns the number of elements that were shifted.
    mutating func add(_ value: JSON, at steps: Steps) throws(PatchFault) -> Int {
        switch self.container {
        case .members(var members):
            self = .null
            members[steps.token] = value
            self = JSON(storage: .members(members))
            return 0
        case .array(var elements):
            let count = elements.count
            let index = steps.token == "-" ? count : try JSON.index(steps, below: count + 1, of: count)
            self = .null
            elements.insert(value, at: index)
            self = .array(elements)
            return count - index
        case .scalar:
            throw .noMembers(self, at: steps.here)
        }
    }

    /// Returns the removed value, and the number of elements that were shifted.
    mutating func remove(at steps: Steps) throws(PatchFault) -> (value: JSON, shifted: Int) {
        switch self.container {
        case .members(var members):
            guard let removed = members[steps.token] else { throw .nothing(at: steps.there) }
            self = .null
            members[steps.token] = nil
            self = JSON(storage: .members(members))
            return (removed, 0)
        case .array(var elements):
            let index = try JSON.index(steps, below: elements.count, of: elements.count)
            self = .null
            let removed = elements.remove(at: index)
            self = .array(elements)
            return (removed, elements.count - index)
        case .scalar:
            throw .noMembers(self, at: steps.here)
        }
    }

    mutating func replace(with value: JSON, at steps: Steps) throws(PatchFault) {
        switch self.container {
        case .members(var members):
            guard members[steps.token] != nil else { throw .nothing(at: steps.there) }
            self = .null
            members[steps.token] = value
            self = JSON(storage: .members(members))
        case .array(var elements):
            let index = try JSON.index(steps, below: elements.count, of: elements.count)
            self = .null
            elements[index] = value
            self = .array(elements)
        case .scalar:
            throw .noMembers(self, at: steps.here)
        }
    }

    private static func index(_ steps: Steps, below limit: Int, of count: Int) throws(PatchFault) -> Int {
        if steps.token == "-" { throw .beyondEnd("“-”", count: count, at: steps.here) }
        guard let index = JSONPointer.index(steps.token) else { throw .noIndex(steps.token, at: steps.here) }
        guard index < limit else { throw .beyondEnd(steps.token, count: count, at: steps.here) }
        return index
    }
}
