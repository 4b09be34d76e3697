/// The phase of the exchange of one collection (Contract §3). A collection has one exchange at a time.
///
/// The data of a phase is in ``ExchangeMachine``.
package enum ExchangePhase: String, CaseIterable, Hashable, Sendable {
    /// No sync is in progress.
    case idle

    /// A GET is in flight.
    case getting

    /// A POST is in flight.
    case posting

    /// The next try is scheduled, after a transient failure or because the server throttled the client.
    case waiting

    /// Only the app can resume it: with renewed credentials, the right account, or because its policy paused it.
    case paused
}

extension ExchangePhase: CustomStringConvertible {
    /// The name, as in the diagrams.
    package var description: String { self.rawValue }
}

/// The transition for one event in one phase.
package enum ExchangeTransition: Hashable, Sendable {
    /// The exchange moves to a phase, and the client carries out the actions.
    case move(ExchangePhase, ExchangeActions)

    /// The event is legal, and changes nothing.
    case stay

    /// The event can't occur in this phase. To receive it is a programming error.
    case impossible
}
