import TidemarkDatabase

/// Reads the columns of a row one after the other, so that their order is written in one place.
struct ColumnReader {
    let statement: DatabaseStatement
    private var column: Int

    /// - Parameter first: The first column to read.
    init(_ statement: DatabaseStatement, from first: Int = 0) {
        self.statement = statement
        self.column = first - 1
    }

    mutating func text() throws(DatabaseError) -> String {
        try self.statement.text(self.next())
    }

    mutating func textOrNull() throws(DatabaseError) -> String? {
        try self.statement.textOrNull(self.next())
    }

    mutating func integer() throws(DatabaseError) -> Int64 {
        try self.statement.int64(self.next())
    }

    mutating func integerOrNull() throws(DatabaseError) -> Int64? {
        try self.statement.int64OrNull(self.next())
    }

    mutating func count() throws(DatabaseError) -> Int {
        Int(try self.integer())
    }

    mutating func flag() throws(DatabaseError) -> Bool {
        try self.integer() != 0
    }

    mutating func flagOrNull() throws(DatabaseError) -> Bool? {
        try self.statement.int64OrNull(self.next()).map { $0 != 0 }
    }

    mutating func bytesOrNull() throws(DatabaseError) -> [UInt8]? {
        try self.statement.bytesOrNull(self.next())
    }

    private mutating func next() -> Int {
        self.column += 1
        return self.column
    }
}

extension DatabaseStatement {
    /// Reads all remaining rows.
    func rows<Row>(
        _ read: (inout ColumnReader) throws(DatabaseError) -> Row
    ) throws(DatabaseError) -> [Row] {
        var rows: [Row] = []
        while try self.step() {
            var columns = ColumnReader(self)
            rows.append(try read(&columns))
        }
        return rows
    }
}

extension DatabaseError {
    /// Makes the error for a value in the file that no version of this program wrote.
    init(unknown value: String, of column: String) {
        self.init(
            code: .unexpectedValue,
            message: """
                “\(value)” is not a known \(column). The file was changed by another program, or is damaged; \
                restore it from a backup, and keep the damaged one.
                """)
    }
}
