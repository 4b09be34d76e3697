import CSQLite
import CSystem

extension DatabaseConnection {
    /// Copies one state of the database to a new file, which only its owner may read.
    ///
    /// It is written under another name in the same folder, synced to disk and then renamed: so the copy is complete, or does
    /// not exist. Concurrent writers are not blocked, and their changes are not in the copy.
    ///
    /// - Throws: `cannotOpen` if a file of that name exists, `full` or `io` if it can't be written.
    package func copy(to path: String) throws(DatabaseError) {
        let part = "\(path).part"
        guard unsafe access(path, F_OK) != 0 else {
            throw DatabaseError(
                code: .cannotOpen, message: "\(path): there is a file of this name already. Name a new one.")
        }
        let descriptor = unsafe tidemark_make_file(part)
        guard descriptor >= 0 else {
            guard tidemark_errno() != EEXIST else {
                throw DatabaseError(
                    code: .cannotOpen,
                    message:
                        "\(part): a copy was begun there, and is running or interrupted. Remove it if none is running.")
            }
            let reason = unsafe String(cString: strerror(tidemark_errno()))
            throw DatabaseError(
                code: .cannotOpen, message: "\(part): \(reason). Name a file in a folder that exists.")
        }
        defer { tidemark_close(descriptor) }
        do throws(DatabaseError) {
            try self.copyPages(to: part)
            guard unsafe tidemark_keep_file(descriptor, part, path) == 0 else {
                let reason = unsafe String(cString: strerror(tidemark_errno()))
                throw DatabaseError(code: .io, message: "\(path): \(reason).")
            }
        } catch {
            unsafe unlink(part)
            throw error
        }
        unsafe tidemark_sync_folder_of(path)
    }

    private func copyPages(to path: String) throws(DatabaseError) {
        let copy = try DatabaseHandle(
            opening: path, as: try DatabaseLocation.file(path).filename(), flags: DatabaseAccess.readWrite.flags,
            sharing: .all)
        defer { copy.close() }
        guard let backup = unsafe sqlite3_backup_init(try copy.open(), "main", try self.handle.open(), "main") else {
            throw copy.error(SQLITE_ERROR)
        }
        let step = unsafe sqlite3_backup_step(backup, -1)
        let end = unsafe sqlite3_backup_finish(backup)
        guard step == SQLITE_DONE, end == SQLITE_OK else { throw copy.error(end == SQLITE_OK ? step : end) }
    }
}
