import TidemarkMachine

extension Exploration {
    /// Why a cell stands in the table although no world takes it; nil when it has to be taken.
    ///
    /// A cell that was never taken and has no reason is a mistake: of the table, or of the worlds.
    public static func reason(for cell: World.Cell) -> String? {
        switch (cell.phase, cell.event) {
        case (.absent, .repeated):
            "A record that is absent knows no version that could be repeated; a row is always news to it."
        case (.edited(.deciding), .repeated), (.created(.deciding), .repeated), (.deleted(.deciding), .repeated):
            "Who decides knows a newer version than the confirmed one, and versions do not go back."
        case (.deleted(.idle), .createdAgain), (.deleted(.idle), .abandoned), (.deleted(.held), .abandoned):
            "A delete that has its turn is one of a record that the server has. A store may say otherwise."
        default: nil
        }
    }
}
