/// Finds the rows of a feed page without building a tree (SPEC §9): the byte ranges of a few fields of each row, in one
/// pass over the whole text, which is checked as strictly as `JSON(parsing:)` does.
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
    ///   - fields: The keys that are looked for in each row; their order is the order of the fields of a row.
    ///   - inner: Keys that are looked for in the object that the last of the fields is; they come after it, as fields of the row.
    ///   - limits: How deep and how long the text may be.
    /// - Throws: What `JSON(parsing:)` throws, and ``JSONError/Code/shape`` if the value is no object.
    package static func scan(
        _ bytes: [UInt8], arrays: [String], fields: [String], inner: [String] = [],
        limits: JSON.Limits = .default
    ) throws(JSONError) -> JSONRowScan {
        // The closure returns its error as a value, as the standard library's own signature would lose its type.
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
