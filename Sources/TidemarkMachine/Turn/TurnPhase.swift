/// Who has the store of a client: the client, another one, or no client (Contract §14).
///
/// Only one client has a store open at a time. The times of a turn are variables of `TurnMachine`.
package enum TurnPhase: String, CaseIterable, Hashable, Sendable {
    /// The client has the store open.
    case holding

    /// The client has the store open, and another client waits for it: no request begins, and one that is under way ends first.
    case asked

    /// The client has handed the store over, and opens it again for its next call.
    case away

    /// The app has suspended the client, and wakes it.
    case suspended

    /// The client is closed.
    case closed
}

extension TurnPhase: CustomStringConvertible {
    /// The name, as in the diagrams.
    package var description: String { self.rawValue }
}
