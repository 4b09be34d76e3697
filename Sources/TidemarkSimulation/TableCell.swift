package import TidemarkMachine

/// A cell of one of the tables: a phase and an event.
package struct TableCell<Phase: Hashable & Sendable, Event: Hashable & Sendable>: Hashable, Sendable {
    package var phase: Phase

    package var event: Event

    /// Makes a cell.
    package init(phase: Phase, event: Event) {
        self.phase = phase
        self.event = event
    }
}

/// A cell of the record's table.
package typealias RecordCell = TableCell<RecordPhase, RecordEvent>

/// A cell of the exchange's table.
package typealias ExchangeCell = TableCell<ExchangePhase, ExchangeEvent>

/// A cell of the run loop's table.
package typealias RunCell = TableCell<RunPhase, RunEvent>

extension TableCell: CustomStringConvertible {
    package var description: String { "\(self.phase) \(self.event)" }
}

extension RecordCell {
    /// Every cell of the record's table that is not impossible, in the order of the table.
    package static var all: [Self] {
        RecordPhase.allCases.flatMap { phase in
            RecordEvent.allCases.filter { phase.transition(on: $0) != .impossible }
                .map { Self(phase: phase, event: $0) }
        }
    }
}

extension ExchangeCell {
    /// Every cell of the exchange's table that is not impossible, in the order of the table.
    package static var all: [Self] {
        ExchangePhase.allCases.flatMap { phase in
            ExchangeEvent.allCases.filter { phase.transition(on: $0) != .impossible }
                .map { Self(phase: phase, event: $0) }
        }
    }
}

extension RunCell {
    /// Every cell of the run loop's table that is not impossible, in the order of the table.
    package static var all: [Self] {
        RunPhase.allCases.flatMap { phase in
            RunEvent.allCases.filter { phase.transition(on: $0) != .impossible }.map { Self(phase: phase, event: $0) }
        }
    }
}
