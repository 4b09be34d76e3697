/// The state machine of a client's turn with its store (Contract §14): a phase and two times.
///
/// It decides when a store is handed over to a client that waits for it. It has no clock: pass it the time of a clock that only
/// moves forward.
package struct TurnMachine: Hashable, Sendable {
    package private(set) var phase = TurnPhase.holding

    /// When the client opened the store.
    private var began: Duration

    /// When another client asked for it; nil if none did in this turn.
    private var asked: Duration?

    /// How long a client has the store at least: so two clients that both work do not spend their time with opening it.
    package static let shortestTurn = Duration.milliseconds(50)

    /// How long a client that hands the store over finishes the request that is under way. After that its edits are unconfirmed, and
    /// the next client that syncs sends them again.
    package static let longestRequest = Duration.seconds(2)

    /// How long a client does not open a store that it has handed over, so that the other client finds it free.
    package static let pause = Duration.milliseconds(50)

    /// How long a client that follows its store, but has nothing to write or to ask, waits for another one that keeps it open before it
    /// asks for it.
    package static let patience = Duration.seconds(1)

    /// Makes the machine of a client that has just opened its store.
    package init(now: Duration) {
        self.began = now
    }

    /// Handles a request of another client.
    package mutating func ask(now: Duration) -> TurnActions {
        if self.phase == .holding { self.asked = now }
        return self.receive(.asked)
    }

    /// Hands the store over if another client waits for it and if that is possible now.
    ///
    /// - Parameter isExchanging: Whether a request to the server is under way.
    package mutating func pass(now: Duration, isExchanging: Bool) -> TurnActions {
        guard let time = self.time(isExchanging: isExchanging), time <= now else { return [] }
        return self.receive(.freed)
    }

    /// When the store can be handed over at the latest, unless a request ends before; nil if no other client waits for it.
    package func time(isExchanging: Bool) -> Duration? {
        guard self.phase == .asked, let asked else { return nil }
        let first = self.began + Self.shortestTurn
        return isExchanging ? max(first, asked + Self.longestRequest) : first
    }

    /// Whether no request may begin: the store will be handed over first.
    package var isAsked: Bool { self.phase == .asked }

    /// Handles that the store was opened again.
    package mutating func open(now: Duration) -> TurnActions {
        (self.began, self.asked) = (now, nil)
        return self.receive(.opened)
    }

    /// Handles a call of the app that suspends the client.
    package mutating func suspend() -> TurnActions { self.receive(.suspended) }

    /// Handles the end of the client.
    package mutating func close() -> TurnActions { self.receive(.closed) }

    private mutating func receive(_ event: TurnEvent) -> TurnActions {
        switch self.phase.transition(on: event) {
        case .move(let phase, let actions):
            self.phase = phase
            return actions
        case .stay: return []
        case .impossible: preconditionFailure("The turn of a client can't get \(event) while it is \(self.phase).")
        }
    }
}
