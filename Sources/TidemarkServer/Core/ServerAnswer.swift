/// The answer to a request: complete, or a stream of events.
public enum ServerAnswer: Sendable {
    /// A complete answer.
    case whole(ServerResponse)
    /// Status 200 with ``ServerWatch/headers``, followed by hints as they come, until the watch or the connection ends.
    case events(ServerWatch)
}
