import Tidemark

/// One object of compact JSON on one line, with its members in the order in which they are added.
struct JSONLine {
    private var members = JSONWriter()

    /// The whole line, without a line end.
    var bytes: [UInt8] {
        var line: [UInt8] = []
        line.reserveCapacity(self.members.bytes.count + 2)
        line.append(UInt8(ascii: "{"))
        line += self.members.bytes
        line.append(UInt8(ascii: "}"))
        return line
    }

    mutating func add(_ name: String, _ value: JSON?) {
        self.add(name, raw: value?.bytes)
    }

    mutating func add(_ name: String, _ value: String?) {
        self.add(name, value.map { JSON.string(JSONString($0)) })
    }

    mutating func add(_ name: String, _ value: Int) {
        self.add(name, raw: Array(String(value).utf8))
    }

    mutating func add(_ name: String, _ values: [String]) {
        self.add(name, JSON.array(values.map { .string(JSONString($0)) }))
    }

    mutating func add(_ name: String, _ line: JSONLine) {
        self.add(name, raw: line.bytes)
    }

    /// Adds JSON text as it is; nil is null.
    mutating func add(_ name: String, raw: [UInt8]?) {
        self.members.member(name, json: raw)
    }
}
