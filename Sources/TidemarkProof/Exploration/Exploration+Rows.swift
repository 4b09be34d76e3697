import TidemarkMachine
import TidemarkSimulation

extension Exploration {
    /// Why a cell stands in the table although no world takes it; nil when it has to be taken.
    ///
    /// A cell that was never taken and has no reason is a mistake: of the table, or of the worlds.
    package static func reason(for cell: World.Cell) -> String? { self.reasons[cell] }

    private static let reasons: [World.Cell: String] = {
        let nothingKnown =
            "A record that is absent knows no version that could be repeated; a row is always news to it."
        let moved = "Who decides knows a newer version than the confirmed one, and versions do not go back."
        let alone = "What waits for its turn has nothing in a request, or beside it. A store may say otherwise."
        let noBase = "A delete that has its turn is one of a record that the server has. A store may say otherwise."
        return [
            World.Cell(phase: .absent, event: .repeated): nothingKnown,
            World.Cell(phase: .edited(.deciding), event: .repeated): moved,
            World.Cell(phase: .created(.deciding), event: .repeated): moved,
            World.Cell(phase: .deleted(.deciding), event: .repeated): moved,
            World.Cell(phase: .deleted(.idle), event: .createdAgain): noBase,
            World.Cell(phase: .deleted(.idle), event: .abandoned): noBase,
            World.Cell(phase: .deleted(.idle), event: .rebased): alone,
            World.Cell(phase: .deleted(.held), event: .rebased): alone,
            World.Cell(phase: .created(.idle), event: .withdrawn): alone,
        ]
    }()
}
