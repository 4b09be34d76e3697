/// The phase of the run loop for one collection (Contract §10). It decides only when a sync starts.
///
/// The other data of a phase are variables of `RunMachine`, which only the machine sets.
public enum RunPhase: String, CaseIterable, Hashable, Sendable {
    /// Nothing is to be done, and the server notifies of changes.
    case listening

    /// A sync is scheduled: an edit waits for the edits that follow it (debounce).
    case due

    /// A sync is running, of the loop or of the app.
    case syncing

    /// The last sync failed, and the next one is scheduled.
    case waiting

    /// The credentials were rejected, or a policy of the app paused it. Credentials are tried again from time to time.
    case paused

    /// Nothing is to be done, and there are no change notifications: the server is polled.
    case polling
}

extension RunPhase: CustomStringConvertible {
    /// The name, as in the diagrams.
    public var description: String { self.rawValue }
}
