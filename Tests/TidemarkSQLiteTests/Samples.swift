import TidemarkCore
import TidemarkMachine
import TidemarkRules

/// A record that is waiting to be sent, with a payload of some bytes.
func edited(_ pk: String, sequence: Int64 = 1, bytes count: Int = 10) -> StoredRecord {
    StoredRecord(
        pk: pk, phase: .edited(.idle),
        confirmed: StoredVersion(version: "1", data: [UInt8](repeating: UInt8(ascii: "x"), count: count)),
        editedData: [UInt8]("[]".utf8), sequence: sequence)
}

extension RecordStore {
    func commit(_ body: (Self) throws(TidemarkError) -> Void) throws(TidemarkError) {
        try self.transaction { () throws(TidemarkError) in try body(self) }
    }

    /// The pks of all records of a collection.
    func pks(in collection: String = "c") throws(TidemarkError) -> [String] {
        try self.records(in: collection, states: Set(SyncState.allCases), after: nil, limit: .max).map(\.pk)
    }
}
