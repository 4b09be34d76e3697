/// Why the storage could not do it; nothing of what was asked was done, but for ``Code/unknownOutcome``.
public struct ServerStorageError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure; open, so that another database can add to it.
    public struct Code: Sendable, Hashable {
        /// The name of the kind, as it is shown.
        public let name: String

        /// A kind of failure with this name.
        public init(_ name: String) {
            self.name = name
        }

        /// Another process uses the file.
        public static let busy = Code("busy")
        /// The file can't be opened, or not be made.
        public static let cannotOpen = Code("cannotOpen")
        /// The file may only be read.
        public static let readOnly = Code("readOnly")
        /// The file is no database, or another program's.
        public static let notAServerStore = Code("notAServerStore")
        /// The file was written by a later version.
        public static let newerVersion = Code("newerVersion")
        /// The tables are of an earlier version, and may not be changed for what is asked.
        public static let olderVersion = Code("olderVersion")
        /// The file is damaged.
        public static let corrupt = Code("corrupt")
        /// The file was moved away or overwritten while it was open.
        public static let fileReplaced = Code("fileReplaced")
        /// The user of the database may not do it, or was not let in.
        public static let notAllowed = Code("notAllowed")
        /// The database ended it, or went away, before it was done: another try may work.
        public static let interrupted = Code("interrupted")
        /// A commit was not answered: nobody knows whether it was done.
        public static let unknownOutcome = Code("unknownOutcome")
        /// The disk is full.
        public static let full = Code("full")
        /// It may not be done as it was asked for: an account that is there already, say.
        public static let refused = Code("refused")
        /// Anything else.
        public static let failed = Code("failed")
    }

    /// The kind of failure.
    public let code: Code
    /// What was wrong, where, and what to do.
    public let message: String

    /// An error of this kind with this message.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { self.message }
}
