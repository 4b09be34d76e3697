import CSQLite

/// Columns of the current row of `step()`. A type that does not fit is an error: the file may be damaged.
extension DatabaseStatement {
    /// The type of a value.
    package enum ValueType: Hashable, Sendable {
        case null, integer, real, text, blob
    }

    /// The number of columns.
    package var columnCount: Int { unsafe Int(sqlite3_column_count(self.pointer)) }

    package func type(_ column: Int) -> ValueType {
        switch unsafe sqlite3_column_type(self.pointer, Int32(column)) {
        case SQLITE_INTEGER: .integer
        case SQLITE_FLOAT: .real
        case SQLITE_TEXT: .text
        case SQLITE_BLOB: .blob
        default: .null
        }
    }

    /// The number in the column as a floating-point number.
    package func double(_ column: Int) -> Double {
        unsafe sqlite3_column_double(self.pointer, Int32(column))
    }

    package func isNull(_ column: Int) -> Bool {
        unsafe sqlite3_column_type(self.pointer, Int32(column)) == SQLITE_NULL
    }

    package func int64(_ column: Int) throws(DatabaseError) -> Int64 {
        try self.require(column, "a whole number") { $0 == SQLITE_INTEGER }
        return unsafe sqlite3_column_int64(self.pointer, Int32(column))
    }

    /// The whole number in the column, or nil if it is null.
    package func int64OrNull(_ column: Int) throws(DatabaseError) -> Int64? {
        self.isNull(column) ? nil : try self.int64(column)
    }

    /// The text in the column, with any U+0000 in it.
    package func text(_ column: Int) throws(DatabaseError) -> String {
        try self.require(column, "text") { $0 == SQLITE_TEXT }
        // Validated first, since decoding alone would repair invalid UTF-8.
        return try unsafe String(decoding: self.validated(self.lent(column), column), as: UTF8.self)
    }

    package func textOrNull(_ column: Int) throws(DatabaseError) -> String? {
        self.isNull(column) ? nil : try self.text(column)
    }

    /// Whether the column has this text, or its bytes.
    package func isText(_ column: Int, _ text: String) -> Bool {
        var text = text
        return text.withUTF8 { unsafe self.lent(column).elementsEqual($0) }
    }

    /// The bytes of the blob, or of the text as UTF-8, in the column.
    package func bytes(_ column: Int) throws(DatabaseError) -> [UInt8] {
        try self.require(column, "bytes") { $0 == SQLITE_BLOB || $0 == SQLITE_TEXT }
        return unsafe self.read(column) { bytes in unsafe [UInt8](bytes) }
    }

    /// The bytes of the blob, or of the text as UTF-8, in the column, or nil if it is null.
    package func bytesOrNull(_ column: Int) throws(DatabaseError) -> [UInt8]? {
        self.isNull(column) ? nil : try self.bytes(column)
    }

    /// Passes the bytes of the blob or text in the column to `body` without a copy; they are valid only during the call.
    ///
    /// It is not generic, since it is called for each entry of a page, and would run unspecialized outside this module.
    package func lend(_ column: Int, to body: (UnsafeRawBufferPointer) -> Void) throws(DatabaseError) {
        try self.require(column, "bytes") { $0 == SQLITE_BLOB || $0 == SQLITE_TEXT }
        unsafe body(UnsafeRawBufferPointer(self.lent(column)))
    }

    /// Passes the text in one column and the bytes in another, or nil if these are null, to `body` without a copy; they are
    /// valid only during the call.
    ///
    /// It is not generic, since it is called for each row of a list, and would run unspecialized outside this module.
    package func lend(
        text: Int, bytes: Int, to body: (Span<UInt8>, Span<UInt8>?) -> Void
    ) throws(DatabaseError) {
        try self.require(text, "text") { $0 == SQLITE_TEXT }
        let text = try unsafe self.validated(self.lent(text), text)
        guard !self.isNull(bytes) else { return unsafe body(text.span, nil) }
        try self.require(bytes, "bytes") { $0 == SQLITE_BLOB || $0 == SQLITE_TEXT }
        unsafe body(text.span, self.lent(bytes).span)
    }

    private func lent(_ column: Int) -> UnsafeBufferPointer<UInt8> {
        let address = unsafe sqlite3_column_blob(self.pointer, Int32(column))
        let count = unsafe Int(sqlite3_column_bytes(self.pointer, Int32(column)))
        return unsafe UnsafeBufferPointer(
            start: address?.assumingMemoryBound(to: UInt8.self), count: address == nil ? 0 : count)
    }

    private func validated(
        _ text: UnsafeBufferPointer<UInt8>, _ column: Int
    ) throws(DatabaseError) -> UnsafeBufferPointer<UInt8> {
        let all = unsafe text.reduce(into: UInt8(0)) { $0 |= $1 }
        guard unsafe all < 0x80 || String(validating: text, as: UTF8.self) != nil else {
            throw self.unexpected(column, "text in UTF-8", found: "bytes that are not UTF-8")
        }
        return unsafe text
    }

    private func read<Result, Failure: Error>(
        _ column: Int, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // For text as well: `sqlite3_column_blob` returns its bytes, and the count is read afterwards, as SQLite requires.
        let address = unsafe sqlite3_column_blob(self.pointer, Int32(column))
        let count = unsafe Int(sqlite3_column_bytes(self.pointer, Int32(column)))
        return unsafe try body(UnsafeRawBufferPointer(start: address, count: address == nil ? 0 : count))
    }

    private func require(_ column: Int, _ wanted: String, _ fits: (Int32) -> Bool) throws(DatabaseError) {
        let type = unsafe sqlite3_column_type(self.pointer, Int32(column))
        guard fits(type) else { throw self.unexpected(column, wanted, found: Self.name(ofType: type)) }
    }

    private func unexpected(_ column: Int, _ wanted: String, found: String) -> DatabaseError {
        let name = unsafe sqlite3_column_name(self.pointer, Int32(column)).map { unsafe String(cString: $0) }
        return DatabaseError(
            code: .unexpectedValue,
            message: """
                \(self.handle.path): column “\(name ?? "\(column)")” holds \(found) where \(wanted) is expected, \
                in “\(self.sql)”. The file was changed by another program, or is damaged.
                """)
    }

    private static func name(ofType type: Int32) -> String {
        switch type {
        case SQLITE_INTEGER: "a whole number"
        case SQLITE_FLOAT: "a floating-point number"
        case SQLITE_TEXT: "text"
        case SQLITE_BLOB: "bytes"
        default: "null"
        }
    }
}
