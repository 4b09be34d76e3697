/// The marks (`PRAGMA application_id`) of the two kinds of file that Tidemark makes.
///
/// They are declared together so that a store that is passed as a server's file, or the reverse, gets its own message.
package enum DatabaseOwner: Int32, Sendable {
    /// A client's store: `TMst`.
    case client = 0x544D_7374

    /// A server's file: `tmSV`.
    case server = 0x746D_5356

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
}
