/// A statement that is prepared once on each connection. What it takes and gives is in binary form: that is the shorter one for
/// bytes, and needs no reading.
struct PostgresStatement: Sendable {
    let name: String
    let sql: String

    init(_ name: String, _ sql: String) {
        self.name = name
        self.sql = sql
    }
}

/// A parameter. Names are bytes in the database as well: text there holds no U+0000, and is compared as its locale says.
enum PostgresValue {
    case null
    case number(Int64)
    case flag(Bool)
    case bytes([UInt8])
    /// The UTF-8 of a text, for a column of bytes as for one of text.
    case text(String)

    static func text(orNull text: String?) -> PostgresValue { text.map { .text($0) } ?? .null }

    static func bytes(orNull bytes: [UInt8]?) -> PostgresValue { bytes.map { .bytes($0) } ?? .null }

    /// Adds its binary form; nil for null, else how many bytes that are.
    func append(to buffer: inout [UInt8]) -> Int32? {
        let before = buffer.count
        switch self {
        case .null: return nil
        case .number(let number):
            for shift in stride(from: 56, through: 0, by: -8) {
                buffer.append(UInt8(truncatingIfNeeded: number >> shift))
            }
        case .flag(let flag): buffer.append(flag ? 1 : 0)
        case .bytes(let bytes): buffer += bytes
        case .text(let text): buffer += text.utf8
        }
        return Int32(buffer.count - before)
    }
}
