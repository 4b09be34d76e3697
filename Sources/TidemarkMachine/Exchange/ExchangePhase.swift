/// Where the exchange of one collection stands (SPEC §3). There is at most one at a time.
///
/// What a phase needs to know besides is data of ``ExchangeMachine``, and nobody else sets it.
package enum ExchangePhase: String, CaseIterable, Hashable, Sendable {
    /// Nothing is under way.
    case idle

    /// A GET is out.
    case getting

    /// A POST is out.
    case posting

    /// A failure that passes: the next try is set.
    case waiting

    /// A failure that only the app can end: renewed credentials, the right account, or what its policy stopped.
    case paused
}

extension ExchangePhase: CustomStringConvertible {
    /// The name, as the diagrams spell it.
    package var description: String { self.rawValue }
}

/// What one event does to one phase of an exchange.
package enum ExchangeTransition: Hashable, Sendable {
    /// The exchange moves to a phase, and the client then acts.
    case move(ExchangePhase, ExchangeActions)

    /// The event is legal here and changes nothing.
    case stay

    /// The event can't occur here. Receiving it is a programmer's mistake.
    case impossible
}
