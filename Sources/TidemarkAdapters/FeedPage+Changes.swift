public import TidemarkCore
import TidemarkJSON

extension FeedPage {
    /// Makes a page of rows, for a remote that has no separate pages of bytes. A row without a pk, a version or an object is
    /// malformed; of two rows with the same pk the later one counts.
    public init(_ changes: RowChanges) {
        var bytes: [UInt8] = []
        func append(_ text: [UInt8]) -> Range<Int> {
            let start = bytes.count
            bytes.append(contentsOf: text)
            return start..<bytes.count
        }
        var malformed = changes.malformed
        var last: [CodePointString: Int] = [:]
        for (place, row) in changes.rows.enumerated() { last[CodePointString(row.pk)] = place }
        var rows: [Row] = []
        for (place, row) in changes.rows.enumerated() where last[CodePointString(row.pk)] == place {
            if let fault = row.fault {
                malformed.append(
                    QuarantinedItem(pk: row.pk.isEmpty ? "item \(row.version.text.prefix(60))" : row.pk, reason: fault))
                continue
            }
            rows.append(
                Row(
                    pk: append(JSON.string(row.pk).bytes), version: append(row.version.bytes),
                    data: append(row.content?.bytes ?? [])))
        }
        self.init(bytes: bytes, rows: rows, malformed: malformed)
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
        return nil
    }
}
