package import TidemarkJSON

/// Finds the values at the paths of many clashes of one record: an array that is merged by key is indexed once, not for each
/// clash.
package struct FieldPlaces {
    private let rules: FieldRules
    private let record: JSON?
    private var arrays: [JSONPointer: KeyedIndex] = [:]

    /// Makes a finder for a record and its rules.
    package init(_ rules: FieldRules, in record: JSON?) {
        self.rules = rules
        self.record = record
    }

    /// Returns the value at the path of a clash, or nil.
    package mutating func value(at path: JSONPointer) -> JSON? {
        self.place(of: path).flatMap { self.record?[pointer: $0] }
    }

    /// Returns the JSON pointer for the path of a clash: with array indexes instead of the keys of their objects.
    ///
    /// - Returns: The pointer; nil when the path leads through an object that does not exist. A missing object at the end of
    ///   the path is at `-`, the end of its array (RFC 6901 §4).
    package mutating func place(of path: JSONPointer) -> JSONPointer? {
        var place = JSONPointer.root
        var walked = JSONPointer.root
        let tokens = path.tokens
        for (depth, token) in tokens.enumerated() {
            var step = token
            if let index = self.index(ofArrayAt: place, called: walked) {
                if let element = index.place(of: token) {
                    step = String(element)
                } else {
                    guard depth == tokens.count - 1 else { return nil }
                    step = "-"
                }
            }
            place = place.appending(step)
            walked = walked.appending(token)
        }
        return place
    }

    /// The objects of an array by their names in a path; nil for no array, or if no rule merges it by key.
    private mutating func index(ofArrayAt place: JSONPointer, called path: JSONPointer) -> KeyedIndex? {
        if let known = self.arrays[place] { return known }
        guard let key = self.rules.rule(at: path)?.keyedBy,
            let elements = self.record?[pointer: place]?.array
        else { return nil }
        let index = KeyedIndex(elements, by: key)
        self.arrays[place] = index
        return index
    }
}

/// The indexes of the objects of an array, by the keys that paths name them with.
private struct KeyedIndex {
    private var names: [CodePointString: Int] = [:]
    private var texts: [CodePointString: Int] = [:]
    private var numbers: [JSONNumber: Int] = [:]

    /// Indexes an array; the index is empty unless it is an array of objects with distinct keys.
    init(_ elements: [JSON], by key: String) {
        guard let keyed = KeyedElements(.array(elements), by: key) else { return }
        let names = KeyedNames(keyed.keys)
        for (place, key) in keyed.keys.enumerated() {
            self.names[CodePointString(names.name(of: key))] = place
            self.texts[CodePointString(key.text)] = place
            if let number = key.number { self.numbers[number] = place }
        }
    }

    /// Returns the index of the object with this name in a path.
    func place(of name: String) -> Int? {
        // If only one is left of two keys with the same text, its name has no quotes any more.
        self.names[CodePointString(name)] ?? self.texts[CodePointString(name)]
            ?? JSONNumber(name).flatMap { self.numbers[$0] }
    }
}
