/// An event that a remote reports while it listens to its server's change notifications (Contract §10).
public enum RemoteHint: Hashable, Sendable {
    /// A sign of life: a heartbeat, or an event without a collection. The client considers a server that sends nothing at all
    /// for ``RunPlan/hintTimeout`` lost.
    case alive

    /// Bytes were received, whatever their content: they count in ``RunPlan/bytesPerHour`` and ``RunPlan/hintBytesPerMinute``.
    /// They are not a sign of life. A remote that can't count them omits this.
    case received(bytes: Int)

    /// A collection has changed, or may have.
    ///
    /// - Parameter cursor: The server's newest cursor. If it is the store's cursor, no request is made; if it is nil,
    ///   because the server does not report it, the collection is synced in any case.
    case moved(collection: String, cursor: String?)
}

extension RemoteHint {
    /// Why listening to change notifications ended without an error.
    public enum End: Hashable, Sendable {
        /// The remote has no change notifications, and never will: it is not called again.
        case never

        /// There are no change notifications at this URL, or a proxy on the way blocks them. The client tries again after a long
        /// time.
        ///
        /// - Parameter why: What happened, as a text for the user.
        case unavailable(why: String)

        /// The server has sent notifications, and ended the stream: the client listens again soon.
        case ended
    }
}
