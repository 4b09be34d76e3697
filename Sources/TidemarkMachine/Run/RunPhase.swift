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

/// The transition for one event in one phase of the run loop.
package enum RunTransition: Hashable, Sendable {
    /// The loop moves to a phase, and carries out the actions.
    case move(RunPhase, RunActions)

    /// The event is legal, and changes nothing but variables.
    case stay

    /// The event can't occur in this phase. To receive it is a programming error.
    case impossible
}

extension RunPhase: CustomStringConvertible {
    /// The name, as in the diagrams.
    public var description: String { self.rawValue }
}
