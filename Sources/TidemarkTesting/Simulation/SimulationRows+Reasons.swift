import TidemarkMachine

extension SimulationRows {
    /// Why a row of the record's table is never taken; nil where it has to be.
    package static func reason(for cell: RecordCell) -> String? { self.reasons[cell] }

    private static let reasons: [RecordCell: String] = [:]

    /// Why a row of the exchange's table is never taken; nil where it has to be.
    package static func reason(for cell: ExchangeCell) -> String? {
        switch (cell.phase, cell.event) {
        case (.idle, _), (.getting, _), (.posting, _), (.waiting, _), (.paused, _): nil
        }
    }

    /// A line for each table, and for each row of it that was not taken.
    package var lines: [String] {
        let missing = "it should have been"
        let records = RecordCell.all
        let exchanges = ExchangeCell.all
        return ["rows of the record's table: \(self.record.count) of \(records.count) taken"]
            + records.filter { !self.record.contains($0) }.map { "  never \($0): \(Self.reason(for: $0) ?? missing)" }
            + ["rows of the exchange's table: \(self.exchange.count) of \(exchanges.count) taken"]
            + exchanges.filter { !self.exchange.contains($0) }
            .map { "  never \($0): \(Self.reason(for: $0) ?? missing)" }
    }

    /// The rows that should have been taken and were not.
    package var missing: [String] {
        RecordCell.all
            .filter { !self.record.contains($0) && Self.reason(for: $0) == nil }.map { "\($0)" }
            + ExchangeCell.all
            .filter { !self.exchange.contains($0) && Self.reason(for: $0) == nil }.map { "exchange \($0)" }
    }
}
