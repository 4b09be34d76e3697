import TidemarkMachine

extension Exploration {
    /// Why a cell stands in the table although no world takes it; nil when it has to be taken.
    ///
    /// A cell that was never taken and has no reason is a mistake: of the table, or of the worlds.
    public static func reason(for cell: World.Cell) -> String? { self.reasons[cell] }

    /// Why a cell stands in the exchange's table although no world takes it; nil when it has to be taken.
    public static func reason(for cell: ExchangeWorld.Cell) -> String? {
        switch (cell.phase, cell.event) {
        case (.getting, .dueToPost), (.posting, .dueToPost), (.getting, .dueToReadFirst), (.posting, .dueToReadFirst):
            "Who asks while a sync goes on joins it; what there is to send is not looked for."
        case (.paused, .dueToPost), (.paused, .dueToGet), (.paused, .dueToReadFirst):
            "Who asks while it pauses is told so, or has one try; what there is to send is not looked for."
        case (.getting, .dueTooEarly), (.posting, .dueTooEarly):
            "Nothing is under way while the server is left alone, and what it says begins with an answer."
        case (.posting, .listed): "Nothing is sent while a listing from the start is under way (SPEC §6)."
        case (.posting, .foundNothing):
            "Only what is damaged, or has used up its tries under other limits, is due and is not sent."
        case (.getting, .listingBegan), (.posting, .listingBegan):
            "Only a server that has no feed of changes begins a listing by itself (SPEC §12)."
        case (.idle, _), (.getting, _), (.posting, _), (.waiting, _), (.paused, _): nil
        }
    }

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
