import TidemarkMachine

extension SimulationRows {
    /// Why a row of the exchange's table is never taken in a simulation; nil where it has to be.
    ///
    /// A row that was never taken and has no reason is a mistake: of the table, or of what a simulation can do. The rows of the
    /// record's table are the exploration's to take.
    package static func reason(for cell: ExchangeCell) -> String? {
        switch (cell.phase, cell.event) {
        case (.getting, .dueToPost), (.posting, .dueToPost), (.getting, .dueToReadFirst), (.posting, .dueToReadFirst):
            "A sync that is asked for during another joins it; what there is to send is not looked for."
        case (.paused, .dueToPost), (.paused, .dueToGet), (.paused, .dueToReadFirst):
            "A sync that is asked for during a pause is refused, or has one try; what there is to send is not looked for."
        case (_, .askedToRest), (_, .dueTooEarly): "Its server asks for no rest in an answer."
        case (.getting, .answeredTooMuch), (.posting, .answeredTooMuch):
            "Only a transport finds an answer too large, and a device here has none."
        case (.posting, .stoodStill):
            "Only the answers to a GET are led astray here; the answer to a POST has the server's own page."
        case (.posting, .listed): "Nothing is sent while a listing from the start is under way (SPEC §6)."
        case (.posting, .foundNothing):
            "Only what is damaged, or has used up its tries under other limits, is due and is not sent."
        case (.getting, .listingBegan), (.posting, .listingBegan):
            "Only a server that has no feed of changes begins a listing by itself (SPEC §12)."
        case (.idle, _), (.getting, _), (.posting, _), (.waiting, _), (.paused, _): nil
        }
    }

    /// How many rows of each table were taken, and each of the exchange's that was not.
    package var lines: [String] {
        let never = ExchangeCell.all.filter { !self.exchange.contains($0) }
        return [
            "rows of the record's table: \(self.record.count) of \(RecordCell.all.count) taken",
            "rows of the exchange's table: \(self.exchange.count) of \(ExchangeCell.all.count) taken",
        ] + never.map { "  never \($0): \(Self.reason(for: $0) ?? "it should have been")" }
    }

    /// The rows that should have been taken and were not.
    package var missing: [ExchangeCell] {
        ExchangeCell.all.filter { !self.exchange.contains($0) && Self.reason(for: $0) == nil }
    }
}
