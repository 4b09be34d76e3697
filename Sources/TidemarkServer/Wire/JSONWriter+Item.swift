import TidemarkJSON

extension JSONWriter {
    /// Writes an ITEM (Contract §5); the bytes of the record are written as they are stored.
    mutating func item(_ row: ServerRow) {
        var pk = row.pk
        pk.withUTF8 { pk in
            guard let data = row.data else { return unsafe self.item(pk.span, row.updatedAt, nil) }
            data.withUnsafeBufferPointer { unsafe self.item(pk.span, row.updatedAt, $0.span) }
        }
    }

    /// Writes an ITEM from the UTF-8 of its pk, its version and its data, which is nil for a tombstone.
    ///
    /// The parts that all items share are static pieces: an answer has up to 500 items, and passing an array costs reference
    /// counting for each.
    mutating func item(_ pk: Span<UInt8>, _ version: Int64, _ data: Span<UInt8>?) {
        self.begin(with: #"{"pk":"#)
        self.piece(utf8: pk)
        self.piece(json: #","updated_at":"#)
        self.piece(version)
        if let data {
            self.piece(json: #","is_active":true,"data":"#)
            self.piece(json: data)
            self.piece(json: "}")
        } else {
            self.piece(json: #","is_active":false}"#)
        }
    }
}
