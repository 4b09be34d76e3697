import Foundation

/// Sorted runs of hashes and places, in a temporary file that has no name.
final class NamePlaceRuns {
    private static let buffered = 4_096

    private struct Run {
        var rest: Range<Int>
        var buffer: ArraySlice<NamePlace> = []
    }

    private let file: UnsafeMutablePointer<FILE>
    private var runs: [Run] = []
    private var count = 0

    init() throws(CommandFailure) {
        guard let file = tmpfile() else { throw Self.failure() }
        self.file = file
    }

    deinit {
        fclose(self.file)
    }

    /// Adds a run.
    func append(_ slots: ArraySlice<NamePlace>) throws(CommandFailure) {
        let written = slots.withUnsafeBytes {
            fwrite($0.baseAddress, MemoryLayout<NamePlace>.stride, slots.count, self.file)
        }
        guard written == slots.count else { throw Self.failure() }
        self.runs.append(Run(rest: self.count..<self.count + slots.count))
        self.count += slots.count
    }

    /// Merges all runs: of the names that are in two of them, the one that comes again first in the file.
    func firstRepeated() throws(CommandFailure) -> (FirstPlaces.Place, first: FirstPlaces.Place)? {
        var found: (again: NamePlace, first: NamePlace)?
        var last: NamePlace?
        while let slot = try self.takeLeast() {
            guard let first = last, first.isSameName(as: slot) else {
                last = slot
                continue
            }
            // The runs are in the order of the file, and so are the places of one name.
            if found.map({ slot.isEarlier(than: $0.again) }) ?? true { found = (slot, first) }
        }
        return found.map { ($0.again.place, first: $0.first.place) }
    }

    private func takeLeast() throws(CommandFailure) -> NamePlace? {
        var least: (index: Int, slot: NamePlace)?
        for index in self.runs.indices {
            if self.runs[index].buffer.isEmpty { try self.fill(index) }
            guard let slot = self.runs[index].buffer.first else { continue }
            if least.map({ slot.isBefore($0.slot) }) ?? true { least = (index, slot) }
        }
        if let least { self.runs[least.index].buffer.removeFirst() }
        return least?.slot
    }

    private func fill(_ index: Int) throws(CommandFailure) {
        let count = min(Self.buffered, self.runs[index].rest.count)
        guard count > 0 else { return }
        let (start, stride) = (self.runs[index].rest.lowerBound, MemoryLayout<NamePlace>.stride)
        guard fseek(self.file, start * stride, SEEK_SET) == 0 else { throw Self.failure() }
        let slots = [NamePlace](unsafeUninitializedCapacity: count) { buffer, read in
            read = fread(buffer.baseAddress, stride, count, self.file)
        }
        guard slots.count == count else { throw Self.failure() }
        self.runs[index].buffer = slots[...]
        self.runs[index].rest = (start + count)..<self.runs[index].rest.upperBound
    }

    private static func failure() -> CommandFailure {
        CommandFailure(
            """
            The temporary file for the pks can't be used: \(String(cString: strerror(errno))). Make space for it, or import \
            the file in parts. Nothing was imported.
            """)
    }
}
