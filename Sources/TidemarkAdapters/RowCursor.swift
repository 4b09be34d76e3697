import TidemarkCore
import TidemarkJSON

/// The cursor of a row server, in a form that has one for the start of the feed as well, and that names the row that was read last:
/// `-`, `+value`, or `=` and a JSON array of value, pk, name, version and whether the row is a deletion.
struct RowCursor {
    let value: String?

    /// The row that was read last, by which a restore of the server is noticed; nil if it is not.
    let last: LastRow?

    /// The longest names and versions that a cursor keeps, in bytes; the engine limits a cursor to 4,096.
    private static let lastSize = 2_048

    init(value: String?, last: LastRow? = nil) {
        self.value = value
        self.last = last
    }

    /// Reads a cursor.
    ///
    /// - Throws: `FailureClass.historyLost` for the cursor of another remote.
    init(text: String) throws(RemoteFailure) {
        switch (text.unicodeScalars.first, text.utf8.count) {
        case (nil, _), ("-", 1): self.init(value: nil)
        case ("+", _): self.init(value: String(text.unicodeScalars.dropFirst()))
        case ("=", _):
            guard let parts = (try? JSON(parsing: Array(text.utf8.dropFirst())))?.array, parts.count == 5,
                let pk = parts[1].string, let name = parts[2].string, let isDeleted = parts[4].bool
            else { throw Self.foreign }
            self.init(
                value: parts[0].string,
                last: LastRow(pk: pk, name: name, version: parts[3], isDeleted: isDeleted))
        default: throw Self.foreign
        }
    }

    private static var foreign: RemoteFailure {
        RemoteFailure(.historyLost, "The store's cursor is not one of this server.")
    }

    var text: String {
        guard let last else { return self.value.map { "+\($0)" } ?? "-" }
        let parts = [
            self.value.map { JSON.string(JSONString($0)) } ?? .null, .string(JSONString(last.pk)),
            .string(JSONString(last.name)), last.version, .bool(last.isDeleted),
        ]
        let text = "=\(JSON.array(parts).text)"
        return text.utf8.count > Self.lastSize + (self.value?.utf8.count ?? 0)
            ? RowCursor(value: self.value).text : text
    }
}

/// The row of the feed that was read last (``RowServer/noticesRestore``).
struct LastRow: Hashable {
    let pk: String

    /// The server's name of the record; the pk, if the client names the records.
    let name: String

    let version: JSON

    /// Whether it is a deletion, which a server may remove after a time.
    let isDeleted: Bool
}

extension LastRow {
    init(_ row: ServerRow) {
        self.init(pk: row.pk, name: row.name ?? row.pk, version: row.version, isDeleted: row.content == nil)
    }

    /// How a row that is read now shows that the server was restored; nil if it does not.
    func loss(shownBy row: ServerRow?) -> String? {
        guard let row else { return self.isDeleted ? nil : "is missing" }
        // A deletion may have only the name. A malformed row shows nothing.
        let isNameOnly = row.content == nil && row.pk == self.name || self.isDeleted
        guard row.fault == nil else { return nil }
        // The server uses the name of the deleted record for another one.
        if self.isDeleted, row.content != nil, CodePointString(row.pk) != CodePointString(self.pk), self.pk != self.name
        {
            return nil
        }
        if !isNameOnly, CodePointString(row.pk) != CodePointString(self.pk) {
            return "was “\(self.pk)”, and is “\(row.pk)” now"
        }
        return Self.isOlder(row.version, than: self.version) ? "has an older version than before" : nil
    }

    /// Whether a version is known to be older: versions of another form have no order.
    private static func isOlder(_ version: JSON, than other: JSON) -> Bool {
        if let version = version.number, let other = other.number { return version < other }
        guard let version = version.string.flatMap({ Timestamp($0) }),
            let other = other.string.flatMap({ Timestamp($0) })
        else { return false }
        return version.microsecondsSince1970 < other.microsecondsSince1970
    }
}

extension RowChanges {
    /// The last row of the page whose record was not deleted after it; without one the former one. If the page deletes that, too,
    /// the last deletion.
    func lastRow(after former: LastRow?) -> LastRow? {
        var deleted: Set<CodePointString> = []
        var deletion: LastRow?
        for row in self.rows.reversed() where row.fault == nil {
            let last = LastRow(row)
            let name = CodePointString(last.name)
            if last.isDeleted {
                deleted.insert(name)
                deletion = deletion ?? last
            } else if !deleted.contains(name) {
                return last
            }
        }
        guard let former, !former.isDeleted, !deleted.contains(CodePointString(former.name)) else {
            return deletion ?? former
        }
        return former
    }
}
