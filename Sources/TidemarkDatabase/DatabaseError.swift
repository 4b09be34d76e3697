/// Why SQLite or a database file refused an operation: a code for programs, and a message for users.
///
/// The message names the error, the file, and the remedy.
package struct DatabaseError: Error, Hashable, Sendable {
    /// The kind of failure; an open set, so a caller needs a branch for unknown codes.
    package struct Code: Hashable, Sendable {
        /// The name of the kind, as it is printed.
        package let name: String

        package init(_ name: String) {
            self.name = name
        }

        /// Another connection or process holds the lock that is needed.
        package static let busy = Code("busy")
        /// The disk, or the allowed size, is full; the transaction was rolled back.
        package static let full = Code("full")
        /// The file is damaged.
        package static let corrupt = Code("corrupt")
        /// The file is not a database: a text, an image, an encrypted file.
        package static let notADatabase = Code("not a database")
        /// The file is a database of another program.
        package static let foreignDatabase = Code("foreign database")
        /// A newer version of this program wrote the file.
        package static let newerVersion = Code("newer version")
        /// A write to a read-only file.
        package static let readOnly = Code("read-only")
        /// The file or its folder can't be opened or created.
        package static let cannotOpen = Code("can't open")
        /// A uniqueness, foreign key, check or not-null constraint of the schema; `extendedCode` names it.
        package static let constraint = Code("constraint")
        /// The operating system failed to read, write or sync.
        package static let io = Code("io")
        /// A value or a row is larger than SQLite's limit.
        package static let tooLarge = Code("too large")
        /// There is no memory left.
        package static let outOfMemory = Code("out of memory")
        /// A column has another type than the requested one, or text that is not UTF-8.
        package static let unexpectedValue = Code("unexpected value")
        /// A transaction was begun inside another one.
        package static let nestedTransaction = Code("nested transaction")
        /// The SQL, or the way the connection was used, is wrong.
        package static let statement = Code("statement")
    }

    /// The kind of failure.
    package let code: Code
    /// The error, the file, and what to do; for users.
    package let message: String
    /// SQLite's extended result code (`SQLITE_CONSTRAINT_UNIQUE` is 2067), or 0 if SQLite did not fail.
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
