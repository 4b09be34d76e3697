/// What a remote hears while it listens to its server's hints (SPEC §10).
public enum RemoteHint: Hashable, Sendable {
    /// The server is there: a heartbeat, or an event that says nothing of a collection. The client takes a server that says
    /// nothing at all for ``RunPlan/hintSilence`` for gone.
    case alive

    /// So many bytes came, whatever they say: they count in ``RunPlan/bytesPerHour`` and ``RunPlan/hintBytesPerMinute``. They are
    /// no sign of life by themselves. A remote that can't count them leaves this out.
    case received(bytes: Int)

    /// A collection has moved, or may have.
    ///
    /// - Parameter watermark: How far. Where that is the one that the store has, nothing is asked; nil where the server does not
    ///   say, and then the collection is asked in any case.
    case moved(collection: String, watermark: String?)
}

/// How listening to hints ended that did not break off.
public enum HintsEnd: Hashable, Sendable {
    /// The remote has no hints, and never will: it is not asked again.
    case never

    /// Nobody hints behind this URL, or what is on the way lets no hint through. It is tried again after a long while.
    ///
    /// - Parameter why: What happened, for a person.
    case notHere(why: String)

    /// The server has hinted, and ended it: it is listened to again soon.
    case ended
}
