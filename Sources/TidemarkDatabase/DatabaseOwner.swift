/// The marks (`PRAGMA application_id`) of the two kinds of file that Tidemark makes.
///
/// They are declared together so that one of them that is given for the other is told apart from a stranger's file.
package enum DatabaseOwner: Int32, Sendable {
    /// A client's store: `TMst`.
    case client = 0x544D_7374

    /// A server's file: `tmSV`.
    case server = 0x746D_5356

    /// What is said to whoever takes such a file for another one.
    var complaint: String {
        switch self {
        case .client:
            """
            this is the store of a Tidemark client, and not a server's file; it was left as it is. Name the server's own \
            file, or a new one: what the store holds comes to the server when the client syncs.
            """
        case .server:
            """
            this is the file of a Tidemark server, and not a client's store; it was left as it is. Name the client's own \
            file, or a new one: a client reaches the server by its URL.
            """
        }
    }
}
