import TidemarkMachine

extension SimulationRows {
    /// The reason why no simulation uses a row of the exchange's table; nil if a simulation has to use it.
    ///
    /// A row that is never used and has no reason is an error of the table or of the simulation. The exploration uses the
    /// rows of the record's table.
    package static func reason(for cell: ExchangeCell) -> String? {
        switch (cell.phase, cell.event) {
        case (_, .throttled): "The simulated server sends no Retry-After in an answer."
        case (.getting, .answeredTooMuch), (.posting, .answeredTooMuch):
            "Only a transport finds an answer too large, and a simulated device has none."
        case (.posting, .resyncEnded): "Nothing is sent during a full resync (Contract §6)."
        case (.idle, _), (.getting, _), (.posting, _), (.waiting, _), (.paused, _): nil
        }
    }

    /// The number of rows taken of each table, and each row of the exchange's table that was not taken.
    package var lines: [String] {
        let never = ExchangeCell.all.filter { !self.exchange.contains($0) }
        return [
            "rows of the record's table: \(self.record.count) of \(RecordCell.all.count) used",
            "rows of the exchange's table: \(self.exchange.count) of \(ExchangeCell.all.count) used",
        ] + never.map { "  never \($0): \(Self.reason(for: $0) ?? "no reason is known")" }
    }

    /// The rows without a reason that were not taken.
    package var missing: [ExchangeCell] {
        ExchangeCell.all.filter { !self.exchange.contains($0) && Self.reason(for: $0) == nil }
    }
}
