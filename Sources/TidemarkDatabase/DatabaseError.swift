/// Why SQLite or a database file refused: a code to act on, and a message for a person.
///
/// The message says what was wrong, in which file, and what to do about it.
package struct DatabaseError: Error, Hashable, Sendable {
    /// What kind of failure it is; an open vocabulary, so a caller keeps a branch for codes that it does not know.
    package struct Code: Hashable, Sendable {
        /// The name of the kind, as it is shown.
        package let name: String

        package init(_ name: String) {
            self.name = name
        }

        /// Another connection or process holds the lock that is needed.
        package static let busy = Code("busy")
        /// The disk, or the size that was allowed, is used up; the transaction was rolled back.
        package static let full = Code("full")
        /// The file is damaged.
        package static let corrupt = Code("corrupt")
        /// The file is something else than a database: a text, an image, an encrypted file.
        package static let notADatabase = Code("not a database")
        /// The file is a database, and another program's.
        package static let foreignDatabase = Code("foreign database")
        /// A newer version of this program wrote the file.
        package static let newerVersion = Code("newer version")
        /// A write to what may only be read.
        package static let readOnly = Code("read-only")
        /// The file, or the folder it is in, can't be opened or made.
        package static let cannotOpen = Code("can't open")
        /// A uniqueness, foreign key, check or not-null rule of the schema; `extendedCode` says which.
        package static let constraint = Code("constraint")
        /// The operating system failed to read, write or sync.
        package static let io = Code("io")
        /// A value or a row is larger than SQLite keeps.
        package static let tooLarge = Code("too large")
        /// There is no memory left.
        package static let outOfMemory = Code("out of memory")
        /// A column holds another type than the reader asked for, or text that is not UTF-8.
        package static let unexpectedValue = Code("unexpected value")
        /// A transaction was begun inside another one.
        package static let nestedTransaction = Code("nested transaction")
        /// The SQL, or the way the connection was used, is wrong.
        package static let statement = Code("statement")
    }

    /// The kind of failure.
    package let code: Code
    /// What was wrong, in which file, and what to do; for a person.
    package let message: String
    /// SQLite's extended result code (`SQLITE_CONSTRAINT_UNIQUE` is 2067), or 0 where SQLite did not fail.
    package let extendedCode: Int32

    package init(code: Code, message: String, extendedCode: Int32 = 0) {
        self.code = code
        self.message = message
        self.extendedCode = extendedCode
    }
}

extension DatabaseError: CustomStringConvertible {
    package var description: String {
        self.message
    }
}
