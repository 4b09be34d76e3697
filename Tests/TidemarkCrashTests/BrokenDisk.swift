import FaultyDisk
import Foundation
import TestSupport
import Testing

/// A folder on a disk that breaks at one of its changes; deinit removes it.
final class BrokenDisk {
    /// The way in which the disk breaks.
    enum Fault: String, CaseIterable, CustomStringConvertible {
        case fails = "a change fails"
        case isFull = "the disk is full"
        case processEnds = "the process ends"
        case powerFails = "the power fails"

        var description: String { self.rawValue }

        /// Whether no effect of the process after the fault is visible.
        var endsTheProcess: Bool { self == .processEnds || self == .powerFails }

        /// The changes at which a disk breaks in this way, of a run with a number of changes. Each change breaks in one way at least.
        func places(of changes: Int64) -> [Int64] {
            ThirdOfCases.numbers(to: changes, turn: Self.allCases.firstIndex(of: self) ?? 0)
        }

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

    /// The number of changes since the disk was set to break.
    var changes: Int64 { self.disk.map { faulty_disk_changes($0) } ?? 0 }

    init() throws { self.temporary = try TemporaryFolder() }

    /// The path of a file on the disk.
    func path(_ name: String) -> String { self.temporary.path(name) }

    /// Runs a body that closes all files at its end, while the disk breaks at a change; 0 breaks none.
    ///
    /// - Returns: The number of changes.
    @discardableResult
    func breaking(_ fault: Fault, at change: Int64, _ body: () throws -> Void) throws -> Int64 {
        try self.breaking(fault.inC, at: change, body)
    }

    /// Runs a body that closes all files at its end, while the disk fails at a read.
    func failing(atRead number: Int64, _ body: () throws -> Void) throws {
        _ = try self.breaking(FAULTY_DISK_READ_FAILS, at: number, body)
    }

    private func breaking(_ fault: faulty_disk_fault, at number: Int64, _ body: () throws -> Void) throws -> Int64 {
        // A power failure loses other bytes at each change, and the same bytes in each run.
        self.disk = faulty_disk_insert(self.folder.path, fault, number, UInt64(number))
        defer {
            faulty_disk_remove(self.disk)
            self.disk = nil
        }
        try body()
        return self.changes
    }
}
