/// One arrow of a diagram: a cell of a table that leads somewhere.
struct Arrow<Node: Hashable & CustomStringConvertible & Sendable>: Hashable, Sendable {
    var source: Node
    var target: Node

    /// The name of the event, as the table spells it.
    var event: String

    /// The names of the actions, in the order in which they are carried out; empty when there are none.
    var actions: String
}

extension Arrow<Phase> {
    /// Every arrow of the table of a record, in the order of its phases and events.
    static let ofRecord: [Arrow<Phase>] = Phase.allCases.flatMap { source in
        RecordEvent.allCases.compactMap { event in
            switch source.transition(on: event) {
            case .move(let target, let actions):
                Arrow(source: source, target: target, event: event.rawValue, actions: actions.description)
            case .stay, .impossible: nil
            }
        }
    }
}

extension Arrow<ExchangePhase> {
    /// Every arrow of the table of an exchange, in the order of its phases and events.
    static let ofExchange: [Arrow<ExchangePhase>] = ExchangePhase.allCases.flatMap { source in
        ExchangeEvent.allCases.compactMap { event in
            switch source.transition(on: event) {
            case .move(let target, let actions):
                Arrow(source: source, target: target, event: event.rawValue, actions: actions.description)
            case .stay, .impossible: nil
            }
        }
    }
}

extension ExchangePhase: CustomStringConvertible {
    /// The name, as the diagrams spell it.
    public var description: String { self.rawValue }
}
