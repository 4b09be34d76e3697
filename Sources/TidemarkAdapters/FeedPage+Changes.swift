public import TidemarkCore
import TidemarkJSON

extension FeedPage {
    /// Makes a page of rows, for a remote that has no separate pages of bytes. A row without a pk, a version or an object is
    /// malformed; of two rows of one record the later one counts.
    public init(_ changes: RowChanges) {
        var bytes: [UInt8] = []
        func append(_ text: [UInt8]) -> Range<Int> {
            let start = bytes.count
            bytes.append(contentsOf: text)
            return start..<bytes.count
        }
        var malformed = changes.malformed
        var rows: [Row] = []
        for row in Self.counting(changes.rows) {
            if let fault = row.fault {
                let pk = row.pk.isEmpty ? "item \(row.version.text.cut(after: 60))" : row.pk
                malformed.append(QuarantinedItem(pk: pk, reason: fault))
                continue
            }
            rows.append(
                Row(
                    pk: append(JSON.string(row.pk).bytes), version: append(row.version.bytes),
                    data: append(row.content?.bytes ?? []),
                    name: append(row.name.map { JSON.string(JSONString($0)).bytes } ?? [])))
        }
        self.init(bytes: bytes, rows: rows, malformed: malformed)
    }

    /// The rows that count: of two rows of one record the later one, and no row before a deletion under the same name. A server may
    /// use the name of a deleted record again; then both records have a row (Contract §12).
    private static func counting(_ rows: [ServerRow]) -> [ServerRow] {
        var (later, deleted): (Set<[CodePointString]>, Set<CodePointString>) = ([], [])
        var counting: [ServerRow] = []
        for row in rows.reversed() {
            let name = CodePointString(row.name ?? row.pk)
            guard !deleted.contains(name), later.insert([name, CodePointString(row.pk)]).inserted else { continue }
            if row.content == nil { deleted.insert(name) }
            counting.append(row)
        }
        return counting.reversed()
    }
}

extension ServerRow {
    /// Why this is no row; nil if it is one.
    var fault: String? {
        if self.pk.isEmpty { return "the server's item is malformed: it has no pk" }
        if self.version.string == nil && self.version.number == nil {
            return "the server's item is malformed: its version is neither a string nor a number"
        }
        if let content, content.object == nil { return "the server's item is malformed: it is not an object" }
        if let content, !content.nests(atMost: JSON.Limits.default.nestingDepth) {
            return "the server's item is malformed: it is nested more than \(JSON.Limits.default.nestingDepth) deep"
        }
        return nil
    }
}
