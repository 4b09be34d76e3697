public import TidemarkJSON

// How the path of a clash or of a journal entry is read: below an array that is merged by key, a step is a key.

extension FieldRules {
    /// Returns the JSON pointer for the path of one clash; `FieldPlaces` finds many.
    ///
    /// - Returns: The pointer; nil when the path leads through an object that does not exist. A missing object at the end of
    ///   the path is at `-`, the end of its array (RFC 6901 §4).
    public func place(of path: JSONPointer, in record: JSON?) -> JSONPointer? {
        var places = FieldPlaces(self, in: record)
        return places.place(of: path)
    }

    /// Returns the value at the path of one clash, or nil.
    public func value(at path: JSONPointer, in record: JSON?) -> JSON? {
        var places = FieldPlaces(self, in: record)
        return places.value(at: path)
    }
}
