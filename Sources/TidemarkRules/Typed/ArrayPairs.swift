import TidemarkJSON

/// The pairs of an array of keys and values in turn, as Swift writes a dictionary whose keys are not names.
///
/// JSON does not distinguish it from an array of elements, and its pairs are in any order. It is one if the keys are distinct
/// strings, numbers or booleans, and each pair that the type sees is one of the record. An array of such values alone, in the
/// order of the record, is read as elements: the type sees all of them.
struct ArrayPairs {
    /// The pairs of the record, and those that the type sees before and after the change: arrays of two elements.
    let original: [JSON]
    let before: [JSON]
    let after: [JSON]

    /// Reads the three arrays; nil if they are not certainly pairs.
    init?(_ original: [JSON], _ before: [JSON], _ after: [JSON]) {
        guard !before.isEmpty, before != original || (before + after).contains(where: \.isContainer),
            let pairs = Self.pairs(of: original), let former = Self.pairs(of: before), Self.pairs(of: after) != nil
        else { return nil }
        let known = KnownMembers(of: former.values.map { $0 })
        let isOfRecord = former.allSatisfy { key, value in pairs[key].map { known.isView(value, of: $0) } ?? false }
        guard isOfRecord else { return nil }
        (self.original, self.before, self.after) = (Self.joined(original), Self.joined(before), Self.joined(after))
    }

    /// The values by their keys; nil if an element in the place of a key is none, or equals another one.
    private static func pairs(of elements: [JSON]) -> [JSON: JSON]? {
        guard elements.count.isMultiple(of: 2) else { return nil }
        var pairs: [JSON: JSON] = [:]
        for place in stride(from: 0, to: elements.count, by: 2) {
            let key = elements[place]
            guard !key.isContainer, !key.isNull, pairs.updateValue(elements[place + 1], forKey: key) == nil else {
                return nil
            }
        }
        return pairs
    }

    private static func joined(_ elements: [JSON]) -> [JSON] {
        stride(from: 0, to: elements.count, by: 2).map { .array([elements[$0], elements[$0 + 1]]) }
    }
}

extension JSON {
    /// Whether this is an object or an array.
    fileprivate var isContainer: Bool { self.kindOfValue == .object || self.kindOfValue == .array }
}
