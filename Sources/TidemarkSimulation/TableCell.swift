package import TidemarkMachine

/// A cell of one of the tables: a phase and an event.
package struct TableCell<Phase: TablePhase>: Hashable, Sendable {
    package var phase: Phase
    package var event: Phase.Event

    package init(phase: Phase, event: Phase.Event) {
        self.phase = phase
        self.event = event
    }
}

/// A cell of the record's table.
package typealias RecordCell = TableCell<RecordPhase>

/// A cell of the exchange's table.
package typealias ExchangeCell = TableCell<ExchangePhase>

/// A cell of the run loop's table.
package typealias RunCell = TableCell<RunPhase>

extension TableCell: CustomStringConvertible {
    package var description: String { "\(self.phase) \(self.event)" }
}

extension TableCell {
    /// Every cell of the table that is not impossible, in the order of the table.
    package static var all: [Self] {
        Phase.allCases.flatMap { phase in
            Phase.Event.allCases.filter { phase.transition(on: $0) != .impossible }
                .map { Self(phase: phase, event: $0) }
        }
    }
}
