import TidemarkJSON

extension FeedPage {
    /// The decoded pk of a row of this page.
    public func pk(of row: Row) -> String {
        self.string(row.pk)
    }

    /// The decoded name that the server gave to a row of this page; nil if pk is the name.
    public func name(of row: Row) -> String? {
        row.name.isEmpty ? nil : self.string(row.name)
    }

    private func string(_ range: Range<Int>) -> String {
        let source = self.bytes[range.dropFirst().dropLast()]
        let text = String(decoding: source, as: UTF8.self)
        guard source.contains(UInt8(ascii: "\\")) else { return text }
        guard let string = JSONString(source: text) else {
            preconditionFailure("A page names \(range) as a pk or a name, but “\(text)” is not a JSON string.")
        }
        return string.value
    }

    /// The JSON text of a row's `updated_at`, byte for byte.
    public func versionText(of row: Row) -> String {
        String(decoding: self.bytes[row.version], as: UTF8.self)
    }

    /// The server's version of a record, from a row of this page: a row or a tombstone.
    public func version(of row: Row) -> StoredVersion {
        StoredVersion(
            version: self.versionText(of: row), data: row.isTombstone ? nil : [UInt8](self.bytes[row.data]))
    }
}

extension FeedPage.Row {
    /// Whether the row is a tombstone of a deleted record.
    public var isTombstone: Bool { self.data.isEmpty }
}
