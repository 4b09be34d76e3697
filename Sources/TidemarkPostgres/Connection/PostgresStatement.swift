/// A statement that is prepared once on each connection. Parameters and results are in binary form, which is shorter for bytes
/// and needs no parsing.
struct PostgresStatement: Sendable {
    let name: String
    let sql: String

    init(_ name: String, _ sql: String) {
        self.name = name
        self.sql = sql
    }
}

/// A statement with its parameters.
struct PostgresCall: Sendable {
    let statement: PostgresStatement
    let values: [PostgresValue]

    init(_ statement: PostgresStatement, _ values: [PostgresValue] = []) {
        self.statement = statement
        self.values = values
    }
}

/// A parameter. Names are stored as bytes: text in the database can't contain U+0000, and is compared by its locale.
enum PostgresValue: Sendable {
    case null
    case number(Int64)
    case flag(Bool)
    case bytes([UInt8])
    /// An array; each element is of its type, or null.
    case array(ElementType, [PostgresValue])
    /// The UTF-8 of a text, for a column of bytes or of text.
    case text(String)

    static func text(orNull text: String?) -> PostgresValue { text.map { .text($0) } ?? .null }

    static func bytes(orNull bytes: [UInt8]?) -> PostgresValue { bytes.map { .bytes($0) } ?? .null }

    /// An array of names.
    static func names(_ names: some Sequence<[UInt8]>) -> PostgresValue { .array(.bytes, names.map { .bytes($0) }) }

    /// Appends its binary form; returns its length, or nil for null.
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
        case .array(let type, let elements): Self.append(elements, of: type, to: &buffer)
        case .text(let text): buffer += text.utf8
        }
        return Int32(buffer.count - before)
    }

    /// The types of elements, by their numbers, which are the same in every PostgreSQL.
    enum ElementType: Int32, Sendable {
        case flag = 16
        case bytes = 17
        case number = 20
        case text = 25
    }

    /// One dimension, which may contain nulls, counted from 1; then each element after its length.
    private static func append(_ elements: [PostgresValue], of type: ElementType, to buffer: inout [UInt8]) {
        for number in [1, 1, type.rawValue, Int32(elements.count), 1] { buffer += Self.bytes(of: number) }
        for element in elements {
            let place = buffer.count
            buffer += Self.bytes(of: -1)
            guard let length = element.append(to: &buffer) else { continue }
            buffer.replaceSubrange(place..<(place + 4), with: Self.bytes(of: length))
        }
    }

    private static func bytes(of number: Int32) -> [UInt8] {
        stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}
