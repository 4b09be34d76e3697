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

extension Arrow {
    /// Every arrow of a table, in the order of its phases and events.
    fileprivate static func all<Event: RawRepresentable<String>>(
        from phases: [Node], on events: [Event], to target: (Node, Event) -> Node?, isOnRoad: (Node, Event) -> Bool
    ) -> [Arrow] {
        phases.flatMap { source in
            events.compactMap { event in
                target(source, event).map {
                    Arrow(source: source, target: $0, event: event.rawValue, isOnRoad: isOnRoad(source, event))
                }
            }
        }
    }
}

extension Arrow<RecordPhase> {
    /// Every arrow of the table of a record, in the order of its phases and events.
    static let ofRecord = Self.all(
        from: RecordPhase.allCases, on: RecordEvent.allCases,
        to: { source, event in
            switch source.transition(on: event) {
            case .move(let target, _): target
            case .stay, .impossible: nil
            }
        }, isOnRoad: Self.isOnRoad)

    /// A settled record changes, its bytes are sent, and the server accepts them.
    private static func isOnRoad(_ source: RecordPhase, _ event: RecordEvent) -> Bool {
        switch source.activity {
        case nil: true
        case .idle: event == .sent
        case .uploading: event == .accepted
        case .unconfirmed, .deciding, .held: false
        }
    }
}

extension Arrow<ExchangePhase> {
    /// Every arrow of the table of an exchange, in the order of its phases and events.
    static let ofExchange = Self.all(
        from: ExchangePhase.allCases, on: ExchangeEvent.allCases,
        to: { source, event in
            switch source.transition(on: event) {
            case .move(let target, _): target
            case .stay, .impossible: nil
            }
        }, isOnRoad: Self.isOnRoad)

    /// A request is due, and the server answers it.
    private static func isOnRoad(_ source: ExchangePhase, _ event: ExchangeEvent) -> Bool {
        switch source {
        case .idle: [.dueToPost, .dueToGet].contains(event)
        case .getting, .posting: [.dueToPost, .dueToGet, .done].contains(event)
        case .waiting, .paused: false
        }
    }
}

extension Arrow<RunPhase> {
    /// Every arrow of the table of the run loop, in the order of its phases and events.
    static let ofRun = Self.all(
        from: RunPhase.allCases, on: RunEvent.allCases,
        to: { source, event in
            switch source.transition(on: event) {
            case .move(let target, _): target
            case .stay, .impossible: nil
            }
        }, isOnRoad: Self.isOnRoad)

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
