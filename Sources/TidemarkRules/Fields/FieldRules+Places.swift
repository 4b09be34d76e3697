public import TidemarkJSON

// What the path of a clash or of a journal entry stands for: below an array that is merged by key a step is a key.

extension FieldRules {
    /// The JSON pointer of what one clash names; `FieldPlaces` finds many.
    ///
    /// - Returns: The pointer; nil when an object that the path leads through is not there. An object at the end of the
    ///   path that is not there stands at `-`, the end of its array (RFC 6901 §4).
    public func place(of path: JSONPointer, in record: JSON?) -> JSONPointer? {
        var places = FieldPlaces(self, in: record)
        return places.place(of: path)
    }

    /// The value that one clash names; nil when there is none.
    public func value(at path: JSONPointer, in record: JSON?) -> JSON? {
        var places = FieldPlaces(self, in: record)
        return places.value(at: path)
    }
}
