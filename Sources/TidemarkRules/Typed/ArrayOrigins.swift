import TidemarkJSON

/// The element of the record for each element of an array that a type sees.
///
/// A type may see fewer elements than the record has (it skips what it can't decode, or keeps equal ones once), and in another
/// order (a set). An element is found by its position if that fits, then by the member that identifies it, then by the members
/// that the type knows, then by the order of those that are left. It takes time that is linear in the size of both arrays.
struct ArrayOrigins {
    /// For each element that the type sees, its index in the record; nil for an element that only the type has.
    private(set) var places: [Int?]

    /// For each element of the record the element that the type sees for it; nil for an element that the type does not see.
    /// Two elements of the record can be one for the type.
    private(set) var seen: [Int?]

    /// How many sets of known members are compared: elements of one type seldom have more than a few.
    private static let shapes = 16

    /// Finds the elements; nil if it is not certain what an element that only the type has stands for.
    ///
    /// - Parameter identity: Returns what identifies an element; nil if nothing does.
    init?(of elements: [JSON], in original: [JSON], by identity: (JSON) -> JSON?) {
        let known = KnownMembers(of: elements)
        if elements.count == original.count, zip(elements, original).allSatisfy({ known.isView($0, of: $1) }) {
            self.places = elements.indices.map { $0 }
            self.seen = self.places
            return
        }
        self.places = Array(repeating: nil, count: elements.count)
        self.seen = Array(repeating: nil, count: original.count)
        self.find(elements, in: original, by: identity)
        self.find(byMembersOf: elements, in: original)
        guard self.findInOrder(elements, in: original) else { return nil }
    }

    /// Pairs the elements that have the same identity, in their order. Further elements of the record with the identity of a
    /// found one are the same for the type.
    private mutating func find(_ elements: [JSON], in original: [JSON], by identity: (JSON) -> JSON?) {
        var known: [JSON: [Int]] = [:]
        for (place, element) in elements.enumerated().reversed() where self.places[place] == nil {
            guard let identity = identity(element) else { continue }
            known[identity, default: []].append(place)
        }
        guard !known.isEmpty else { return }
        var last: [JSON: Int] = [:]
        for (place, element) in original.enumerated() where self.seen[place] == nil {
            guard let identity = identity(element) else { continue }
            if let match = known[identity]?.popLast() {
                self.places[match] = place
                last[identity] = match
            }
            self.seen[place] = last[identity]
        }
    }

    /// Pairs objects whose members that the type knows are equal, and other values that are equal.
    private mutating func find(byMembersOf elements: [JSON], in original: [JSON]) {
        var shapes: [[CodePointString]] = []
        var known: Set<[CodePointString]> = []
        for (place, element) in elements.enumerated() where self.places[place] == nil {
            let shape = element.shape
            guard shapes.count < Self.shapes, known.insert(shape).inserted else { continue }
            shapes.append(shape)
        }
        // Of two sets that fit an element of the record, the larger one fits better.
        for shape in shapes.sorted(by: { $0.count > $1.count }) {
            self.find(elements, in: original) { element in
                guard let members = element.object else { return shape.isEmpty ? element : nil }
                return .object(JSONObject(shape.compactMap { key in members[key.value].map { (key.value, $0) } }))
            }
        }
    }

    /// Pairs the elements that are left, in their order.
    private mutating func findInOrder(_ elements: [JSON], in original: [JSON]) -> Bool {
        let left = elements.indices.filter { self.places[$0] == nil }
        let free = original.indices.filter { self.seen[$0] == nil }
        guard !left.isEmpty, !free.isEmpty else { return true }
        var rest = free[...]
        for place in left {
            if left.count != free.count {
                rest = rest.drop { original[$0].kindOfValue != elements[place].kindOfValue }
            }
            guard let origin = rest.popFirst() else { return false }
            self.places[place] = origin
            self.seen[origin] = place
        }
        return true
    }
}

extension JSON {
    /// The keys of an object, sorted; empty for any other value.
    fileprivate var shape: [CodePointString] { (self.object?.keys ?? []).map { CodePointString($0) }.sorted() }
}
