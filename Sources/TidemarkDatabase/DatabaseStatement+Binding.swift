import CSQLite

extension DatabaseStatement {
    /// Binds a whole number.
    package func bind(_ index: Int, _ value: Int64) throws(DatabaseError) {
        try self.check(unsafe sqlite3_bind_int64(self.pointer, Int32(index), value))
    }

    /// Binds a whole number, or null.
    package func bind(_ index: Int, _ value: Int64?) throws(DatabaseError) {
        if let value {
            try self.bind(index, value)
        } else {
            try self.bindNull(index)
        }
    }

    /// Binds a floating-point number; SQLite stores NaN as null.
    package func bind(_ index: Int, real value: Double) throws(DatabaseError) {
        try self.check(unsafe sqlite3_bind_double(self.pointer, Int32(index), value))
    }

    /// Binds the string's UTF-8 as text, U+0000 included.
    package func bind(_ index: Int, _ value: String) throws(DatabaseError) {
        var value = value
        let result = value.withUTF8 { utf8 in
            unsafe self.bindText(index, UnsafeRawBufferPointer(utf8), Self.copied)
        }
        try self.check(result)
    }

    /// Binds the string's UTF-8 as text, or null.
    package func bind(_ index: Int, _ value: String?) throws(DatabaseError) {
        if let value {
            try self.bind(index, value)
        } else {
            try self.bindNull(index)
        }
    }

    /// Binds a copy of the bytes as a blob.
    package func bind(_ index: Int, _ value: some Collection<UInt8>) throws(DatabaseError) {
        let result = value.withContiguousStorageIfAvailable { bytes in
            unsafe self.bindBlob(index, UnsafeRawBufferPointer(bytes), Self.copied)
        }
        if let result {
            try self.check(result)
        } else {
            let copy = ContiguousArray(value)
            try self.check(
                unsafe copy.withUnsafeBytes { bytes in unsafe self.bindBlob(index, bytes, Self.copied) })
        }
    }

    /// Binds a copy of the bytes as a blob, or null.
    package func bind(_ index: Int, _ value: [UInt8]?) throws(DatabaseError) {
        if let value {
            try self.bind(index, value)
        } else {
            try self.bindNull(index)
        }
    }

    /// Binds the bytes themselves as a blob, without a copy.
    ///
    /// They must stay at their address until the statement has run and this parameter is bound again or cleared.
    package func bind(_ index: Int, bytes: UnsafeRawBufferPointer) throws(DatabaseError) {
        try self.check(unsafe self.bindBlob(index, bytes, nil))
    }

    /// Binds the bytes themselves as text, without a copy; they must be UTF-8, which SQLite does not check.
    ///
    /// They must stay at their address until the statement has run and this parameter is bound again or cleared.
    package func bind(_ index: Int, text: UnsafeRawBufferPointer) throws(DatabaseError) {
        try self.check(unsafe self.bindText(index, text, nil))
    }

    package func bindNull(_ index: Int) throws(DatabaseError) {
        try self.check(unsafe sqlite3_bind_null(self.pointer, Int32(index)))
    }

    /// `SQLITE_TRANSIENT`, a cast that Swift does not import: SQLite copies at once.
    private static var copied: sqlite3_destructor_type? {
        unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    }

    private func bindBlob(
        _ index: Int, _ bytes: UnsafeRawBufferPointer, _ destructor: sqlite3_destructor_type?
    ) -> Int32 {
        // A null address would bind NULL, and an empty blob is not null.
        guard let address = bytes.baseAddress, unsafe !bytes.isEmpty else {
            return unsafe sqlite3_bind_zeroblob(self.pointer, Int32(index), 0)
        }
        return unsafe sqlite3_bind_blob64(self.pointer, Int32(index), address, UInt64(bytes.count), destructor)
    }

    private func bindText(
        _ index: Int, _ bytes: UnsafeRawBufferPointer, _ destructor: sqlite3_destructor_type?
    ) -> Int32 {
        guard let address = bytes.baseAddress, unsafe !bytes.isEmpty else {
            return unsafe sqlite3_bind_text64(self.pointer, Int32(index), "", 0, Self.copied, UInt8(SQLITE_UTF8))
        }
        return unsafe sqlite3_bind_text64(
            self.pointer, Int32(index), address, UInt64(bytes.count), destructor, UInt8(SQLITE_UTF8))
    }

    private func check(_ result: Int32) throws(DatabaseError) {
        guard result == SQLITE_OK else { throw self.handle.error(result, sql: self.sql) }
    }
}

/// A value of a parameter.
package protocol DatabaseValue {
    func bind(to statement: DatabaseStatement, at index: Int) throws(DatabaseError)
}

extension Int64: DatabaseValue {
    package func bind(to statement: DatabaseStatement, at index: Int) throws(DatabaseError) {
        try statement.bind(index, self)
    }
}

extension String: DatabaseValue {
    package func bind(to statement: DatabaseStatement, at index: Int) throws(DatabaseError) {
        try statement.bind(index, self)
    }
}

extension [UInt8]: DatabaseValue {
    package func bind(to statement: DatabaseStatement, at index: Int) throws(DatabaseError) {
        try statement.bind(index, self)
    }
}

extension Optional: DatabaseValue where Wrapped: DatabaseValue {
    package func bind(to statement: DatabaseStatement, at index: Int) throws(DatabaseError) {
        if let value = self { try value.bind(to: statement, at: index) } else { try statement.bindNull(index) }
    }
}
