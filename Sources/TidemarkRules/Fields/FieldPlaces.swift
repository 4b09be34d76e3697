package import TidemarkJSON

/// Finds what many clashes of one record name: an array that is merged by key is taken apart once, not for each of them.
package struct FieldPlaces {
    private let rules: FieldRules
    private let record: JSON?
    private var arrays: [JSONPointer: KeyedIndex] = [:]

    /// Looks into a record by its rules.
    package init(_ rules: FieldRules, in record: JSON?) {
        self.rules = rules
        self.record = record
    }

    /// The value that a clash names; nil when there is none.
    package mutating func value(at path: JSONPointer) -> JSON? {
        self.place(of: path).flatMap { self.record?[pointer: $0] }
    }

    /// The JSON pointer of what a clash names, with the places of arrays instead of the keys of their objects.
    ///
    /// - Returns: The pointer; nil when an object that the path leads through is not there. An object at the end of the
    ///   path that is not there stands at `-`, the end of its array (RFC 6901 §4).
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

    /// The objects of an array by what a path calls them; nil where there is no array, or no rule that goes by a key.
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

/// Where the objects of an array stand that paths call by their keys.
private struct KeyedIndex {
    private var names: [CodePointString: Int] = [:]
    private var texts: [CodePointString: Int] = [:]
    private var numbers: [JSONNumber: Int] = [:]

    /// Takes an array apart; one that is no array of objects with keys of their own has nothing in it.
    init(_ elements: [JSON], by key: String) {
        guard let keyed = KeyedElements(.array(elements), by: key) else { return }
        let names = KeyedNames(keyed.keys)
        for (place, key) in keyed.keys.enumerated() {
            self.names[CodePointString(names.name(of: key))] = place
            self.texts[CodePointString(key.text)] = place
            if let number = key.number { self.numbers[number] = place }
        }
    }

    /// Where the object stands that a path calls by this name.
    func place(of name: String) -> Int? {
        // Where only one is left of two keys that look alike, its own name has no quotes any more.
        self.names[CodePointString(name)] ?? self.texts[CodePointString(name)]
            ?? JSONNumber(name).flatMap { self.numbers[$0] }
    }
}
