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
struct PostgresCall {
    let statement: PostgresStatement
    let values: [PostgresValue]

    init(_ statement: PostgresStatement, _ values: [PostgresValue] = []) {
        self.statement = statement
        self.values = values
    }

    /// The approximate size in bytes.
    var size: Int { self.values.reduce(64) { $0 + $1.size } }
}

/// A parameter. Names are stored as bytes: text in the database can't contain U+0000, and is compared by its locale.
enum PostgresValue {
    case null
    case number(Int64)
    case flag(Bool)
    case bytes([UInt8])
    /// A list of names, for a parameter of type `bytea[]`.
    case list([[UInt8]])
    /// The UTF-8 of a text, for a column of bytes or of text.
    case text(String)

    static func text(orNull text: String?) -> PostgresValue { text.map { .text($0) } ?? .null }

    static func bytes(orNull bytes: [UInt8]?) -> PostgresValue { bytes.map { .bytes($0) } ?? .null }

    /// The approximate size in bytes.
    fileprivate var size: Int {
        switch self {
        case .null, .number, .flag: 8
        case .bytes(let bytes): bytes.count
        case .text(let text): text.utf8.count
        case .list(let names): names.reduce(0) { $0 + $1.count + 4 }
        }
    }

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
        case .list(let names): Self.append(names, to: &buffer)
        case .text(let text): buffer += text.utf8
        }
        return Int32(buffer.count - before)
    }

    /// The number of the type `bytea`, the same in every PostgreSQL.
    private static let bytea: Int32 = 17

    /// One dimension without nulls, counted from 1; then each element after its length.
    private static func append(_ names: [[UInt8]], to buffer: inout [UInt8]) {
        func append(_ number: Int32) {
            for shift in stride(from: Int32(24), through: 0, by: -8) {
                buffer.append(UInt8(truncatingIfNeeded: number >> shift))
            }
        }
        for number in [1, 0, Self.bytea, Int32(names.count), 1] { append(number) }
        for name in names {
            append(Int32(name.count))
            buffer += name
        }
    }
}
