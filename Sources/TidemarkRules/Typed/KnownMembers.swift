import TidemarkJSON

/// The members that a type knows of the values at one place of an array: those that it shows in at least one of them.
struct KnownMembers {
    private var members: [CodePointString: KnownMembers] = [:]

    /// Those of the elements of arrays at this place, of all together: one entry, or none.
    private var elements: [KnownMembers] = []

    /// Collects the members of values.
    init(of values: [JSON] = []) {
        for value in values { self.add(value) }
    }

    private mutating func add(_ value: JSON) {
        for (key, member) in value.object ?? [:] {
            self.members[CodePointString(key), default: KnownMembers()].add(member)
        }
        for element in value.array ?? [] {
            if self.elements.isEmpty { self.elements.append(KnownMembers()) }
            self.elements[0].add(element)
        }
    }

    /// Whether a value that a type shows is a value of the record, or the part of it that the type knows.
    ///
    /// A member that only the type has is a default. One that only the record has is unknown to the type, unless the type shows
    /// it elsewhere and so would show it here.
    func isView(_ value: JSON, of original: JSON) -> Bool {
        switch (value.kindOfValue, original.kindOfValue) {
        case (.object, .object):
            let (members, others) = (value.object ?? [:], original.object ?? [:])
            return members.allSatisfy { key, member in
                others[key].map { self.members[CodePointString(key)]?.isView(member, of: $0) ?? false } ?? true
            }
                && others.allSatisfy { key, other in
                    other.isNull || members[key] != nil || self.members[CodePointString(key)] == nil
                }
        case (.array, .array):
            let (elements, others) = (value.array ?? [], original.array ?? [])
            guard elements.count == others.count else { return false }
            return zip(elements, others).allSatisfy { self.elements.first?.isView($0, of: $1) ?? false }
        default:
            return value == original
        }
    }
}
