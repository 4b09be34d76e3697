import TidemarkHTTPFields

/// The head of a request, without its target.
struct RequestHead: Sendable {
    var method: String
    var version: String
    var headers: [(String, String)]
    /// How many bytes it has, with the first line.
    var size: Int
    /// False where the text has something in it that the strings do not show.
    var isWhole: Bool

    /// All values of a field, without the white space around them; the name is given in small letters.
    func values(of name: String) -> [String] {
        self.headers.filter { HTTPFieldName.isSame($0.0, name) }.map { Self.trimmed($0.1) }
    }

    private static func trimmed(_ value: String) -> String {
        let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        let bytes = value.utf8.drop(while: isBlank)
        return String(decoding: bytes.reversed().drop(while: isBlank).reversed(), as: UTF8.self)
    }
}
