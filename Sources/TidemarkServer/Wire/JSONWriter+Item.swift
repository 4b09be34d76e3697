import TidemarkJSON

extension JSONWriter {
    /// Writes an ITEM (SPEC §5); the bytes of the record go out as they are stored.
    mutating func item(_ row: ServerRow) {
        self.item(row.pk.utf8.span, row.updatedAt, row.data?.span)
    }

    /// The same from the UTF-8 of its name, its version and its data, which a tombstone has none of.
    ///
    /// What all items have in common is written as a piece, and lent: there are 500 of them in an answer, and an array that is
    /// handed over is counted twice.
    mutating func item(_ pk: Span<UInt8>, _ version: Int64, _ data: Span<UInt8>?) {
        self.begin(with: Self.name)
        self.piece(utf8: pk)
        self.piece(json: Self.version.span)
        self.piece(version)
        if let data {
            self.piece(json: Self.data.span)
            self.piece(json: data)
            self.piece(json: Self.end.span)
        } else {
            self.piece(Self.tombstone)
        }
    }

    private static let name = Array(#"{"pk":"#.utf8)
    private static let version = Array(#","updated_at":"#.utf8)
    private static let data = Array(#","is_active":true,"data":"#.utf8)
    private static let end = Array("}".utf8)
    private static let tombstone = Array(#","is_active":false}"#.utf8)
}
