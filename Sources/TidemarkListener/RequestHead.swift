import TidemarkHTTPFields

/// The head of a request, without its target.
struct RequestHead: Sendable {
    var method: String
    var version: String
    var headers: [(String, String)]
    /// The size in bytes, with the first line.
    var size: Int
    /// False if bytes of the head are missing in the strings.
    var isWhole: Bool

    /// The number of fields with a name.
    func count(of name: String) -> Int {
        self.headers.count { HTTPFieldName.isSame($0.0, name) }
    }

    /// The first value of a field, without the white space around it.
    func value(of name: String) -> String? {
        self.headers.first { HTTPFieldName.isSame($0.0, name) }.map { Self.trimmed($0.1) }
    }

    /// Whether a field's value is followed by a blank or a tab.
    func endsInBlank(_ name: String) -> Bool {
        let last = self.headers.first { HTTPFieldName.isSame($0.0, name) }?.1.utf8.last
        return last == 0x20 || last == 0x09
    }

    private static func trimmed(_ value: String) -> String {
        let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        let start = value.utf8.drop(while: isBlank)
        guard let last = start.lastIndex(where: { !isBlank($0) }) else { return "" }
        return String(Substring(start[...last]))
    }
}
