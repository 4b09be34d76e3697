import TidemarkMachine

/// A fault to plant in a world, to see that the exploration finds it: the properties are tested, too.
public enum PlantedFault: String, CaseIterable, Sendable {
    /// The request is sent before the upload is on disk.
    case sentBeforeSaved

    /// A resend carries a new request id.
    case freshIDs

    /// The answer clears all that was edited, and not only the upload.
    case ackClearsLaterEdits

    /// `is_conflicted` is read as present instead of as true or false.
    case conflictTakenForAccepted

    /// Rows that come while there is a local change are skipped, and the watermark goes on.
    case rowsSkippedWhileEdited

    /// A decision counts although the facts have moved on.
    case staleVerdicts

    /// A merge never finds a clash.
    case blindMerge

    /// The server judges conflicts by the watermark.
    case conflictsByWatermark

    /// The server remembers only what it accepted.
    case forgottenRefusals

    /// A create that may have arrived is given up by forgetting it.
    case createForgotten

    /// A tombstone wins over a local edit without asking.
    case tombstoneWins

    /// A delete goes on over a row that was changed meanwhile.
    case deleteWins

    /// What is refused is sent again at once.
    case refusedSentAgain

    /// An upload whose answer was lost is taken for one that was not sent.
    case lostTakenForUnsent

    /// A row that shows what was sent is taken for an own write, although the server repeats its answers.
    case ownByContent

    /// An edit of a held record goes out under a new name, and what may have arrived is forgotten.
    case heldUploadForgotten

    /// What lost to the server's side is not journalled.
    case lossNotJournalled

    /// What the faulty table says of a cell; nil where it is as it should be.
    func transition(of phase: RecordPhase, on event: RecordEvent) -> RecordTransition? {
        self.plantedRows.first { $0.cell == World.Cell(phase: phase, event: event) }?.row
    }

    private var plantedRows: [(cell: World.Cell, row: RecordTransition)] {
        switch self {
        case .createForgotten:
            [RecordPhase.created(.idle), .created(.uploading), .created(.unconfirmed), .created(.held)].map {
                (World.Cell(phase: $0, event: .withdrawn), .move(.absent, [.journal, .erase, .notify]))
            }
        case .tombstoneWins:
            [(World.Cell(phase: .edited(.idle), event: .gone), .move(.absent, [.erase, .notify]))]
        case .deleteWins:
            [(World.Cell(phase: .deleted(.idle), event: .clashed), .move(.deleted(.idle), .save))]
        case .refusedSentAgain:
            [
                (World.Cell(phase: .edited(.uploading), event: .refused), .move(.edited(.idle), .save)),
                (World.Cell(phase: .created(.uploading), event: .refused), .move(.created(.idle), .save)),
            ]
        case .lostTakenForUnsent:
            [
                (World.Cell(phase: .edited(.uploading), event: .lost), .move(.edited(.idle), .save)),
                (World.Cell(phase: .created(.uploading), event: .lost), .move(.created(.idle), .save)),
            ]
        case .heldUploadForgotten:
            [(World.Cell(phase: .edited(.held), event: .editedInDoubt), .move(.edited(.idle), [.save, .notify]))]
        case .lossNotJournalled:
            [RecordPhase.edited(.deciding), .created(.deciding), .deleted(.deciding)].map {
                (World.Cell(phase: $0, event: .adopted), .move(.synced, [.save, .notify]))
            }
        case .sentBeforeSaved, .freshIDs, .ackClearsLaterEdits, .conflictTakenForAccepted, .rowsSkippedWhileEdited,
            .staleVerdicts, .blindMerge, .conflictsByWatermark, .forgottenRefusals, .ownByContent:
            []
        }
    }
}
