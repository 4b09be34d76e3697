import TidemarkCore

/// The order in which the rows of a page are written: by pk, so that the index of the pks is traversed once from left to right.
/// Rows with the same pk keep the order of the page, so that the later one wins.
///
/// In an empty store that makes no difference; with 200,000 records in the store, and random pks, a page of 10,000 takes a
/// third less CPU time, and one of 500 a seventh less.
struct PageOrder {
    /// Positions in the page; nil for the order of the page itself.
    private let positions: [Int]?

    init(of rows: [FeedPage.Row], in bytes: UnsafeRawBufferPointer) {
        var keys: [Key] = []
        keys.reserveCapacity(rows.count)
        let common = unsafe Self.commonPrefix(of: rows, in: bytes)
        var isSorted = true
        for (position, row) in rows.enumerated() {
            let pk = unsafe UnsafeRawBufferPointer(rebasing: bytes[row.pk.dropFirst().dropLast()])
            // Sorted by bytes, two spellings of the same pk could change places, and so could two rows about one record that
            // only the server's own name identifies.
            guard row.name.isEmpty, unsafe !pk.contains(UInt8(ascii: "\\")) else {
                self.positions = nil
                return
            }
            let key = unsafe Key(prefix: Self.prefix(of: pk, from: common), position: position)
            isSorted = isSorted && keys.last.map { $0.prefix < key.prefix } ?? true
            keys.append(key)
        }
        guard !isSorted else {
            self.positions = nil
            return
        }
        // Eight bytes decide nearly every comparison; pks with the same eight bytes keep the order of the page, which is not
        // the order of the index and costs only time.
        keys.sort { ($0.prefix, $0.position) < ($1.prefix, $1.position) }
        self.positions = keys.map(\.position)
    }

    /// The position in the page of the row that is written at `index`.
    subscript(index: Int) -> Int {
        self.positions?[index] ?? index
    }

    private struct Key {
        var prefix: UInt64
        var position: Int
    }

    /// The eight bytes from `start` on as a number with the same order.
    private static func prefix(of pk: UnsafeRawBufferPointer, from start: Int) -> UInt64 {
        guard pk.count < start + 8 else {
            return unsafe UInt64(bigEndian: pk.loadUnaligned(fromByteOffset: start, as: UInt64.self))
        }
        var prefix: UInt64 = 0
        for index in start..<pk.count {
            prefix |= UInt64(unsafe pk[index]) << UInt64(56 - 8 * (index - start))
        }
        return prefix
    }

    /// The length of the common prefix of all pks, so that `note-000017` and `note-000018` differ in the eight bytes after it.
    private static func commonPrefix(of rows: [FeedPage.Row], in bytes: UnsafeRawBufferPointer) -> Int {
        guard let first = rows.first?.pk.dropFirst().dropLast() else { return 0 }
        var common = first.count
        for row in rows {
            let pk = row.pk.dropFirst().dropLast()
            var length = 0
            while length < common, length < pk.count,
                unsafe bytes[first.lowerBound + length] == bytes[pk.lowerBound + length]
            {
                length += 1
            }
            common = length
        }
        return common
    }
}
