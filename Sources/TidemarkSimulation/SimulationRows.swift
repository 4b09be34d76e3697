import TidemarkCore
import TidemarkMachine
import TidemarkTesting

/// The rows of the transition tables of a record and of an exchange that were taken.
package struct SimulationRows: Hashable, Sendable {
    /// The rows of the record's transition table that were taken.
    package private(set) var record: Set<RecordCell> = []

    /// The rows of the exchange's transition table that were taken.
    package private(set) var exchange: Set<ExchangeCell> = []

    /// Makes an empty set of rows.
    package init() {}

    /// Adds the rows that a device took.
    mutating func add<Store>(_ device: StoredDevice<Store>) {
        for trace in device.traces { self.record.insert(TableCell(phase: trace.source, event: trace.event)) }
        for trace in device.exchangeTraces { self.exchange.insert(TableCell(phase: trace.source, event: trace.event)) }
    }

    /// Adds the rows of another run.
    package mutating func add(_ other: Self) {
        self.record.formUnion(other.record)
        self.exchange.formUnion(other.exchange)
    }
}

extension SimulationRun {
    /// The rows of the tables that the devices took.
    var rows: SimulationRows {
        var rows = SimulationRows()
        for device in self.devices { rows.add(device.device) }
        return rows
    }
}
