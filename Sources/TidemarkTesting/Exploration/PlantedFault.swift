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

    /// What lost to the server's side is not journalled.
    case lossNotJournalled

    /// The table without this fault's row is nil; else what the row says.
    func transition(of phase: Phase, on event: RecordEvent) -> RecordTransition? {
        switch (self, phase, event) {
        case (.createForgotten, _, .withdrawn): .move(.absent, [.journal, .erase, .notify])
        case (.tombstoneWins, .edited(.idle), .gone): .move(.absent, [.erase, .notify])
        case (.deleteWins, .deleted(.idle), .clashed): .move(.deleted(.idle), .save)
        case (.refusedSentAgain, .edited, .refused): .move(.edited(.idle), .save)
        case (.refusedSentAgain, .created, .refused): .move(.created(.idle), .save)
        case (.lostTakenForUnsent, .edited(.uploading), .lost): .move(.edited(.idle), .save)
        case (.lostTakenForUnsent, .created(.uploading), .lost): .move(.created(.idle), .save)
        case (.lossNotJournalled, _, .adopted): .move(.synced, [.save, .notify])
        default: nil
        }
    }
}
