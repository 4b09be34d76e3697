import TidemarkJSON

/// Hostile inputs.
enum Shape {
    static func duplicateKeys(_ size: Int) -> [UInt8] {
        self.bytes("{", Array(repeating: #""":1"#, count: size).joined(separator: ","), "}")
    }

    /// The innermost object is closed first, so that repeated keys are found in the reverse order of the text.
    static func nestedDuplicates(_ size: Int) -> [UInt8] {
        self.bytes(String(repeating: #"{"a":1,"a":"#, count: size), "1", String(repeating: "}", count: size))
    }

    static func keys(_ size: Int) -> [UInt8] {
        self.bytes("{", (0..<size).map { #""k\#($0)":\#($0)"# }.joined(separator: ","), "}")
    }

    static func longKey(_ size: Int) -> [UInt8] {
        self.bytes(#"{"A"#, String(repeating: "B", count: size), #"":1,"a":1}"#)
    }

    static func escapedLongKey(_ size: Int) -> [UInt8] {
        self.bytes(#"{"\u0041"#, String(repeating: "B", count: size), #"":1,"a":1}"#)
    }

    static func deepArrays(_ size: Int) -> [UInt8] {
        self.bytes(String(repeating: "[", count: size), "1", String(repeating: "]", count: size))
    }

    static func deepObjects(_ size: Int) -> [UInt8] {
        self.bytes(String(repeating: #"{"a":"#, count: size), "1", String(repeating: "}", count: size))
    }

    static func numbers(_ size: Int) -> [UInt8] {
        self.bytes("[", (0..<size).map { "\($0).5e1" }.joined(separator: ","), "]")
    }

    static func longNumber(_ size: Int) -> [UInt8] {
        self.bytes("1", String(repeating: "0", count: size), ".5")
    }

    static func unfinished(_ size: Int) -> [UInt8] {
        self.bytes("[", String(repeating: "1,\n", count: size), #""x"#)
    }

    static func rows(_ size: Int) -> [UInt8] {
        let rows = (0..<size).map { #"{"pk":"\#($0)","data":{"\u0061":1,"b":[1,2]}}"# }
        return self.bytes(#"{"items":["#, rows.joined(separator: ","), "]}")
    }

    static func members(_ size: Int) -> [String: Int] {
        Dictionary(uniqueKeysWithValues: (0..<size).map { ("k\($0)", $0) })
    }

    /// The value of a text.
    static func value(_ text: @escaping (Int) -> [UInt8]) -> (Int) throws -> JSON {
        { try JSON(parsing: text($0)) }
    }

    private static func bytes(_ parts: String...) -> [UInt8] {
        parts.flatMap(\.utf8)
    }
}
