import TidemarkMachine
import TidemarkSimulation

extension Exploration {
    /// The reason why no world uses a cell of the table; nil if a world has to use it.
    ///
    /// A cell that no world uses, and that has no reason, is an error of the table or of the worlds.
    package static func reason(for cell: World.Cell) -> String? { self.reasons[cell] }

    private static let reasons: [World.Cell: String] = {
        let nothingKnown =
            "An absent record has no version that a row could repeat, so each row is new."
        let moved = "A record that is deciding has a newer version than the confirmed one, and versions only grow."
        let alone = "An idle record has no upload and no newer row. Only a store could load it otherwise."
        let noBase =
            "An idle delete is the delete of a record that the server has. Only a store could load it otherwise."
        return [
            World.Cell(phase: .absent, event: .repeated): nothingKnown,
            World.Cell(phase: .edited(.deciding), event: .repeated): moved,
            World.Cell(phase: .created(.deciding), event: .repeated): moved,
            World.Cell(phase: .deleted(.deciding), event: .repeated): moved,
            World.Cell(phase: .deleted(.idle), event: .createdAgain): noBase,
            World.Cell(phase: .deleted(.idle), event: .abandoned): noBase,
            World.Cell(phase: .deleted(.idle), event: .rebased): alone,
            World.Cell(phase: .deleted(.held), event: .rebased): alone,
            World.Cell(phase: .created(.idle), event: .createAbandoned): alone,
        ]
    }()
}
