/// Finds the rows of a feed page without building a tree (Contract §9): the byte ranges of a few fields of each row, in one pass
/// over the whole text. The text is checked as strictly as `JSON(parsing:)` does.
///
/// ```swift
/// let page = try JSONRowScanner.scan(answer, arrays: ["items"], fields: ["pk", "data"])
/// for row in page.rows(in: "items") ?? .empty {
///     store(pk: answer[row[0]], data: answer[row[1]])
/// }
/// ```
package enum JSONRowScanner {
    /// Scans a text whose value is an object.
    ///
    /// - Parameters:
    ///   - bytes: The whole text.
    ///   - arrays: The keys of the top level whose values are arrays of rows.
    ///   - fields: The keys to find in each row; their order is the order of the fields of a row.
    ///   - inner: Keys to find in the last field, if it is an object; they follow it as fields of the row.
    ///   - limits: The maximum depth and length of the text.
    /// - Throws: The errors of `JSON(parsing:)`, and ``JSONError/Code/shape`` if the value is not an object.
    package static func scan(
        _ bytes: [UInt8], arrays: [String], fields: [String], inner: [String] = [],
        limits: JSON.Limits = .default
    ) throws(JSONError) -> JSONRowScan {
        // The closure returns its error as a value, since the signature in the standard library would lose its type.
        let result = unsafe bytes.withUnsafeBufferPointer { input -> Result<JSONRowScan, JSONError> in
            do throws(JSONError) {
                return .success(
                    try unsafe TapeRows.scan(input, arrays: arrays, fields: fields, inner: inner, limits: limits))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }
}
