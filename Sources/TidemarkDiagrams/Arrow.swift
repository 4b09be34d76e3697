import TidemarkMachine

/// One arrow of a diagram: a cell of a table that leads to another phase.
struct Arrow<Node: Hashable & CustomStringConvertible & Sendable>: Hashable, Sendable {
    var source: Node
    var target: Node

    /// The name of the event, as the table spells it.
    var event: String

    /// Whether it is part of the main path: the transitions without any failure or conflict.
    var isOnRoad: Bool
}

extension Arrow where Node: TablePhase {
    /// Every arrow of a table, in the order of its phases and events.
    fileprivate static func all(isOnRoad: (Node, Node.Event) -> Bool) -> [Arrow] {
        Node.allCases.flatMap { source in
            Node.Event.allCases.compactMap { event -> Arrow? in
                guard case .move(let target, _) = source.transition(on: event) else { return nil }
                return Arrow(source: source, target: target, event: event.rawValue, isOnRoad: isOnRoad(source, event))
            }
        }
    }
}

extension Arrow<RecordPhase> {
    /// Every arrow of the table of a record, in the order of its phases and events.
    static let ofRecord = Self.all { $0.isOnMainPath($1) }
}

extension Arrow<ExchangePhase> {
    /// Every arrow of the table of an exchange, in the order of its phases and events.
    static let ofExchange = Self.all(isOnRoad: Self.isOnRoad)

    /// A request is due, and the server answers it.
    private static func isOnRoad(_ source: ExchangePhase, _ event: ExchangeEvent) -> Bool {
        switch source {
        case .idle: [.dueToPost, .dueToGet].contains(event)
        case .getting, .posting: [.dueToPost, .dueToGet, .done].contains(event)
        case .waiting, .paused: false
        }
    }
}

extension Arrow<TurnPhase> {
    /// Every arrow of the table of a client's turn with its store, in the order of its phases and events.
    static let ofTurn = Self.all(isOnRoad: Self.isOnRoad)

    /// Another client asks for the store, gets it, and gives it back.
    private static func isOnRoad(_ source: TurnPhase, _ event: TurnEvent) -> Bool {
        switch source {
        case .holding: event == .asked
        case .asked: event == .freed
        case .away: event == .opened
        case .suspended, .closed: false
        }
    }
}

extension Arrow<RunPhase> {
    /// Every arrow of the table of the run loop, in the order of its phases and events.
    static let ofRun = Self.all(isOnRoad: Self.isOnRoad)

    /// The app edits or a change notification arrives, the wait ends, and the sync ends.
    private static func isOnRoad(_ source: RunPhase, _ event: RunEvent) -> Bool {
        switch source {
        case .listening: [.edited, .hinted].contains(event)
        case .due: event == .timerFired
        case .syncing: event == .endedListening
        case .waiting, .paused, .polling: false
        }
    }
}
