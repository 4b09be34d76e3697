public import TidemarkJSON

// Sets a value at the path of a clash or a journal entry; see ``FieldRules/place(of:in:)``.

extension FieldRules {
    /// Returns the record with another value at a path, or without the value (nil).
    ///
    /// - Returns: The record; nil when the path leads through a value that does not exist.
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
