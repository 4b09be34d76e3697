import TidemarkCore
import TidemarkMachine
import TidemarkTesting

/// Which rows of the tables of a record and of an exchange were taken.
package struct SimulationRows: Hashable, Sendable {
    /// Those of the record's table.
    package private(set) var record: Set<RecordCell> = []

    /// Those of the exchange's table.
    package private(set) var exchange: Set<ExchangeCell> = []

    /// None.
    package init() {}

    /// Adds what a device did.
    mutating func add<Store>(_ device: StoredDevice<Store>) {
        for trace in device.traces { self.record.insert(TableCell(phase: trace.source, event: trace.event)) }
        for trace in device.exchangeTraces { self.exchange.insert(TableCell(phase: trace.source, event: trace.event)) }
    }

    /// Adds what another run took.
    package mutating func add(_ other: Self) {
        self.record.formUnion(other.record)
        self.exchange.formUnion(other.exchange)
    }
}

extension SimulationRun {
    /// Which rows of the tables the devices took.
    var rows: SimulationRows {
        var rows = SimulationRows()
        for device in self.devices { rows.add(device.device) }
        return rows
    }
}
