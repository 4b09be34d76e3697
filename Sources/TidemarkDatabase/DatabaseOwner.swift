/// The marks (`PRAGMA application_id`) of the two kinds of file that Tidemark makes.
///
/// They are declared together so that a store that is passed as a server's file, or the reverse, gets its own message.
package enum DatabaseOwner: Int32, Sendable {
    /// A client's store: `TMcl`.
    case client = 0x544D_636C

    /// A server's file: `TMsv`.
    case server = 0x544D_7376

    /// The message if such a file is opened as another kind.
    var complaint: String {
        switch self {
        case .client:
            """
            this is the store of a Tidemark client, and not a server's file; it was not changed. Name the server's own \
            file, or a new one: the records of the store reach the server when the client syncs.
            """
        case .server:
            """
            this is the file of a Tidemark server, and not a client's store; it was not changed. Name the client's own \
            file, or a new one: a client reaches the server by its URL.
            """
        }
    }

    /// The marks of files from before the first release: `TMst` and `tmSV`. Their tables are not migrated.
    private static let unreleased: Set<Int64> = [0x544D_7374, 0x746D_5356]

    /// The message for a file with another mark than the expected one; nil if Tidemark never made a file with this mark.
    static func complaint(aboutMark mark: Int64) -> String? {
        if Self.unreleased.contains(mark) {
            return """
                this file was made before the first release of Tidemark, and can't be migrated; it was not changed. Erase it, \
                or name a new file.
                """
        }
        return Int32(exactly: mark).flatMap(DatabaseOwner.init(rawValue:))?.complaint
    }
}
