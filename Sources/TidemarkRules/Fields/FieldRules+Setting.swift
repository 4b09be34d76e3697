public import TidemarkJSON

// Puts a value where a clash or a journal entry says; see ``FieldRules/place(of:in:)``.

extension FieldRules {
    /// The record with another value, or (nil) none, at what a path names.
    ///
    /// - Returns: The record; nil when what the path leads through is not there.
    public func setting(_ path: JSONPointer, to value: JSON?, in record: JSON) -> JSON? {
        guard let place = self.place(of: path, in: record) else { return nil }
        let isThere = record[pointer: place] != nil
        let operation: JSONPatch.Operation? =
            switch value {
            case .some(let value): isThere ? .replace(place, value) : .add(place, value)
            case nil: isThere ? .remove(place) : nil
            }
        guard let operation else { return record }
        return try? JSONPatch([operation]).apply(to: record)
    }
}
