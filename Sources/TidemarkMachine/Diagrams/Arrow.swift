/// One arrow of a diagram: a cell of a table that leads somewhere.
struct Arrow<Node: Hashable & CustomStringConvertible & Sendable>: Hashable, Sendable {
    var source: Node
    var target: Node

    /// The name of the event, as the table spells it.
    var event: String

    /// Whether it is part of the main road: of the way on which all goes well at once.
    var isOnRoad: Bool
}

extension Arrow<RecordPhase> {
    /// Every arrow of the table of a record, in the order of its phases and events.
    static let ofRecord: [Arrow<RecordPhase>] = RecordPhase.allCases.flatMap { source in
        RecordEvent.allCases.compactMap { event in
            switch source.transition(on: event) {
            case .move(let target, _):
                Arrow(
                    source: source, target: target, event: event.rawValue,
                    isOnRoad: Self.isOnRoad(source, event))
            case .stay, .impossible: nil
            }
        }
    }

    /// Something happens to a settled record; its bytes are sent; the server takes them.
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
    static let ofExchange: [Arrow<ExchangePhase>] = ExchangePhase.allCases.flatMap { source in
        ExchangeEvent.allCases.compactMap { event in
            switch source.transition(on: event) {
            case .move(let target, _):
                Arrow(
                    source: source, target: target, event: event.rawValue,
                    isOnRoad: Self.isOnRoad(source, event))
            case .stay, .impossible: nil
            }
        }
    }

    /// Something is due; the server answers it.
    private static func isOnRoad(_ source: ExchangePhase, _ event: ExchangeEvent) -> Bool {
        switch source {
        case .idle: [.dueToPost, .dueToGet].contains(event)
        case .getting, .posting: [.answeredToPost, .answeredToGet, .answeredDone].contains(event)
        case .waiting, .paused: false
        }
    }
}

extension Arrow<RunPhase> {
    /// Every arrow of the table of the run loop, in the order of its phases and events.
    static let ofRun: [Arrow<RunPhase>] = RunPhase.allCases.flatMap { source in
        RunEvent.allCases.compactMap { event in
            switch source.transition(on: event) {
            case .move(let target, _):
                Arrow(
                    source: source, target: target, event: event.rawValue,
                    isOnRoad: Self.isOnRoad(source, event))
            case .stay, .impossible: nil
            }
        }
    }

    /// The app edits, or someone hints; the time comes; the sync ends.
    private static func isOnRoad(_ source: RunPhase, _ event: RunEvent) -> Bool {
        switch source {
        case .resting: [.edited, .hinted].contains(event)
        case .due: event == .woken
        case .syncing: event == .endedWatched
        case .waiting, .paused, .unwatched: false
        }
    }
}

extension ExchangePhase: CustomStringConvertible {
    /// The name, as the diagrams spell it.
    public var description: String { self.rawValue }
}
