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
