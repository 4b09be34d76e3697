/// Why the storage failed; nothing of the call was done, except perhaps with ``Code/unknownOutcome``.
public struct ServerStorageError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure; open, so that another database can add to it.
    public struct Code: Sendable, Hashable {
        /// The name of the kind, as messages show it.
        public let name: String

        /// A kind of failure with this name.
        public init(_ name: String) {
            self.name = name
        }

        /// Another process uses the file.
        public static let busy = Code("busy")
        /// The file can't be opened or made.
        public static let cannotOpen = Code("cannotOpen")
        /// The file is read-only.
        public static let readOnly = Code("readOnly")
        /// The file is not a database, or it is another program's.
        public static let notAServerStore = Code("notAServerStore")
        /// The file was written by a later version.
        public static let newerVersion = Code("newerVersion")
        /// The tables are of an earlier version, and this use may not change them.
        public static let olderVersion = Code("olderVersion")
        /// The file is damaged.
        public static let corrupt = Code("corrupt")
        /// The file was moved away or overwritten while it was open.
        public static let fileReplaced = Code("fileReplaced")
        /// The database user lacks a permission, or its login was refused.
        public static let notAllowed = Code("notAllowed")
        /// The database ended the work or the connection before it was done: a retry may succeed.
        public static let interrupted = Code("interrupted")
        /// The outcome of a commit is unknown: the database did not answer it.
        public static let unknownOutcome = Code("unknownOutcome")
        /// The disk is full.
        public static let full = Code("full")
        /// The call is not allowed as requested: the account exists already, for example.
        public static let refused = Code("refused")
        /// Anything else.
        public static let failed = Code("failed")

        /// Whether a write would probably fail again: not one that only met another writer or a lost connection.
        var isLasting: Bool { ![.busy, .interrupted, .unknownOutcome, .refused].contains(self) }
    }

    /// The kind of failure.
    public let code: Code
    /// The error, its place, and how to correct it.
    public let message: String
    /// True if a delayed write of a transaction failed, and its commit was not tried: of several POSTs in it, the others may
    /// succeed without the one that the write belongs to.
    public private(set) var isBeforeCommit = false

    /// An error of this kind with this message.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// This error, of a write that a transaction had delayed until its commit.
    public var beforeCommit: ServerStorageError {
        var error = self
        error.isBeforeCommit = true
        return error
    }

    /// The message.
    public var description: String { self.message }
}
