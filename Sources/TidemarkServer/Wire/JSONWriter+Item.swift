import TidemarkJSON

extension JSONWriter {
    /// Writes an ITEM (SPEC §5); the bytes of the record go out as they are stored.
    mutating func item(_ row: ServerRow) {
        self.object { item in
            item.member("pk", row.pk)
            item.member("updated_at", row.updatedAt)
            item.member("is_active", row.data != nil)
            if let data = row.data { item.member("data", json: data) }
        }
    }
}
