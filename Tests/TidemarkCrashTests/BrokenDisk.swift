import FaultyDisk
import Foundation
import TestSupport
import Testing

/// A folder on a disk that breaks at one of its changes, gone with the test.
final class BrokenDisk {
    /// How it breaks.
    enum Fault: String, CaseIterable, CustomStringConvertible {
        case fails = "a change fails"
        case isFull = "the disk is full"
        case processEnds = "the process ends"
        case powerFails = "the power fails"

        var description: String { self.rawValue }

        /// Whether nothing that the process does after it can be seen.
        var endsTheProcess: Bool { self == .processEnds || self == .powerFails }

        fileprivate var inC: faulty_disk_fault {
            switch self {
            case .fails: FAULTY_DISK_FAILS
            case .isFull: FAULTY_DISK_IS_FULL
            case .processEnds: FAULTY_DISK_PROCESS_ENDS
            case .powerFails: FAULTY_DISK_POWER_FAILS
            }
        }
    }

    private let temporary: TemporaryFolder

    var folder: URL { self.temporary.url }

    private var disk: OpaquePointer?

    /// How many changes were asked of it while it was to break.
    var changes: Int64 { self.disk.map { faulty_disk_changes($0) } ?? 0 }

    init() throws { self.temporary = try TemporaryFolder() }

    /// The path of a file on it.
    func path(_ name: String) -> String { self.temporary.path(name) }

    /// Carries something out that closes all files at its end, with the disk broken at a change; 0 breaks none.
    ///
    /// - Returns: How many changes were asked of it.
    @discardableResult
    func breaking(_ fault: Fault, at change: Int64, _ body: () throws -> Void) throws -> Int64 {
        // What a power failure loses is another thing at each change, and the same in each run.
        self.disk = faulty_disk_insert(self.folder.path, fault.inC, change, UInt64(change))
        defer {
            faulty_disk_remove(self.disk)
            self.disk = nil
        }
        try body()
        return self.changes
    }
}
