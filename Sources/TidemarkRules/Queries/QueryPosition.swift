import TidemarkJSON

/// The place of a record in the order of a query: two records never have the same place.
package struct QueryPosition: Hashable, Sendable {
    /// The keys of the order's values.
    package let keys: [[UInt8]]

    package let pk: String
}

extension CheckedQuery {
    /// The place of a record.
    package func position(of record: QueryRecord) -> QueryPosition {
        QueryPosition(keys: self.order.map { QueryKey.of($0.path.value(in: record.content)) }, pk: record.pk)
    }

    /// Whether the first place is before the second one.
    package func precedes(_ left: QueryPosition, _ right: QueryPosition) -> Bool {
        for ((mine, theirs), part) in zip(zip(left.keys, right.keys), self.order) where mine != theirs {
            return part.isDescending != mine.lexicographicallyPrecedes(theirs)
        }
        let (mine, theirs) = (CodePointString(left.pk), CodePointString(right.pk))
        return self.isTieDescending ? theirs < mine : mine < theirs
    }
}

// MARK: - Cursors

extension CheckedQuery {
    /// The cursors of the query.
    package var cursors: QueryCursors { QueryCursors(self) }
}

/// Writes and reads the cursors of a query.
package struct QueryCursors: Sendable {
    private let query: CheckedQuery

    /// Eight bytes that differ between queries, and not between processes.
    private let fingerprint: [UInt8]

    init(_ query: CheckedQuery) {
        self.query = query
        self.fingerprint = query.fingerprint
    }

    /// The cursor after a place.
    package func cursor(after position: QueryPosition) -> RecordQuery.Cursor {
        var bytes = [UInt8(QueryKey.encoding)]
        bytes += self.fingerprint
        for part in position.keys + [Array(position.pk.utf8)] {
            withUnsafeBytes(of: UInt32(part.count).bigEndian) { bytes.append(contentsOf: $0) }
            bytes += part
        }
        return RecordQuery.Cursor(Hex.text(of: bytes))
    }

    /// Reads a cursor of this query.
    ///
    /// - Throws: ``TidemarkError/Code/invalidCursor``.
    package func position(_ cursor: RecordQuery.Cursor) throws(TidemarkError) -> QueryPosition {
        guard var bytes = Hex.bytes(of: cursor.text)?[...], bytes.popFirst() == UInt8(QueryKey.encoding),
            bytes.starts(with: self.fingerprint)
        else { throw .strangeCursor }
        bytes = bytes.dropFirst(self.fingerprint.count)
        var parts: [[UInt8]] = []
        while !bytes.isEmpty {
            guard bytes.count >= 4 else { throw .strangeCursor }
            let count = bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            bytes = bytes.dropFirst(4)
            guard bytes.count >= count else { throw .strangeCursor }
            parts.append(Array(bytes.prefix(count)))
            bytes = bytes.dropFirst(count)
        }
        guard let pk = parts.popLast().flatMap({ String(validating: $0, as: UTF8.self) }),
            parts.count == self.query.order.count
        else { throw .strangeCursor }
        return QueryPosition(keys: parts, pk: pk)
    }
}

extension CheckedQuery {
    /// The hash of the query's JSON (FNV-1a).
    fileprivate var fingerprint: [UInt8] {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        // Two spellings of the same number are the same query.
        for byte in self.query.json({ QueryKey.isWhole($0) ? JSON(Hex.text(of: QueryKey.of($0))) : $0 }).bytes {
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
        }
        return withUnsafeBytes(of: hash.bigEndian) { Array($0) }
    }
}

extension TidemarkError {
    fileprivate static var strangeCursor: TidemarkError {
        TidemarkError(
            .invalidCursor,
            "The cursor does not belong to this query, or was made by another version. Request the first page, without a cursor."
        )
    }
}

/// Bytes as text: two hexadecimal digits for each.
private enum Hex {
    static func text(of bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(2 * bytes.count)
        for byte in bytes {
            text.append(self.digit(byte >> 4))
            text.append(self.digit(byte & 15))
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }

    /// The bytes of a text; nil for any other text.
    static func bytes(of text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count / 2)
        var high: UInt8?
        for digit in text.utf8 {
            guard let value = self.value(digit) else { return nil }
            if let first = high { bytes.append(first << 4 | value) }
            high = high == nil ? value : nil
        }
        return high == nil ? bytes : nil
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
