/// How the client recognizes that the server accepted an upload whose first answer was lost (R18).
public enum Recognition: String, CaseIterable, Hashable, Sendable {
    /// The server repeats its answer to a request (W4): only its *accepted* counts. A row with the same content may be another
    /// user's write, and two equal differences of a sum are two.
    case byAnswer

    /// The server can't repeat its answers, or its history was lost since the upload was sent: a row that has the uploaded
    /// values on every uploaded path is this client's own write.
    case byContent
}
