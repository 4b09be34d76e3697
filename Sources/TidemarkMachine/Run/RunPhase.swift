/// Where the run loop stands with one collection (SPEC §10). It decides when a sync starts, and never what one does.
///
/// What a phase needs to know besides is data of `RunMachine`, and nobody else sets it.
public enum RunPhase: String, CaseIterable, Hashable, Sendable {
    /// Nothing is to be done, and someone hints when there is.
    case resting

    /// Something is to be done, and the time for it is set: an edit waits for the edits that follow it.
    case due

    /// A sync goes on, of the loop or of the app.
    case syncing

    /// The last sync failed, and said when another one is worthwhile.
    case waiting

    /// The server does not know us, or a policy of the app stopped it. Credentials are probed now and then.
    case paused

    /// Nothing is to be done, and no one hints: the server is asked from time to time.
    case unwatched
}

/// What one event does to one phase of the run loop.
package enum RunTransition: Hashable, Sendable {
    /// The loop moves to a phase, and then acts.
    case move(RunPhase, RunActions)

    /// The event is legal here and changes nothing but what the machine has in mind.
    case stay

    /// The event can't occur here. Receiving it is a programmer's mistake.
    case impossible
}

extension RunPhase: CustomStringConvertible {
    /// The name, as the diagrams spell it.
    public var description: String { self.rawValue }
}
