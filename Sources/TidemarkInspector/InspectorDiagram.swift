import TidemarkJSON
import TidemarkMachine

// The table of a record, as boxes with the number of records in each, and lines between them.

extension JSONWriter {
    /// - Parameter counts: How many records each phase has.
    mutating func addDiagram(counts: [RecordPhase: Int]) {
        self.key("nodes")
        self.array {
            for phase in RecordPhase.allCases {
                $0.object {
                    $0.member("phase", phase.description)
                    $0.member("state", phase.state?.rawValue ?? phase.description)
                    if let activity = phase.activity { $0.member("activity", activity.rawValue) }
                    $0.member("count", counts[phase] ?? 0)
                }
            }
        }
        self.member("edges", json: Self.edges)
        self.member("events", json: Array(InspectorText.events.utf8))
    }

    /// The lines, as JSON text.
    private static let edges: [UInt8] = {
        var writer = JSONWriter()
        writer.array {
            for source in RecordPhase.allCases {
                for target in RecordPhase.allCases {
                    let events = RecordEvent.allCases.filter { source.target(on: $0) == target }
                    if !events.isEmpty { $0.edge(from: source, to: target, events) }
                }
            }
        }
        return writer.bytes
    }()

    private mutating func edge(from source: RecordPhase, to target: RecordPhase, _ events: [RecordEvent]) {
        self.object {
            $0.member("from", source.description)
            $0.member("to", target.description)
            $0.strings("events", events.map(\.rawValue))
            if source != target, events.contains(where: source.isOnMainPath) { $0.member("main", true) }
        }
    }
}

extension RecordPhase {
    /// The phase after an event; nil if the table has no such row.
    fileprivate func target(on event: RecordEvent) -> RecordPhase? {
        guard case .move(let target, _) = self.transition(on: event) else { return nil }
        return target
    }
}
