import CSQLite

// Converts a database in memory to bytes, and back: the counterpart of a file copy.

extension DatabaseConnection {
    /// The committed state, as the bytes of a database file.
    package func image() throws(DatabaseError) -> [UInt8] {
        var size: sqlite3_int64 = 0
        guard let bytes = unsafe sqlite3_serialize(try self.handle.open(), "main", &size, 0) else {
            throw self.handle.error(SQLITE_NOMEM)
        }
        defer { unsafe sqlite3_free(bytes) }
        return unsafe Array(UnsafeBufferPointer(start: bytes, count: Int(size)))
    }

    /// Replaces the contents of a database in memory by an ``image()``.
    package func load(_ image: [UInt8]) throws(DatabaseError) {
        guard let bytes = unsafe sqlite3_malloc64(sqlite3_uint64(image.count)) else {
            throw self.handle.error(SQLITE_NOMEM)
        }
        unsafe bytes.copyMemory(from: image, byteCount: image.count)
        // SQLite owns the bytes from here on, also after a failure.
        let result = unsafe sqlite3_deserialize(
            try self.handle.open(), "main", bytes.assumingMemoryBound(to: UInt8.self), sqlite3_int64(image.count),
            sqlite3_int64(image.count), UInt32(SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE))
        guard result == SQLITE_OK else { throw self.handle.error(result) }
    }
}
