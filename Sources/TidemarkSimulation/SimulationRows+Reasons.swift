import TidemarkMachine

extension SimulationRows {
    /// Why a row of the exchange's table is never taken in a simulation; nil where it has to be.
    ///
    /// A row that was never taken and has no reason is a mistake: of the table, or of what a simulation can do. The rows of the
    /// record's table are the exploration's to take.
    package static func reason(for cell: ExchangeCell) -> String? {
        switch (cell.phase, cell.event) {
        case (_, .dueTooEarly): "Its server asks for no rest in an answer."
        case (.getting, .answeredTooMuch), (.posting, .answeredTooMuch):
            "Only a transport finds an answer too large, and a device here has none."
        case (.posting, .resyncEnded): "Nothing is sent during a full resync (SPEC §6)."
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
