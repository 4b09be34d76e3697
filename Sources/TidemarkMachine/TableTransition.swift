/// The transition for one event in one phase, as a table of a machine has it.
public enum TableTransition<Phase: Hashable & Sendable, Actions: Hashable & Sendable>: Hashable, Sendable {
    /// The machine moves to a phase, and its owner carries out the actions.
    case move(Phase, Actions)

    /// The event is legal here, and changes nothing but variables.
    case stay

    /// The event can't occur here. Receiving it is a programmer's mistake (R24).
    case impossible
}

/// The transition for one event in one phase of a record.
public typealias RecordTransition = TableTransition<RecordPhase, RecordActions>

package typealias ExchangeTransition = TableTransition<ExchangePhase, ExchangeActions>
package typealias RunTransition = TableTransition<RunPhase, RunActions>
package typealias TurnTransition = TableTransition<TurnPhase, TurnActions>

/// A phase of a machine, with its row of the table.
package protocol TablePhase: CaseIterable, CustomStringConvertible, Hashable, Sendable {
    associatedtype Event: CaseIterable, Hashable, RawRepresentable<String>, Sendable
    associatedtype Actions: CustomStringConvertible, Hashable, Sendable

    func transition(on event: Event) -> TableTransition<Self, Actions>
}

extension RecordPhase: TablePhase {}
extension ExchangePhase: TablePhase {}
extension RunPhase: TablePhase {}
extension TurnPhase: TablePhase {}
