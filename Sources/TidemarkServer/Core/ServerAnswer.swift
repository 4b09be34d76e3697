/// What comes of a request: an answer that is whole, or one that goes on.
public enum ServerAnswer: Sendable {
    /// The whole answer.
    case whole(ServerResponse)
    /// Status 200 with ``ServerWatch/headers``, and then hints as they come, until the watch or the connection ends.
    case events(ServerWatch)
}
