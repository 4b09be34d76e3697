extension [UInt8] {
    /// Adds text as it stands.
    mutating func append(text: String) {
        self.append(contentsOf: text.utf8)
    }

    /// Adds a string as JSON, with no more escapes than RFC 8259 §7 demands.
    mutating func append(quoted string: String) {
        self.append(UInt8(ascii: "\""))
        for byte in string.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                self.append(UInt8(ascii: "\\"))
                self.append(byte)
            case 0..<0x20:
                self.append(text: byte < 0x10 ? #"\u000"# : #"\u00"#)
                self.append(text: String(byte, radix: 16))
            default:
                self.append(byte)
            }
        }
        self.append(UInt8(ascii: "\""))
    }

    /// Adds an ITEM (SPEC §5); the bytes of the record go out as they are stored.
    mutating func append(item row: ServerRow) {
        self.append(text: #"{"pk":"#)
        self.append(quoted: row.pk)
        self.append(text: #","updated_at":"#)
        self.append(text: String(row.updatedAt))
        if let data = row.data {
            self.append(text: #","is_active":true,"data":"#)
            self.append(contentsOf: data)
        } else {
            self.append(text: #","is_active":false"#)
        }
        self.append(UInt8(ascii: "}"))
    }

    /// Adds an ITEM, or null where there is no row.
    mutating func append(itemOrNull row: ServerRow?) {
        if let row {
            self.append(item: row)
        } else {
            self.append(text: "null")
        }
    }
}
