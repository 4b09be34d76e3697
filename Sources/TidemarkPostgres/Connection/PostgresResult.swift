import CPostgres
import TidemarkServer

/// The rows of a result, in binary form. Rows and columns count from 0.
@safe
final class PostgresResult {
    private let pointer: OpaquePointer
    private let statement: String

    /// Owns a result, and frees it in `deinit`.
    init(_ pointer: OpaquePointer, of statement: String) {
        unsafe self.pointer = unsafe pointer
        self.statement = statement
    }

    deinit {
        unsafe PQclear(self.pointer)
    }

    /// The number of rows.
    var count: Int { unsafe Int(PQntuples(self.pointer)) }

    /// The number of changed rows.
    var changes: Int { unsafe Int(String(cString: PQcmdTuples(self.pointer))) ?? 0 }

    /// The command that was done: `COMMIT`, or `ROLLBACK` instead of it.
    var tag: String { unsafe String(cString: PQcmdStatus(self.pointer)) }

    func isNull(_ row: Int, _ column: Int) -> Bool {
        unsafe PQgetisnull(self.pointer, Int32(row), Int32(column)) != 0
    }

    func number(_ row: Int, _ column: Int) throws(ServerStorageError) -> Int64 {
        let bytes = unsafe self.lent(row, column)
        guard bytes.count == 8, !self.isNull(row, column) else { throw self.unexpected(column) }
        return unsafe bytes.reduce(0) { $0 << 8 | Int64($1) }
    }

    func numberOrNull(_ row: Int, _ column: Int) throws(ServerStorageError) -> Int64? {
        self.isNull(row, column) ? nil : try self.number(row, column)
    }

    func flag(_ row: Int, _ column: Int) throws(ServerStorageError) -> Bool {
        let bytes = unsafe self.lent(row, column)
        guard bytes.count == 1 else { throw self.unexpected(column) }
        return unsafe bytes[0] != 0
    }

    func bytes(_ row: Int, _ column: Int) -> [UInt8] {
        unsafe [UInt8](self.lent(row, column))
    }

    func bytesOrNull(_ row: Int, _ column: Int) -> [UInt8]? {
        self.isNull(row, column) ? nil : self.bytes(row, column)
    }

    func text(_ row: Int, _ column: Int) throws(ServerStorageError) -> String {
        guard let text = unsafe String(validating: self.lent(row, column), as: UTF8.self) else {
            throw self.unexpected(column)
        }
        return text
    }

    func textOrNull(_ row: Int, _ column: Int) throws(ServerStorageError) -> String? {
        self.isNull(row, column) ? nil : try self.text(row, column)
    }

    /// Lends the bytes of two columns, the second of which may be null; they are valid only during `body`.
    func lend(_ row: Int, name: Int, data: Int, to body: (Span<UInt8>, Span<UInt8>?) -> Void) {
        let name = unsafe self.lent(row, name)
        guard !self.isNull(row, data) else { return unsafe body(name.span, nil) }
        unsafe body(name.span, self.lent(row, data).span)
    }

    private func lent(_ row: Int, _ column: Int) -> UnsafeBufferPointer<UInt8> {
        let start = unsafe PQgetvalue(self.pointer, Int32(row), Int32(column))
        let count = unsafe Int(PQgetlength(self.pointer, Int32(row), Int32(column)))
        return unsafe UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
            .assumingMemoryBound(to: UInt8.self)
    }

    private func unexpected(_ column: Int) -> ServerStorageError {
        ServerStorageError(
            .corrupt,
            """
            column \(column) of “\(self.statement)” does not have its original type; the tables were changed, or \
            they are of another program. Restore a backup.
            """)
    }
}
