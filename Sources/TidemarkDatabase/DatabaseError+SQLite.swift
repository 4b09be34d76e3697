import CSQLite
import CSystem

extension DatabaseError {
    /// Converts SQLite's result code and message.
    ///
    /// - Parameters:
    ///   - result: The extended result code.
    ///   - reason: SQLite's message (`sqlite3_errmsg`).
    ///   - path: The file, as the caller named it.
    ///   - sql: The statement that failed, if there is one.
    init(result: Int32, reason: String, path: String, sql: String? = nil) {
        let code = Code(result: result)
        var message = "\(path): \(reason)"
        if let sql, code == .statement || code == .constraint {
            message += " in “\(sql)”"
        }
        self.init(code: code, message: "\(message). \(code.advice)", extendedCode: result)
    }

    /// Converts the reason why the system can't create or open a file.
    init(path: String, systemError: Int32) {
        switch systemError {
        case EACCES, EPERM, EROFS: self.init(readOnly: path, "its folder", systemError)
        case let error:
            let code: Code = error == ENOSPC ? .full : .cannotOpen
            let reason = unsafe String(cString: strerror(error))
            self.init(code: code, message: "\(path): \(reason). \(code.advice)")
        }
    }

    /// The reason why a file can't be opened for writing, if it or its folder is read-only: SQLite then reports an I/O error,
    /// or a file that can't be opened. Nil if both are writable.
    init?(readOnly location: DatabaseLocation) {
        guard case .file(let path) = location else { return nil }
        var refusal = unsafe tidemark_write_refusal(path)
        guard refusal == 0 else {
            self.init(readOnly: path, "the file", refusal)
            return
        }
        // The folder of the log: that of the file itself, if the path is a link.
        let real = unsafe realpath(path, nil)
        defer { unsafe free(real) }
        let file = unsafe real.map { unsafe String(cString: $0) } ?? path
        let slash = file.utf8.lastIndex(of: UInt8(ascii: "/"))
        refusal = unsafe tidemark_write_refusal(slash.map { String(file[...$0]) } ?? "./")
        guard refusal != 0 else { return nil }
        self.init(readOnly: path, "its folder", refusal)
    }

    private init(readOnly path: String, _ part: String, _ systemError: Int32) {
        let reason = unsafe String(cString: strerror(systemError))
        self.init(
            code: .readOnly,
            message: """
                \(path): \(part) can't be written (\(reason)). Make the file and its folder writable, or move the file to \
                a folder that is.
                """)
    }
}

extension DatabaseError.Code {
    /// The low byte of an extended result code is the primary one.
    init(result: Int32) {
        switch result & 0xFF {
        case SQLITE_BUSY, SQLITE_LOCKED: self = .busy
        case SQLITE_FULL: self = .full
        case SQLITE_CORRUPT: self = .corrupt
        case SQLITE_NOTADB: self = .notADatabase
        case SQLITE_READONLY: self = .readOnly
        case SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH: self = .cannotOpen
        case SQLITE_CONSTRAINT: self = .constraint
        case SQLITE_IOERR, SQLITE_PROTOCOL: self = .io
        case SQLITE_TOOBIG: self = .tooLarge
        case SQLITE_NOMEM: self = .outOfMemory
        default: self = .statement
        }
    }

    /// Advice for the user.
    var advice: String {
        switch self {
        case .busy: "Another process or connection is using this file; close it there, or try again."
        case .full: "Nothing of this change was kept; make room on the disk and try again."
        case .corrupt: "The file is damaged; restore it from a backup, and keep the damaged one."
        case .notADatabase: "Name the database's own file: this one may be a text file, or encrypted."
        case .readOnly: "Open it for writing, or make the file and its folder writable."
        case .cannotOpen: "Check that the folder exists, that the path is a file, and that you may open it."
        case .constraint: "The change was refused and nothing of it was kept."
        case .io: "Check the disk and its connection, and try again."
        case .tooLarge: "Keep less than a gigabyte in one value."
        case .outOfMemory: "Close other programs, or work on less at once."
        default: "This is a mistake in the program that uses the file; report it with this message."
        }
    }
}
